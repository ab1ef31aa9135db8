#include "crawler/commands/url_command.h"

#include <memory>
#include <ostream>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "crawler/commands/option_types.h"
#include "crawler/commands/process.h"
#include "parser/url/canonical.h"
#include "parser/url/registrable_domain.h"
#include "parser/url/url.h"
#include "parser/utf8.h"

namespace linkherd::crawler {
namespace {

using parser::CanonicalLayer;
using parser::Url;

constexpr std::array<EnumName<CanonicalLayer>, 4> layer_names{{{CanonicalLayer::whatwg, "whatwg"},
                                                               {CanonicalLayer::normalized, "normalized"},
                                                               {CanonicalLayer::untracked, "untracked"},
                                                               {CanonicalLayer::equivalent, "equivalent"}}};

struct UrlOptions {
  CommonOptions common;
  std::string base_url;
  std::vector<std::string> urls;
};

Result<Url> read_url(const UrlOptions& options, const std::string& text) {
  if (options.base_url.empty()) return Url::parse(text);
  const Result<Url> base = Url::parse(options.base_url);
  if (base.has_error())
    throw CLI::ValidationError("--base-url", options.base_url + " is no URL: " + base.error().message);
  return Url::parse(text, *base);
}

boost::json::object describe(const std::string& input, const Result<Url>& url) {
  boost::json::object line{{"input", to_valid_utf8(input)}};
  if (url.has_error()) {
    line["error"] = to_valid_utf8(url.error().message);
    return line;
  }
  boost::json::object canonical;
  for (const auto& [layer, name] : layer_names) canonical[name] = parser::canonical_form(*url, layer).url;
  line["href"] = url->href();
  line["canonical"] = std::move(canonical);
  line["registrable_domain"] = parser::registrable_domain(*url);
  return line;
}

ExitCode run_url(const UrlOptions& options, const Streams& streams) {
  start_log(options.common);
  ExitCode code = ExitCode::ok;
  for (const std::string& text : options.urls) {
    const Result<Url> url = read_url(options, text);
    if (url.has_error()) code = ExitCode::broken_links;
    streams.out << boost::json::serialize(describe(text, url)) << '\n';
  }
  if (code != ExitCode::ok) say_why(streams, "not every input is a URL");
  return code;
}

}  // namespace

Command add_url_command(CLI::App& app) {
  auto options = std::make_shared<UrlOptions>();  // shared with the CLI11 callbacks
  CLI::App* command = app.add_subcommand("url", "Show how URLs are read: href, canonical forms, registrable domain");
  command->add_option("URL", options->urls, "URLs; each gives one JSON object a line")->required();
  command->add_option("-b,--base-url", options->base_url, "What relative ones are resolved against")->type_name("URL");
  add_common_options(*command, options->common);
  return {command, [options](const Streams& streams) { return run_url(*options, streams); }};
}

}  // namespace linkherd::crawler
