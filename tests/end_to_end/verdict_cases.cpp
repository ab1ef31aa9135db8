#include "tests/end_to_end/verdict_cases.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "parser/url/url.h"
#include "tests/end_to_end/linkherd_run.h"
#include "tests/end_to_end/page_template.h"
#include "tests/support/temp_dir.h"

namespace linkherd::tests {
namespace {

namespace fs = std::filesystem;

template <class Value>
using Names = std::map<std::string_view, Value>;

const Names<DnsKind> dns_names{
    {"not_found", DnsKind::not_found}, {"no_data", DnsKind::no_data}, {"server_failure", DnsKind::server_failure}};
const Names<CertificateKind> certificate_names{{"expired", CertificateKind::expired},
                                               {"not_yet_valid", CertificateKind::not_yet_valid},
                                               {"self_signed", CertificateKind::self_signed},
                                               {"wrong_host", CertificateKind::wrong_host},
                                               {"untrusted_authority", CertificateKind::untrusted_authority},
                                               {"intermediate_missing", CertificateKind::intermediate_missing},
                                               {"intermediate_at_url", CertificateKind::intermediate_at_url},
                                               {"expired_intermediate", CertificateKind::expired_intermediate},
                                               {"signed_by_old_key", CertificateKind::signed_by_old_key},
                                               {"only_common_name", CertificateKind::only_common_name},
                                               {"for_clients", CertificateKind::for_clients}};
const Names<Delivery> delivery_names{{"chunked", Delivery::chunked}, {"until_close", Delivery::until_close},
                                     {"close", Delivery::close},     {"reset_early", Delivery::reset_early},
                                     {"raw", Delivery::raw},         {"cut", Delivery::cut}};

// Reads one table of a file. Errors name the file and the line.
class Fields {
 public:
  Fields(const fs::path& file, const toml::table& table) : file_(file), table_(table) {}

  [[noreturn]] void refuse(std::string_view what) const {
    throw std::runtime_error(fmt::format("{}:{}: {}", file_.string(), table_.source().begin.line, what));
  }
  std::string text(std::string_view key) const { return table_[key].value_or(std::string()); }
  int number(std::string_view key, int otherwise) const { return table_[key].value_or(otherwise); }
  bool has(std::string_view key) const { return table_.contains(key); }
  std::vector<std::string> texts(std::string_view key) const {
    std::vector<std::string> all;
    if (const toml::array* list = table_[key].as_array()) {
      for (const toml::node& item : *list) all.push_back(item.value_or(std::string()));
    }
    return all;
  }
  template <class Value>
  Value named(std::string_view key, const Names<Value>& names, Value otherwise) const {
    if (!has(key)) return otherwise;
    const auto found = names.find(text(key));
    if (found == names.end()) refuse(fmt::format("{} is unknown", key));
    return found->second;
  }
  std::vector<Fields> tables(std::string_view key) const {
    std::vector<Fields> all;
    if (const toml::array* list = table_[key].as_array()) {
      for (const toml::node& item : *list) all.emplace_back(file_, *item.as_table());
    }
    return all;
  }
  void refuse_unknown_keys(std::initializer_list<std::string_view> known) const {
    for (const auto& [key, value] : table_) {
      if (std::ranges::find(known, key.str()) == known.end()) refuse(fmt::format("{} is not a valid key", key.str()));
    }
  }

 private:
  fs::path file_;
  const toml::table& table_;
};

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size()) {
    text.replace(at, what.size(), with);
  }
  return text;
}

std::string framed_page(const Fields& fields, const std::string& host, const std::string& charset) {
  std::map<std::string, std::string> values{{"charset", charset}, {"host", host}, {"lang", "en"}};
  if (fields.has("lang")) values["lang"] = fields.text("lang");
  for (const char* key : {"title", "head", "main"}) values[key] = fields.text(key);
  return filled_template("../verdicts/frames/" + fields.text("frame"), values);
}

Page read_page(const Fields& fields, const std::string& host) {
  Page page;
  page.status = fields.number("status", 200);
  page.delivery = fields.named("delivery", delivery_names, Delivery::whole);
  const std::string charset = fields.has("charset") ? fields.text("charset") : "utf-8";
  const std::string text = fields.has("frame") ? framed_page(fields, host, charset) : fields.text("page");
  page.body = charset == "utf-8" ? text : encoded(text, charset);
  // Servers of pages in old encodings rarely declare the encoding; the page does.
  const std::string type = charset == "utf-8" ? "text/html; charset=utf-8" : "text/html";
  page.headers.emplace_back("Content-Type", fields.has("content_type") ? fields.text("content_type") : type);
  for (const std::string& line : fields.texts("headers")) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) fields.refuse("a header wants a colon");
    const std::string value = line.substr(std::min(line.size(), line.find_first_not_of(' ', colon + 1)));
    if (line.starts_with("Content-Type:")) page.headers.clear();
    page.headers.emplace_back(line.substr(0, colon), value);
  }
  return page;
}

// A redirect to the value of `to`. Its target gets the page of the case, unless another response is given for it.
Page redirect_to(const Fields& fields) { return redirect_page(fields.number("status", 302), fields.text("to")); }

struct HostAndTarget {
  std::string host;
  std::string target;
};

HostAndTarget split_url(const std::string& text) {
  const auto url = parser::Url::parse(text);
  if (url.has_error()) throw std::runtime_error("no URL: " + text);
  std::string target(url->path());
  if (url->has_query()) target += "?" + std::string(url->query());
  return {std::string(url->host()), target};
}

std::string path_of(const std::string& target) { return target.substr(0, target.find('?')); }

void add_answers(const Fields& fields, VerdictCase& made) {
  for (const Fields& answer : fields.tables("answer")) {
    answer.refuse_unknown_keys({"host", "path", "look", "attempt", "header", "status", "headers", "content_type",
                                "charset", "page", "frame", "lang", "title", "head", "main", "to", "delivery"});
    const bool moves = answer.has("to");
    made.answers.push_back({answer.text("host"), answer.text("path"), answer.number("look", 0),
                            answer.number("attempt", 0), answer.text("header"),
                            moves ? redirect_to(answer) : read_page(answer, made.host)});
  }
  if (fields.has("to")) {
    const HostAndTarget there = split_url(fields.text("to"));
    if (fields.has("frame") || fields.has("page")) {
      Page page = read_page(fields, made.host);
      page.status = 200;
      made.answers.push_back({there.host, path_of(there.target), 0, 0, {}, std::move(page)});
    }
    made.answers.push_back({{}, {}, 0, 0, {}, redirect_to(fields)});
  } else {
    made.answers.push_back({{}, {}, 0, 0, {}, read_page(fields, made.host)});
  }
}

std::vector<std::string> usual_healths(Label label) {
  switch (label) {
    case Label::gone: return {"dead", "suspect"};
    case Label::walled: return {"blocked"};
    default: return {"alive", "redirected"};
  }
}

VerdictCase read_case(const Fields& fields) {
  fields.refuse_unknown_keys({"url",   "want",   "health",  "text",    "looks",  "others",   "dns",
                              "tls",   "status", "headers", "charset", "page",   "frame",    "lang",
                              "title", "head",   "main",    "to",      "answer", "delivery", "content_type"});
  VerdictCase made;
  made.url = fields.text("url");
  const HostAndTarget address = split_url(made.url);
  made.host = address.host;
  made.target = address.target;
  const auto* label = std::ranges::find(label_names, fields.text("want"));
  if (label == label_names.end()) fields.refuse("want is unknown");
  made.label = static_cast<Label>(label - label_names.begin());
  made.healths = fields.has("health") ? fields.texts("health") : usual_healths(made.label);
  made.entry = replaced(fields.text("text"), "{}", made.url);
  made.run_count = fields.number("looks", 1);
  const bool usually_same = made.label == Label::gone || made.label == Label::walled;
  made.same_everywhere = fields.has("others") ? fields.text("others") == "same" : usually_same;
  if (fields.has("dns")) made.dns = dns_failure(fields.named("dns", dns_names, DnsKind::not_found));
  made.certificate = fields.named("tls", certificate_names, CertificateKind::trusted);
  add_answers(fields, made);
  return made;
}

Page page_not_found() {
  Page page = html_page(
      "<html>\r\n<head><title>404 Not Found</title></head>\r\n<body>\r\n<center><h1>404 Not Found</h1></center>\r\n"
      "<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n");
  page.status = 404;
  return page;
}

// The host of one or more cases, which responds as they specify.
class CaseHost {
 public:
  CaseHost(std::string name, const int& run) : name_(std::move(name)), run_(run) {}
  void add(const VerdictCase& one) { cases_.push_back(&one); }

  Page answer(const ReceivedRequest& request) {
    if (request.target == "/robots.txt") return page_not_found();
    const std::lock_guard lock(mutex_);
    const int attempt = ++attempts_[{request.target, run_}];
    for (const VerdictCase* one : cases_) {
      for (const ScriptedResponse& scripted : one->answers) {
        if (fits(*one, scripted, request, attempt)) return scripted.page;
      }
    }
    for (const VerdictCase* one : cases_) {
      if (one->host == name_ && one->same_everywhere) return one->answers.back().page;
    }
    return page_not_found();
  }

 private:
  bool fits(const VerdictCase& one, const ScriptedResponse& scripted, const ReceivedRequest& request,
            int attempt) const {
    if ((scripted.host.empty() ? one.host : scripted.host) != name_) return false;
    if (scripted.run != 0 && scripted.run != run_) return false;
    if (scripted.attempt != 0 && scripted.attempt != attempt) return false;
    if (!scripted.header.empty() && request.header(scripted.header).empty()) return false;
    if (!scripted.path.empty()) return path_of(request.target) == scripted.path;
    return !scripted.host.empty() || request.target == one.target;
  }

  std::string name_;
  const int& run_;
  std::vector<const VerdictCase*> cases_;
  std::mutex mutex_;
  std::map<std::pair<std::string, int>, int> attempts_;
};

// Returns the URL of a saved page. Invents one if the page has none, or if a run would not request it.
std::string saved_page_url(const std::string& own, std::size_t number) {
  const auto url = parser::Url::parse(own);
  const bool is_asked = url.has_value() && url->is_http() && url->host().find("example.") == std::string_view::npos &&
                        !url->host().ends_with(".example") && !url->host().ends_with(".test");
  return is_asked ? std::string(url->href_without_fragment()) : fmt::format("https://saved.herd/pages/{}", number);
}

}  // namespace

bool VerdictCase::is_held_out() const {
  std::uint32_t hash = 2166136261U;  // FNV-1a: the same everywhere
  for (const char c : host) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash % 3 == 0;
}

std::vector<VerdictCase> read_verdict_cases(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  std::vector<VerdictCase> cases;
  for (const fs::path& file : files) {
    const toml::table document = toml::parse_file(file.string());
    for (const Fields& fields : Fields(file, document).tables("case")) cases.push_back(read_case(fields));
  }
  return cases;
}

// Returns the titles by file name. Empty if the file does not exist.
std::map<std::string, std::string> read_titles(const fs::path& file) {
  std::map<std::string, std::string> titles;
  if (!fs::exists(file)) return titles;
  for (const boost::json::object& line : json_lines(read_file(file))) {
    if (line.contains("title")) titles[std::string(line.at("page").as_string())] = line.at("title").as_string();
  }
  return titles;
}

namespace {

// Returns additional data of saved pages by the file name without extension.
std::map<std::string, std::string> read_notes(const char* name) {
  std::ifstream file(fs::path(LINKHERD_SOURCE_DIR) / "tests/end_to_end/verdicts" / name);
  std::map<std::string, std::string> notes;
  for (std::string line; std::getline(file, line);) {
    const std::size_t tab = line.find('\t');
    if (tab != std::string::npos) notes[line.substr(0, tab)] = line.substr(tab + 1);
  }
  return notes;
}

}  // namespace

std::vector<VerdictCase> read_saved_pages(const fs::path& folder) {
  std::ifstream manifest(folder / "manifest.tsv");
  if (!manifest) throw std::runtime_error("no manifest.tsv in " + folder.string());
  const std::map<std::string, std::string> titles = read_titles(folder / "gold.jsonl");
  std::map<std::string, std::string> translated = read_notes("translated_entries.tsv");
  std::map<std::string, std::string> languages = read_notes("page_languages.tsv");
  std::vector<VerdictCase> cases;
  std::map<std::string, std::string> files;  // by URL
  for (std::string line; std::getline(manifest, line);) {
    const std::size_t tab = std::min(line.find('\t'), line.size());
    const std::string file = line.substr(0, tab);
    VerdictCase made;
    made.url = saved_page_url(line.substr(std::min(tab + 1, line.size())), cases.size());
    if (files.try_emplace(made.url, file).first->second != file) made.url = saved_page_url({}, cases.size());
    const HostAndTarget address = split_url(made.url);
    made.host = address.host;
    made.target = address.target;
    made.healths = usual_healths(Label::alive);
    made.entry = "- <" + made.url + ">";
    const auto title = titles.find(fs::path(file).filename().string());
    if (title != titles.end()) made.title = title->second;
    const std::string name = fs::path(file).stem().string();
    made.translated = translated[name];
    made.language = languages[name];
    made.answers.push_back({{}, {}, 0, 0, {}, html_page(read_file(folder / file), "text/html")});
    cases.push_back(std::move(made));
  }
  return cases;
}

void plant_verdict_cases(const std::vector<VerdictCase>& cases, const int& run, SmallInternet& internet) {
  std::map<std::string, std::shared_ptr<CaseHost>> hosts;
  const auto add = [&](const std::string& host, const VerdictCase& one) {
    std::shared_ptr<CaseHost>& known = hosts[host];
    if (!known) known = std::make_shared<CaseHost>(host, run);
    known->add(one);
  };
  for (const VerdictCase& one : cases) {
    if (one.dns.kind != DnsKind::answer) {
      internet.dns(one.host, one.dns);
      continue;
    }
    std::vector<std::string> names{one.host};
    for (const ScriptedResponse& answer : one.answers) {
      if (!answer.host.empty()) names.push_back(answer.host);
    }
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    for (const std::string& name : names) add(name, one);
    if (one.certificate != CertificateKind::trusted) internet.tls(one.host, one.certificate);
  }
  internet.serve_issuers();
  for (const auto& [name, host] : hosts) {
    internet.host(name).handler([host](const ReceivedRequest& request) { return host->answer(request); });
  }
}

}  // namespace linkherd::tests
