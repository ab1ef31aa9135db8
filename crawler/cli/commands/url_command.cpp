// `linkherd url`: shows how a URL is parsed, and its canonical forms.
#include <ostream>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "crawler/cli/command.h"
#include "crawler/cli/options/option_table.h"
#include "crawler/cli/options/rule_options.h"
#include "crawler/cli/process.h"
#include "parser/join.h"
#include "parser/url/canonical.h"
#include "parser/url/registrable_domain.h"
#include "parser/url/unicode_host.h"
#include "parser/url/url.h"
#include "parser/utf8.h"
#include "reports/escape.h"

namespace linkherd::crawler {
namespace {

using parser::CanonicalForm;
using parser::Url;

struct UrlOptions : CheckOptions {
  UrlOptions() { format = OutputFormat::jsonl; }
  std::string base_url;
  std::vector<std::string> urls;
};

// The result for one input.
struct Reading {
  std::string input;
  Result<Url> url;
  std::array<CanonicalForm, 4> forms{};
  std::optional<Url> target{};  // set for a redirector
};

// Parses every input, relative to the base URL if there is one.
class UrlReader {
 public:
  UrlReader(const std::string& base_url, const parser::TrackingRules* rules) : rules_(rules) {
    if (base_url.empty()) return;
    const Result<Url> base = Url::parse(base_url);
    if (base.has_error())
      throw CLI::ValidationError("--base-url", base_url + " is not a valid URL: " + base.error().message);
    base_ = *base;
  }

  Reading read(const std::string& input) const {
    Reading reading{input, base_ ? Url::parse(input, *base_) : Url::parse(input)};
    if (reading.url.has_error()) return reading;
    reading.forms = parser::canonical_forms(*reading.url, rules_);
    reading.target = parser::unwrap_redirector(*reading.url, rules_);
    return reading;
  }

 private:
  const parser::TrackingRules* rules_;
  std::optional<Url> base_;
};

std::vector<std::string_view> note_names(const Url& url) {
  std::vector<std::string_view> names;
  for (const auto& [note, name] : parser::url_note_names) {
    if (has_note(url.notes(), note)) names.push_back(name);
  }
  return names;
}

boost::json::array words(const std::vector<std::string_view>& names) {
  boost::json::array list;
  for (const std::string_view name : names) list.emplace_back(name);
  return list;
}

boost::json::object to_json(const Reading& reading) {
  boost::json::object line{{"input", to_valid_utf8(reading.input)}};
  if (reading.url.has_error()) {
    line["error"] = to_valid_utf8(reading.url.error().message);
    return line;
  }
  const Url& url = *reading.url;
  boost::json::object canonical;
  boost::json::object rules;
  for (std::size_t i = 0; i < reading.forms.size(); ++i) {
    const std::string_view name = parser::canonical_layer_names[i].name;
    canonical[name] = reading.forms[i].url;
    rules[name] = words(reading.forms[i].rules);
  }
  const parser::UnicodeHost host = parser::unicode_host(url);
  line["href"] = url.href();
  line["canonical"] = std::move(canonical);
  line["rules"] = std::move(rules);
  line["registrable_domain"] = parser::registrable_domain(url);
  line["host"] = url.host();
  line["unicode_host"] = to_valid_utf8(host.text);
  line["mixed_scripts"] = host.has_mixed_scripts;
  line["imitates_ascii"] = host.imitates_ascii;
  line["origin"] = url.origin();
  line["surt"] = parser::surt_key(url);
  if (reading.target) line["redirector_target"] = reading.target->href();
  line["notes"] = words(note_names(url));
  return line;
}

void write_text(std::ostream& out, const Reading& reading) {
  const auto row = [&out](std::string_view name, std::string_view value) {
    if (!value.empty()) out << fmt::format("  {:<20}{}\n", name, reports::escape_for_terminal(value));
  };
  out << fmt::format("{}\n", reports::escape_for_terminal(to_valid_utf8(reading.input)));
  if (reading.url.has_error()) return row("error", to_valid_utf8(reading.url.error().message));
  const Url& url = *reading.url;
  row("href", url.href());
  for (std::size_t i = 0; i < reading.forms.size(); ++i) {
    const std::string rules =
        reading.forms[i].rules.empty() ? "" : fmt::format("   ({})", join(reading.forms[i].rules, ", "));
    row(parser::canonical_layer_names[i].name, reading.forms[i].url + rules);
  }
  const parser::UnicodeHost host = parser::unicode_host(url);
  row("registrable domain", parser::registrable_domain(url));
  if (host.text != url.host()) row("host", host.text);
  if (host.has_mixed_scripts) row("warning", "the host mixes letters of several scripts");
  if (host.imitates_ascii) row("warning", "the host has letters that look like ASCII letters");
  row("surt", parser::surt_key(url));
  if (reading.target) row("leads to", reading.target->href());
  row("notes", join(note_names(url), ", "));
}

ExitCode run_url(const UrlOptions& options, const Streams& streams) {
  start_log(options.common);
  const auto rules = read_tracking_rules(options.report.tracking_rules, streams, options.common.quiet);
  const UrlReader reader(options.base_url, rules ? &*rules : nullptr);
  ExitCode code = ExitCode::ok;
  boost::json::array all;
  for (const std::string& text : options.urls) {
    const Reading reading = reader.read(text);
    if (reading.url.has_error()) code = ExitCode::broken_links;
    switch (options.format) {
      case OutputFormat::text: write_text(streams.out, reading); break;
      case OutputFormat::jsonl:
        streams.out << reports::escape_json(boost::json::serialize(to_json(reading))) << '\n';
        break;
      case OutputFormat::json: all.push_back(to_json(reading)); break;
    }
  }
  if (options.format == OutputFormat::json) streams.out << reports::escape_json(boost::json::serialize(all)) << '\n';
  if (code != ExitCode::ok) print_reason(streams, "not every input is a URL");
  return code;
}

}  // namespace

Command add_url_command(CLI::App& app) {
  return add_command<UrlOptions>(
      app, "url", "Show how linkherd reads a URL", commands::url, run_url, [](UrlOptions& o) -> std::vector<Option> {
        return {{"URL", read_text(o.urls), "URLs to read", any_command, required},
                {"-b,--base-url", read_text(o.base_url, "URL"), "Resolve relative URLs against URL"}};
      });
}

}  // namespace linkherd::crawler
