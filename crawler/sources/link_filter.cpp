#include "crawler/sources/link_filter.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <re2/re2.h>

#include "parser/ascii.h"
#include "parser/glob_pattern.h"
#include "parser/pattern_set.h"
#include "parser/url/url.h"

namespace linkherd::crawler {
namespace {

using parser::trim_ascii;

constexpr std::size_t max_filter_pattern_bytes = 4096;
constexpr std::size_t max_rewritten_bytes = std::size_t{64} << 10;

Result<std::unique_ptr<RE2>> compiled(std::string_view pattern) {
  if (pattern.size() > max_filter_pattern_bytes) {
    return Error{fmt::format("the pattern is longer than {} characters", max_filter_pattern_bytes)};
  }
  if (pattern.empty()) return Error{"the pattern is empty and would match everything"};
  if (pattern.find('\0') != std::string_view::npos) return Error{"the pattern contains a NUL character"};
  if (const std::optional<std::string> regex = parser::regex_for_glob(pattern))
    return Error{fmt::format("{} is a glob, but a regular expression is needed: '{}'", pattern, *regex)};
  RE2::Options options;
  options.set_log_errors(false);  // failures are returned as an Error
  auto regex = std::make_unique<RE2>(re2::StringPiece(pattern.data(), pattern.size()), options);
  if (!regex->ok()) return Error{fmt::format("the pattern {} cannot be used: {}", pattern, regex->error())};
  return {boost::system::in_place_value, std::move(regex)};
}

Error at(std::string_view source, const Error& error) { return Error{fmt::format("{}: {}", source, error.message)}; }

struct NamedPatterns {
  std::vector<SourcedPattern> given;
  parser::PatternSet set;

  // Returns the first pattern that matches the URL as written or as resolved, or null.
  const SourcedPattern* first_match(std::string_view written, std::string_view href) const {
    if (given.empty()) return nullptr;
    const auto index_in = [this](std::string_view text) { return set.first_match(text).value_or(given.size()); };
    const std::size_t index = std::min(index_in(written), href.empty() ? given.size() : index_in(href));
    return index == given.size() ? nullptr : &given[index];
  }
};

struct Remap {
  std::shared_ptr<const RE2> regex;
  std::string rewrite;  // replacement in the syntax of RE2
};

// Converts "$1" and "${name}" (the syntax of lychee) to RE2's "\1". Returns nullopt if the group does not exist.
std::optional<std::string> rewrite_of(std::string_view replacement, const RE2& regex) {
  std::string rewrite;
  std::size_t i = 0;
  while (i < replacement.size()) {
    const char c = replacement[i++];
    if (c == '\\') rewrite += '\\';
    if (c != '$' || i == replacement.size()) {
      rewrite += c;
      continue;
    }
    if (replacement[i] == '$') {
      rewrite += replacement[i++];
      continue;
    }
    const bool braces = replacement[i] == '{';
    const std::size_t start = i + (braces ? 1 : 0);
    std::size_t end = start;
    while (end < replacement.size() && (parser::is_ascii_letter(replacement[end]) ||
                                        parser::is_ascii_digit(replacement[end]) || replacement[end] == '_')) {
      ++end;
    }
    const std::string name(replacement.substr(start, end - start));
    if (name.empty() || (braces && (end == replacement.size() || replacement[end] != '}'))) return std::nullopt;
    const auto& names = regex.NamedCapturingGroups();
    const auto named = names.find(name);
    const bool is_number = name.size() <= 2 && std::ranges::all_of(name, parser::is_ascii_digit);
    const int group = named != names.end() ? named->second : is_number ? std::stoi(name) : -1;
    // RE2 only has one-digit group references.
    if (group < 0 || group > std::min(9, regex.NumberOfCapturingGroups())) return std::nullopt;
    rewrite += fmt::format("\\{}", group);
    i = end + (braces ? 1 : 0);
  }
  return rewrite;
}

Result<Remap> remap_of(std::string_view text) {
  const std::string_view trimmed = trim_ascii(text);
  const auto is_space = [](char c) { return parser::is_ascii_space(c); };
  const auto length = static_cast<std::size_t>(std::ranges::find_if(trimmed, is_space) - trimmed.begin());
  const std::string_view replacement = trim_ascii(trimmed.substr(length));
  if (length == 0 || replacement.empty() || std::ranges::any_of(replacement, is_space)) {
    return Error{fmt::format("it must be a pattern and a replacement separated by a space, not {}", text)};
  }
  auto regex = compiled(trimmed.substr(0, length));
  if (regex.has_error()) return regex.error();
  auto rewrite = rewrite_of(replacement, **regex);
  if (!rewrite) return Error{fmt::format("{} names a group that the pattern does not have", replacement)};
  return {boost::system::in_place_value, Remap{std::move(regex).value(), std::move(*rewrite)}};
}

Result<NamedPatterns> all_compiled(const std::vector<SourcedPattern>& patterns) {
  std::vector<std::shared_ptr<const RE2>> all;
  for (const SourcedPattern& given : patterns) {
    auto regex = compiled(given.pattern);
    if (regex.has_error()) return at(given.source, regex.error());
    all.push_back(std::move(regex).value());
  }
  return {boost::system::in_place_value, NamedPatterns{patterns, parser::PatternSet(std::move(all))}};
}

}  // namespace

std::optional<Error> pattern_fault(std::string_view pattern) {
  const auto regex = compiled(pattern);
  return regex.has_error() ? std::optional(regex.error()) : std::nullopt;
}

std::optional<Error> remap_fault(std::string_view text) {
  const auto remap = remap_of(text);
  return remap.has_error() ? std::optional(remap.error()) : std::nullopt;
}

struct LinkFilter::Patterns {
  NamedPatterns include, exclude;
  std::vector<Remap> remaps;
  parser::PatternSet remapped;  // the patterns of `remaps`
  std::vector<std::string> schemes;
};

LinkFilter::LinkFilter(std::unique_ptr<Patterns> patterns) : patterns_(std::move(patterns)) {}
LinkFilter::LinkFilter(LinkFilter&&) noexcept = default;
LinkFilter& LinkFilter::operator=(LinkFilter&&) noexcept = default;
LinkFilter::~LinkFilter() = default;

Result<LinkFilter> LinkFilter::make(const LinkFilterOptions& options) {
  auto patterns = std::make_unique<Patterns>();
  auto include = all_compiled(options.include);
  if (include.has_error()) return include.error();
  auto exclude = all_compiled(options.exclude);
  if (exclude.has_error()) return exclude.error();
  patterns->include = std::move(include).value();
  patterns->exclude = std::move(exclude).value();
  std::vector<std::shared_ptr<const RE2>> remapped;
  for (const std::string& text : options.remap) {
    auto remap = remap_of(text);
    if (remap.has_error()) return at("--remap", remap.error());
    patterns->remaps.push_back(std::move(remap).value());
    remapped.push_back(patterns->remaps.back().regex);
  }
  patterns->remapped = parser::PatternSet(std::move(remapped));
  for (const std::string& given : options.schemes) {
    std::string scheme = parser::to_ascii_lower(given.substr(0, given.find(':')));
    if (scheme.empty()) return Error{"--scheme needs the name of a scheme, such as https"};
    patterns->schemes.push_back(std::move(scheme));
  }
  return LinkFilter(std::move(patterns));
}

bool LinkFilter::leaves_all() const {
  return patterns_->include.given.empty() && patterns_->exclude.given.empty() && patterns_->remaps.empty() &&
         patterns_->schemes.empty();
}

std::optional<Exclusion> LinkFilter::excludes(std::string_view written, std::string_view href) const {
  const std::string_view scheme = href.substr(0, href.find(':'));
  const auto& schemes = patterns_->schemes;
  if (!schemes.empty() && !href.empty() && std::ranges::find(schemes, scheme) == schemes.end()) {
    return Exclusion{"scheme", fmt::format("--scheme does not include {}", scheme)};
  }
  const NamedPatterns& include = patterns_->include;
  const NamedPatterns& exclude = patterns_->exclude;
  if (include.first_match(written, href) != nullptr) return std::nullopt;
  if (!include.given.empty() && exclude.given.empty()) return Exclusion{"include", "no --include matches"};
  const SourcedPattern* const found = exclude.first_match(written, href);
  if (found == nullptr) return std::nullopt;
  return Exclusion{"exclude", fmt::format("{} matches: {}", found->source, found->pattern)};
}

std::optional<std::string> LinkFilter::remapped(std::string_view href) const {
  for (const std::size_t index : patterns_->remapped.matches(href)) {
    const Remap& remap = patterns_->remaps[index];
    std::string text(href);
    if (RE2::GlobalReplace(&text, *remap.regex, remap.rewrite) > 0 && text.size() <= max_rewritten_bytes) return text;
  }
  return std::nullopt;
}

void LinkFilter::remap(parser::LinkOccurrence& occurrence) const {
  if (occurrence.href.empty()) return;
  const std::optional<std::string> text = remapped(occurrence.href);
  if (!text) return;
  const auto url = parser::Url::parse(*text);
  occurrence.href = url ? std::string(url->href()) : std::string();
  if (!url) occurrence.notes.push_back(parser::LinkNote::invalid_url);
  std::erase(occurrence.notes, parser::LinkNote::placeholder);  // a URL that a pattern rewrites is not a placeholder
}

std::vector<SourcedPattern> patterns_in(std::string_view text, std::string_view file) {
  std::vector<SourcedPattern> patterns;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::string_view pattern = trim_ascii(line);
    if (pattern.empty() || pattern.starts_with('#')) continue;
    patterns.push_back({fmt::format("{}:{}", file, number), std::string(pattern)});
  }
  return patterns;
}

struct PathFilter::Patterns {
  parser::PatternSet all;
};

PathFilter::PathFilter() = default;
PathFilter::PathFilter(PathFilter&&) noexcept = default;
PathFilter& PathFilter::operator=(PathFilter&&) noexcept = default;
PathFilter::~PathFilter() = default;

Result<PathFilter> PathFilter::make(const std::vector<std::string>& patterns) {
  PathFilter filter;
  if (patterns.empty()) return {boost::system::in_place_value, std::move(filter)};
  std::vector<std::shared_ptr<const RE2>> all;
  for (const std::string& pattern : patterns) {
    auto regex = compiled(pattern);
    if (regex.has_error()) return at("--exclude-path", regex.error());
    all.push_back(std::move(regex).value());
  }
  filter.patterns_ = std::make_unique<Patterns>(Patterns{parser::PatternSet(std::move(all))});
  return {boost::system::in_place_value, std::move(filter)};
}

std::optional<std::string> PathFilter::excludes(std::string_view path) const {
  const std::optional<std::size_t> found = patterns_ ? patterns_->all.first_match(path) : std::nullopt;
  return found ? std::optional(patterns_->all.patterns()[*found]->pattern()) : std::nullopt;
}

}  // namespace linkherd::crawler
