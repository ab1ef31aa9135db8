#include "parser/url/tracking_rules.h"

#include <algorithm>
#include <utility>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <fmt/format.h>
#include <re2/re2.h>

#include "parser/pattern_set.h"
#include "parser/url/canonical.h"
#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

constexpr std::size_t max_file_bytes = std::size_t{16} << 20;
constexpr std::size_t max_patterns = 20'000;
constexpr std::size_t max_pattern_bytes = 4096;
constexpr std::size_t max_warnings = 100;
constexpr std::int64_t memory_of_a_pattern = std::int64_t{1} << 20;

std::unique_ptr<RE2> compiled(std::string_view pattern, std::string& error) {
  RE2::Options options;
  options.set_case_sensitive(false);  // as in ClearURLs
  options.set_log_errors(false);      // reported as warnings
  options.set_max_mem(memory_of_a_pattern);
  auto made = std::make_unique<RE2>(re2::StringPiece(pattern.data(), pattern.size()), options);
  if (made->ok()) return made;
  error = made->error();
  return nullptr;
}

using Patterns = std::vector<std::shared_ptr<const RE2>>;

struct Provider {
  PatternSet parameters;
  PatternSet exceptions;
  Patterns raw_rules;
  Patterns redirections;
};

}  // namespace

struct TrackingRules::Providers {
  PatternSet urls;  // the URL pattern of each provider, in the order of `all`
  std::vector<std::unique_ptr<Provider>> all;
};

namespace {

// Reads one rule file and collects warnings.
class ClearUrlsReader {
 public:
  explicit ClearUrlsReader(std::vector<std::string>& warnings) : warnings_(warnings) {}

  // Returns null if the provider has no usable pattern.
  std::unique_ptr<Provider> read(std::string_view name, const boost::json::value& value, Patterns& urls) {
    name_ = name;
    const boost::json::object* object = value.if_object();
    if (object == nullptr) return warn("is not an object");
    const boost::json::value* pattern = object->if_contains("urlPattern");
    if (pattern == nullptr || !pattern->is_string()) return warn("has no urlPattern");
    auto provider = std::make_unique<Provider>();
    Patterns parameters;
    Patterns exceptions;
    each(*object, "rules", parameters);
    each(*object, "referralMarketing", parameters);
    each(*object, "exceptions", exceptions);
    each(*object, "rawRules", provider->raw_rules);
    each(*object, "redirections", provider->redirections);
    // This must be the last step, so that the index of the pattern equals the index of the provider.
    if (!take("urlPattern", *pattern, urls)) return nullptr;
    provider->parameters = PatternSet(std::move(parameters), RE2::ANCHOR_BOTH);
    provider->exceptions = PatternSet(std::move(exceptions));
    return provider;
  }

 private:
  void each(const boost::json::object& provider, std::string_view key, Patterns& added) {
    const boost::json::value* list = provider.if_contains(key);
    if (list == nullptr) return;
    const boost::json::array* patterns = list->if_array();
    if (patterns == nullptr) {
      warn(fmt::format("{} is not a list", key));
      return;
    }
    for (const boost::json::value& pattern : *patterns) take(key, pattern, added);
  }

  bool take(std::string_view key, const boost::json::value& value, Patterns& added) {
    const boost::json::string* pattern = value.if_string();
    if (pattern == nullptr) {
      warn(fmt::format("{} has a pattern that is not a string", key));
      return false;
    }
    if (pattern->size() > max_pattern_bytes || ++patterns_ > max_patterns) {
      warn(fmt::format("{} has a pattern that is too long, or too many patterns", key));
      return false;
    }
    std::string error;
    if (auto made = compiled(*pattern, error)) {
      added.push_back(std::move(made));
      return true;
    }
    warn(fmt::format("{}: the pattern {} cannot be used: {}", key, std::string_view(*pattern), error));
    return false;
  }

  std::unique_ptr<Provider> warn(std::string_view problem) {
    if (warnings_.size() == max_warnings) warnings_.emplace_back("and more");
    if (warnings_.size() > max_warnings) return nullptr;
    warnings_.push_back(to_valid_utf8(fmt::format("provider {}: {}", name_, truncate_utf8(problem, 300))));
    return nullptr;
  }

  std::vector<std::string>& warnings_;
  std::string_view name_;
  std::size_t patterns_ = 0;
};

}  // namespace

TrackingRules::TrackingRules(std::unique_ptr<Providers> providers) : providers_(std::move(providers)) {}
TrackingRules::TrackingRules(TrackingRules&&) noexcept = default;
TrackingRules& TrackingRules::operator=(TrackingRules&&) noexcept = default;
TrackingRules::~TrackingRules() = default;

Result<TrackingRules> TrackingRules::parse_clear_urls(std::string_view json, std::vector<std::string>& warnings) {
  if (json.size() > max_file_bytes) return Error{fmt::format("is larger than {} MB", max_file_bytes >> 20U)};
  boost::system::error_code error;
  // Boost.JSON limits the depth to 32.
  const boost::json::value root = boost::json::parse({json.data(), json.size()}, error);
  if (error) return Error{fmt::format("is not JSON: {}", error.message())};
  const boost::json::object* object = root.if_object();
  const boost::json::value* providers = object == nullptr ? nullptr : object->if_contains("providers");
  if (providers == nullptr || !providers->is_object()) {
    return Error{"has no \"providers\": it must be in ClearURLs format"};
  }
  auto read = std::make_unique<Providers>();
  ClearUrlsReader reader(warnings);
  Patterns urls;
  for (const auto& [name, value] : providers->get_object()) {
    if (auto provider = reader.read(name, value, urls)) read->all.push_back(std::move(provider));
  }
  read->urls = PatternSet(std::move(urls));
  return TrackingRules(std::move(read));
}

TrackingRules::Matches TrackingRules::matches(const Url& url) const {
  Matches found;
  for (const std::size_t index : providers_->urls.matches(url.href())) {
    if (!providers_->all[index]->exceptions.first_match(url.href())) found.push_back(index);
  }
  return found;
}

bool TrackingRules::is_tracking_parameter(const Matches& matches, std::string_view name) const {
  return std::ranges::any_of(
      matches, [&](std::size_t index) { return providers_->all[index]->parameters.first_match(name).has_value(); });
}

std::optional<Url> TrackingRules::redirect_target(const Url& url) const {
  for (const std::size_t index : matches(url)) {
    for (const auto& pattern : providers_->all[index]->redirections) {
      std::string target;
      const re2::StringPiece href(url.href().data(), url.href().size());
      if (pattern->NumberOfCapturingGroups() < 1 || !RE2::PartialMatch(href, *pattern, &target)) continue;
      if (auto found = decode_redirect_target(target)) return found;
    }
  }
  return std::nullopt;
}

std::optional<Url> TrackingRules::apply_raw_rules(const Url& url) const {
  std::string text(url.href());
  for (const std::size_t index : matches(url)) {
    for (const auto& pattern : providers_->all[index]->raw_rules) RE2::GlobalReplace(&text, *pattern, "");
  }
  if (text == url.href()) return std::nullopt;
  auto changed = Url::parse(text);
  if (!changed || !changed->is_http() || changed->href() == url.href()) return std::nullopt;
  return std::move(changed).value();
}

}  // namespace linkherd::parser
