#include "crawler/cli/commands/migration.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <CLI/Error.hpp>
#include <boost/json/parse.hpp>
#include <boost/system/error_code.hpp>
#include <fmt/format.h>
#include <re2/re2.h>
#include <toml++/toml.h>

#include "crawler/cli/options/configuration.h"
#include "crawler/cli/options/option_table.h"
#include "crawler/cli/options/toml_text.h"
#include "crawler/sources/file_bytes.h"
#include "crawler/sources/link_filter.h"
#include "crawler/sources/repository_bounds.h"
#include "parser/ascii.h"
#include "parser/html/charset.h"
#include "parser/url/credentials.h"
#include "parser/utf8.h"

namespace linkherd::crawler {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr std::string_view on_secrets =
    "it may be a secret: set it in a file outside the repository that only you can read, named with --config";

// Other headers may contain secrets.
bool is_harmless_header(std::string_view name) {
  constexpr std::array<std::string_view, 5> harmless{"accept", "accept-encoding", "accept-language", "referer",
                                                     "user-agent"};
  return std::ranges::find(harmless, parser::to_ascii_lower(name)) != harmless.end();
}

// Fills a migration from one file.
class Source {
 public:
  Source(Migration& into, std::string file) : into_(into), file_(std::move(file)) { into_.files.push_back(file_); }

  void add(const std::string& setting, std::string value) {
    if (value.empty()) return;
    if (parser::mask_passwords_in(value) != value) return note(setting, on_secrets);
    into_.values[setting].push_back({std::move(value), file_});
  }
  void add_header(const std::string& setting, const std::string& before, const std::string& name,
                  const std::string& value) {
    if (!is_harmless_header(name)) return note("header " + name, on_secrets);
    add(setting, fmt::format("{}{}: {}", before, name, value));
  }
  void add_host(const std::string& host, const std::string& setting, std::string value) {
    into_.hosts[host][setting] = std::move(value);
  }
  void note(std::string_view setting, std::string_view why) {
    into_.notes.push_back(fmt::format("{}: {}: {}", file_, setting, why));
  }
  [[noreturn]] void refuse(std::string_view why) const {
    throw CLI::ValidationError("init", fmt::format("{}: {}", file_, why));
  }

 private:
  Migration& into_;
  std::string file_;
};

// --- lychee

std::string plain(Source& source, std::string_view key, const toml::node& node) {
  const std::optional<std::string> text = plain_text_of(node);
  if (!text)
    source.refuse(fmt::format("line {}: the value of {} is not a plain string, number or boolean",
                              node.source().begin.line, key));
  return *text;
}

void read_lychee_headers(Source& source, const std::string& before, const toml::node& value) {
  const std::string setting = before.empty() ? "header" : "header_for";
  if (const auto* table = value.as_table()) {
    for (const auto& [name, text] : *table)
      source.add_header(setting, before, std::string(name.str()), plain(source, name.str(), text));
    return;
  }
  const auto* list = value.as_array();
  if (list == nullptr) source.refuse("header must be a list or a table");
  for (const toml::node& item : *list) {
    const std::string line = plain(source, "header", item);
    const std::size_t end = std::min(line.find_first_of(":="), line.size());
    const std::string rest(parser::trim_ascii(line.substr(std::min(end + 1, line.size()))));
    source.add_header(setting, before, std::string(parser::trim_ascii(line.substr(0, end))), rest);
  }
}

void read_lychee_hosts(Source& source, const toml::node& value) {
  const auto* hosts = value.as_table();
  if (hosts == nullptr) source.refuse("hosts must be a table");
  for (const auto& [host, section] : *hosts) {
    const auto* settings = section.as_table();
    if (settings == nullptr) source.refuse(fmt::format("hosts.{} must be a table", host.str()));
    for (const auto& [key, node] : *settings) {
      const std::string name(host.str());
      if (key == "headers") {
        read_lychee_headers(source, fmt::format("https://{}/ ", name), node);
      } else if (key == "concurrency" || key == "request_interval") {
        source.add_host(name, fmt::format("host_{}", key.str()), plain(source, key.str(), node));
      } else {
        source.note(fmt::format("hosts.{}.{}", name, key.str()), "linkherd has no such setting");
      }
    }
  }
}

void read_lychee(const fs::path& file, Source source) {
  for (const auto& [key, value] : read_toml(file.string(), own_repository())) {
    const std::string name(key.str());
    std::string option = "--" + name;
    std::ranges::replace(option, '_', '-');
    if (name == "hosts") {
      read_lychee_hosts(source, value);
    } else if (name == "header") {
      read_lychee_headers(source, "", value);
    } else if (name == "basic_auth" || name == "github_token") {
      source.note(name, on_secrets);
    } else if (const auto hint = lychee_option_hint(option)) {
      source.note(name, *hint);
    } else if (const auto* list = value.as_array()) {
      for (const toml::node& item : *list) source.add(name, plain(source, name, item));
    } else {
      source.add(name, plain(source, name, value));
    }
  }
}

// --- markdown-link-check

class MarkdownLinkCheck {
 public:
  MarkdownLinkCheck(Source& source, const json::object& settings) : source_(source), settings_(settings) {}

  void read() {
    for (const json::object* item : objects("ignorePatterns")) source_.add("exclude", text(*item, "pattern"));
    for (const json::object* item : objects("replacementPatterns")) {
      const std::string replacement = text(*item, "replacement");
      if (replacement.find("{{BASEURL}}") != std::string::npos) {
        source_.note("replacementPatterns", "use --root-dir or --site-url instead of {{BASEURL}}");
      } else {
        source_.add("remap", fmt::format("{} {}", text(*item, "pattern"), replacement));
      }
    }
    for (const json::object* item : objects("httpHeaders")) read_headers(*item);
    for (const auto& [key, value] : settings_) read_plain(key, value);
  }

 private:
  void read_plain(std::string_view key, const json::value& value) {
    constexpr std::array<std::string_view, 3> read{"ignorePatterns", "replacementPatterns", "httpHeaders"};
    if (std::ranges::find(read, key) != read.end()) return;
    if (key == "timeout") return source_.add("timeout", word(key, value));
    if (key == "retryCount") return source_.add("max_retries", word(key, value));
    if (key == "fallbackRetryDelay") return source_.add("retry_wait_time", word(key, value));
    if (key == "baseUrl" || key == "projectBaseUrl") return source_.add("base_url", word(key, value));
    if (key == "retryOn429") return source_.note(key, "linkherd always retries hosts that ask to wait");
    if (key == "aliveStatusCodes")
      return source_.note(key, lychee_option_hint("--accept").value_or("linkherd has no such setting"));
    source_.note(key, "linkherd has no such setting");
  }

  void read_headers(const json::object& item) {
    const json::value* const urls = item.if_contains("urls");
    const json::value* const headers = item.if_contains("headers");
    if (urls == nullptr || !urls->is_array() || headers == nullptr || !headers->is_object())
      source_.refuse("httpHeaders needs a list of urls and an object of headers");
    for (const json::value& url : urls->get_array()) {
      for (const auto& [name, value] : headers->get_object())
        source_.add_header("header_for", word("urls", url) + " ", std::string(name), word(name, value));
    }
  }

  std::vector<const json::object*> objects(std::string_view key) {
    std::vector<const json::object*> all;
    const json::value* const value = settings_.if_contains(key);
    if (value == nullptr) return all;
    if (!value->is_array()) source_.refuse(fmt::format("{} must be a list", key));
    for (const json::value& item : value->get_array()) {
      if (!item.is_object()) source_.refuse(fmt::format("{} must contain only objects", key));
      all.push_back(&item.get_object());
    }
    return all;
  }
  std::string text(const json::object& item, std::string_view key) const {
    const json::value* const value = item.if_contains(key);
    if (value == nullptr || !value->is_string()) source_.refuse(fmt::format("{} is missing or not a string", key));
    return std::string(value->get_string());
  }
  std::string word(std::string_view key, const json::value& value) const {
    if (value.is_string()) return std::string(value.get_string());
    if (value.is_int64()) return std::to_string(value.get_int64());
    source_.refuse(fmt::format("{} is neither a string nor a whole number", key));
  }

  Source& source_;
  const json::object& settings_;
};

void read_markdown_link_check(const fs::path& file, Source source) {
  const Result<std::string> bytes = read_file_bytes(file, max_configuration_bytes, own_repository());
  if (bytes.has_error()) source.refuse(bytes.error().message);
  boost::system::error_code error;
  const json::value root = json::parse(parser::decode_text(*bytes).text, error);
  if (error) source.refuse("it is not valid JSON: " + error.message());
  if (!root.is_object()) source.refuse("it is not a JSON object");
  MarkdownLinkCheck(source, root.get_object()).read();
}

// --- html-proofer. Its options are in Ruby, shell commands or YAML; only literal values are read.

class HtmlProoferText {
 public:
  HtmlProoferText(Source& source, std::string_view text) : source_(source), text_(text) {}

  void read() {
    static const RE2 option(
        R"((?m)^[^#\n]*?\b((?:ignore|url|file)[_-](?:urls|files|ignore)|(?:ignore|http)[_-]status[_-](?:codes|ignore)|)"
        R"((?:swap[_-]urls|url[_-]swap|root[_-]dir|typhoeus|hydra|disable[_-]external))["']?[ \t]*(?::|=>|=|[ \t])[ \t]*)");
    re2::StringPiece rest(text_.data(), text_.size());
    std::string name;
    while (RE2::FindAndConsume(&rest, option, &name)) {
      std::ranges::replace(name, '-', '_');
      const std::string setting = setting_of(name);
      at_ = text_.size() - rest.size();
      if (setting.empty()) {
        source_.note(name, hint(name));
      } else if (!read_value(setting)) {
        source_.note(name, "linkherd cannot evaluate its value; set " + setting + " yourself");
      }
    }
  }

 private:
  static std::string setting_of(std::string_view name) {
    if (name == "ignore_urls" || name == "url_ignore") return "exclude";
    if (name == "ignore_files" || name == "file_ignore") return "exclude_path";
    return {};
  }
  static std::string hint(std::string_view name) {
    if (name.find("status") != std::string_view::npos) return *lychee_option_hint("--accept");
    if (name.find("swap") != std::string_view::npos) return "use --remap";
    if (name == "root_dir") return "use --root-dir";
    if (name == "disable_external") return "use --offline";
    return "use --timeout, --max-concurrency and --header";
  }

  // Reads "[…]", "…", '…', a shell word, or the lines of a YAML list.
  bool read_value(const std::string& setting) {
    if (peek() == '[') {
      for (++at_;;) {
        while (at_ < text_.size() && (parser::is_ascii_space(peek()) || peek() == ',')) ++at_;
        if (peek() == ']') return true;
        if (!read_item(setting, false)) return false;
      }
    }
    if (peek() != '\n' && peek() != '\r') return read_item(setting, true);
    bool is_any = false;
    while (at_ < text_.size()) {
      const std::size_t dash = text_.find_first_not_of(" \t\r\n", at_);
      if (dash == std::string_view::npos || text_.substr(dash, 2) != "- ") return is_any;
      at_ = std::min(text_.find_first_not_of(' ', dash + 1), text_.size());
      if (!read_item(setting, false)) return false;
      is_any = true;
    }
    return is_any;
  }

  bool read_item(const std::string& setting, bool is_word) {
    const char quote = peek();
    if (quote == '"' || quote == '\'' || quote == '/') {
      std::string item(1, quote);
      for (++at_; at_ < text_.size() && peek() != quote && peek() != '\n'; ++at_) {
        if (peek() == '\\' && at_ + 1 < text_.size()) item += text_[at_++];
        item += text_[at_];
      }
      if (peek() != quote) return false;
      ++at_;
      if (quote == '/') {
        if (parser::is_ascii_letter(peek())) return false;  // a regular expression with flags is not supported
        add(setting, item + '/');
        return true;
      }
      item.erase(0, 1);
      if (item.find("#{") != std::string::npos || item.find("${") != std::string::npos) return false;
      return add_all(setting, item, is_word);
    }
    const std::string_view rest = text_.substr(at_);
    const std::string_view word = rest.substr(0, rest.find_first_of(is_word ? " \t\r\n" : ",]\r\n"));
    const bool is_plain = word.find('/') != std::string_view::npos;  // otherwise it may be the name of a variable
    if (!is_plain || word.find_first_of("$`'\"()[]{}%") != std::string_view::npos) return false;
    at_ += word.size();
    return add_all(setting, std::string(parser::trim_ascii(word)), is_word);
  }

  // Adds all values; commas separate values on the command line.
  bool add_all(const std::string& setting, const std::string& text, bool is_word) {
    std::string_view rest = text;
    while (is_word && rest.find(',') != std::string_view::npos) {
      add(setting, std::string(rest.substr(0, rest.find(','))));
      rest.remove_prefix(rest.find(',') + 1);
    }
    add(setting, std::string(rest));
    return true;
  }

  void add(const std::string& setting, const std::string& item) {
    if (item.size() > 2 && item.starts_with('/') && item.ends_with('/')) {
      std::string pattern = item.substr(1, item.size() - 2);
      RE2::GlobalReplace(&pattern, R"(\\/)", "/");
      source_.add(setting, pattern);
    } else if (!item.empty()) {
      source_.add(setting, exactly(item));
    }
  }

  static std::string exactly(std::string_view text) {
    std::string pattern = "^";
    for (const char c : text) {
      if (std::string_view("\\.+*?()|[]{}^$").find(c) != std::string_view::npos) pattern += '\\';
      pattern += c;
    }
    return pattern + '$';
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  Source& source_;
  std::string_view text_;
  std::size_t at_ = 0;
};

// `is_own`: a file that only html-proofer uses; it must be readable.
void read_html_proofer(const fs::path& file, const std::string& name, bool is_own, Migration& into) {
  const Result<std::string> bytes = read_file_bytes(file, max_configuration_bytes, own_repository());
  if (bytes.has_error()) {
    if (is_own) throw CLI::ValidationError("init", fmt::format("{} {}", name, bytes.error().message));
    into.notes.push_back(fmt::format("{} {}, so it is not read", name, bytes.error().message));
    return;
  }
  const std::string text = parser::decode_text(*bytes).text;
  static const RE2 mention("(?i)html-?proofer");
  if (!is_own && !RE2::PartialMatch(text, mention)) return;
  Source source(into, name);
  HtmlProoferText(source, text).read();
}

std::vector<fs::path> workflows_in(const fs::path& root) {
  constexpr std::size_t max_files = 200;
  std::vector<fs::path> files;
  if (leads_out(root / ".github/workflows")) return files;
  std::error_code error;
  fs::directory_iterator entry(root / ".github/workflows", error);
  for (; !error && entry != fs::directory_iterator() && files.size() < max_files; entry.increment(error)) {
    const std::string extension = entry->path().extension().string();
    if (extension == ".yml" || extension == ".yaml") files.push_back(entry->path());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

Migration read_other_configurations(const fs::path& root) {
  Migration all;
  const auto is_file = [](const fs::path& file) {
    std::error_code error;
    return fs::exists(fs::symlink_status(file, error));
  };
  for (const char* const name : {"lychee.toml", ".lychee.toml", ".github/lychee.toml"}) {
    if (is_file(root / name)) read_lychee(root / name, Source(all, name));
  }
  if (is_file(root / ".lycheeignore")) {
    const Result<std::string> text = read_file_bytes(root / ".lycheeignore", max_configuration_bytes, own_repository());
    Source source(all, ".lycheeignore");
    if (text.has_error()) source.refuse(text.error().message);
    for (const SourcedPattern& pattern : patterns_in(parser::decode_text(*text).text, ".lycheeignore"))
      source.add("exclude", pattern.pattern);
  }
  for (const char* const name :
       {".markdown-link-check.json", "markdown-link-check.json", "mlc_config.json", ".mlc_config.json",
        ".github/mlc_config.json", ".github/workflows/mlc_config.json", ".github/markdown-link-check.json"}) {
    if (is_file(root / name)) read_markdown_link_check(root / name, Source(all, name));
  }
  for (const char* const name : {".htmlproofer.yml", ".htmlproofer.yaml", ".html-proofer.yml"}) {
    if (is_file(root / name)) read_html_proofer(root / name, name, true, all);
  }
  for (const char* const name : {"Rakefile", ".gitlab-ci.yml", ".travis.yml"}) {
    if (is_file(root / name)) read_html_proofer(root / name, name, false, all);
  }
  for (const fs::path& file : workflows_in(root))
    read_html_proofer(file, ".github/workflows/" + to_valid_utf8(file.filename().string()), false, all);
  return all;
}

}  // namespace linkherd::crawler
