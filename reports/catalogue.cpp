#include "reports/catalogue.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "parser/ascii.h"
#include "parser/lists/link_occurrence.h"
#include "parser/url/registrable_domain.h"
#include "parser/url/url.h"
#include "parser/utf8.h"
#include "reports/escape.h"
#include "reports/wording.h"
#include "storage/json_writer.h"
#include "storage/record_json.h"

namespace linkherd::reports {
namespace {

using parser::LinkOccurrence;
using parser::LinkRole;
using storage::JsonWriter;

constexpr int catalogue_schema = 1;

struct CatalogueEntry {
  std::string key;  // of the URL alone
  std::string url;  // as listed, resolved
  std::string final_url;
  LinkOccurrence listed;  // where it is the main link of an entry
  std::string title;
  std::vector<std::string> authors;
  std::string published;  // ISO 8601, as precise as the page
  std::string modified;
  std::string language;
  std::string site_name;
  std::string doi;
  double confidence = 0;       // in the title
  bool title_differs = false;  // the list calls it otherwise than the page itself
  storage::Verdict verdict;
  std::optional<storage::ArchivedCopy> archived_copy;
};

// White space becomes one blank; control characters and what changes the direction of a text are removed.
std::string one_line(std::string_view text) {
  std::string out;
  bool blank = false;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    at += point.length;
    const char32_t c = point.value;
    if (c == U' ' || (c >= U'\t' && c <= U'\r') || c == U'\u0085' || c == U'\u2028' || c == U'\u2029') {
      blank = !out.empty();
      continue;
    }
    const bool is_direction = (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
    if (c < 0x20 || (c >= 0x7F && c <= 0x9F) || is_direction) continue;
    if (std::exchange(blank, false)) out += ' ';
    append_utf8(out, c);
  }
  return out;
}

// The letters and digits of a title, to compare it with another.
std::string letters_of(std::string_view text) {
  std::string letters;
  for (const char c : text) {
    if (parser::is_ascii_alphanumeric(c) || !parser::is_ascii(c)) letters += parser::ascii_lower(c);
  }
  return letters;
}

bool titles_differ(std::string_view listed, std::string_view own) {
  const std::string a = letters_of(listed);
  const std::string b = letters_of(own);
  return !a.empty() && !b.empty() && a.find(b) == std::string::npos && b.find(a) == std::string::npos;
}

// A DOI that the URL itself names: at the resolver of the DOI foundation, or of a paper at arXiv, which registers all.
std::string doi_of(const std::string& href) {
  const Result<parser::Url> url = parser::Url::parse(href);
  if (!url) return {};
  const std::string_view path = url->path();
  if ((url->host() == "doi.org" || url->host() == "dx.doi.org") && path.starts_with("/10.")) {
    return std::string(path.substr(1));
  }
  if (url->host() != "arxiv.org" && url->host() != "www.arxiv.org") return {};
  for (const std::string_view folder : {"/abs/", "/pdf/", "/html/"}) {
    if (!path.starts_with(folder)) continue;
    std::string_view id = path.substr(folder.size());
    if (id.ends_with(".pdf")) id.remove_suffix(4);
    // "2401.01234v2": the DOI is that of all versions.
    const std::size_t version = id.rfind('v');
    const bool has_version = version != std::string_view::npos && version + 1 < id.size() &&
                             std::ranges::all_of(id.substr(version + 1), parser::is_ascii_digit);
    if (has_version) id = id.substr(0, version);
    const bool is_id = id.size() >= 9 && id.size() <= 10 && id[4] == '.' &&
                       std::ranges::all_of(id, [](char c) { return parser::is_ascii_digit(c) || c == '.'; });
    if (is_id) return fmt::format("10.48550/arXiv.{}", id);
  }
  return {};
}

// "zhihu-1a2b3c4d": what people recognise, and what makes it unique.
std::string key_of(const parser::Url& url) {
  std::string name;
  for (const char c : parser::registrable_domain(url)) {
    if (c == '.') break;
    if (parser::is_ascii_alphanumeric(c)) name += c;
  }
  return fmt::format("{}-{}", name.empty() ? "link" : name, storage::LinkId::of(url).to_hex().substr(0, 8));
}

// Where a link is the main link of an entry, else where it stands outside of all entries; null: nowhere.
const LinkOccurrence* listed_place(const std::vector<LinkOccurrence>& occurrences) {
  for (const LinkRole role : {LinkRole::main, LinkRole::prose}) {
    const auto place = std::ranges::find(occurrences, role, &LinkOccurrence::role);
    if (place != occurrences.end()) return &*place;
  }
  return nullptr;
}

std::optional<CatalogueEntry> entry_of(const storage::CheckedLink& link) {
  const LinkOccurrence* const place = listed_place(link.entry.occurrences);
  const Result<parser::Url> url = parser::Url::parse(link_url(link));
  if (place == nullptr || !url || !url->is_http()) return std::nullopt;
  const storage::Snapshot& snapshot = link.record.snapshot;
  const parser::Metadata& metadata = snapshot.metadata;
  CatalogueEntry entry;
  entry.key = key_of(*url);
  entry.url = url->href();
  entry.final_url = snapshot.final_url;
  entry.listed = *place;
  entry.listed.text = one_line(place->text);
  for (std::string& heading : entry.listed.headings) heading = one_line(heading);
  if (metadata.title) {
    entry.title = one_line(metadata.title->value);
    entry.confidence = metadata.title->confidence;
    entry.title_differs = titles_differ(entry.listed.text, entry.title);
  }
  if (metadata.authors) {
    for (const std::string& author : metadata.authors->value) entry.authors.push_back(one_line(author));
  }
  if (metadata.published) entry.published = one_line(metadata.published->value);
  if (metadata.modified) entry.modified = one_line(metadata.modified->value);
  if (metadata.language) entry.language = one_line(metadata.language->value);
  if (metadata.site_name) entry.site_name = one_line(metadata.site_name->value);
  entry.doi = doi_of(entry.url);
  if (entry.doi.empty()) entry.doi = doi_of(entry.final_url);
  entry.verdict = link.entry.verdict;
  if (const storage::ArchivedCopy* const copy = suggested_copy(link)) entry.archived_copy = *copy;
  return entry;
}

std::string_view health_of(const CatalogueEntry& entry) {
  return enum_name(storage::health_names, entry.verdict.health);
}

// What to call it: the page's own title, else that of the list, else the URL.
const std::string& name_of(const CatalogueEntry& entry) {
  if (!entry.title.empty()) return entry.title;
  return entry.listed.text.empty() ? entry.url : entry.listed.text;
}

std::string joined(const std::vector<std::string>& texts, std::string_view separator) {
  return fmt::format("{}", fmt::join(texts, separator));
}

// The year, month and day of an ISO 8601 date, as far as it goes.
std::vector<int> date_parts(std::string_view date) {
  std::vector<int> parts;
  for (const std::size_t length : {4U, 2U, 2U}) {
    int part = 0;
    const char* const begin = date.data();
    const auto read = std::from_chars(begin, begin + std::min(length, date.size()), part);
    if (read.ec != std::errc() || read.ptr != begin + length) break;
    parts.push_back(part);
    date.remove_prefix(length);
    if (!date.starts_with('-')) break;
    date.remove_prefix(1);
  }
  return parts;
}

class CatalogueWriter {
 public:
  virtual ~CatalogueWriter() = default;
  virtual void begin() {}
  virtual void write(const CatalogueEntry& entry) = 0;
  virtual void end() {}

 protected:
  explicit CatalogueWriter(std::ostream& out) : out_(out) {}
  std::ostream& out_;  // NOLINT(cppcoreguidelines-non-private-member-variables-in-classes)
};

class CsvCatalogue final : public CatalogueWriter {
 public:
  explicit CsvCatalogue(std::ostream& out) : CatalogueWriter(out) {}

  void begin() override {
    out_ << "key,listed_title,title,title_differs,authors,published,modified,site_name,language,doi,url,final_url,"
            "health,reason,"
            "confidence,archived_copy,headings,file\r\n";
  }
  void write(const CatalogueEntry& entry) override {
    const std::vector<std::string> cells{
        entry.key,
        entry.listed.text,
        entry.title,
        entry.title_differs ? "true" : "false",
        joined(entry.authors, "; "),
        entry.published,
        entry.modified,
        entry.site_name,
        entry.language,
        entry.doi,
        entry.url,
        entry.final_url,
        std::string(health_of(entry)),
        entry.verdict.reason,
        entry.title.empty() ? "" : fmt::format("{:.2f}", entry.confidence),
        entry.archived_copy ? entry.archived_copy->url : "",
        joined(entry.listed.headings, " > "),
        one_line(entry.listed.file),
    };
    std::string line;
    for (const std::string& cell : cells) line.append(line.empty() ? "" : ",").append(csv_cell(cell));
    out_ << line << "\r\n";
  }
};

class JsonCatalogue final : public CatalogueWriter {
 public:
  explicit JsonCatalogue(std::ostream& out) : CatalogueWriter(out) {}

  void begin() override { out_ << "{\"schema\":" << catalogue_schema << ",\n\"entries\":["; }
  void write(const CatalogueEntry& entry) override {
    std::string text;
    JsonWriter json(text);
    json.begin_object();
    json.member("key", entry.key);
    json.member("url", entry.url);
    json.member("final_url", storage::or_null(entry.final_url));
    json.member("file", entry.listed.file);
    json.member("headings", entry.listed.headings);
    json.member("listed_title", storage::or_null(entry.listed.text));
    json.member("title", storage::or_null(entry.title));
    json.member("title_differs", entry.title_differs);
    json.member("authors", entry.authors);
    json.member("published", storage::or_null(entry.published));
    json.member("modified", storage::or_null(entry.modified));
    json.member("language", storage::or_null(entry.language));
    json.member("site_name", storage::or_null(entry.site_name));
    json.member("doi", storage::or_null(entry.doi));
    json.member("confidence", entry.title.empty() ? std::nullopt : std::optional(entry.confidence));
    json.member("health", health_of(entry));
    json.member("reason", entry.verdict.reason);
    json.member("archived_copy", entry.archived_copy);
    json.end_object();
    out_ << std::exchange(separator_, ",\n") << escape_json(text);
  }
  void end() override { out_ << "]}\n"; }

 private:
  const char* separator_ = "\n";
};

class CslCatalogue final : public CatalogueWriter {
 public:
  explicit CslCatalogue(std::ostream& out) : CatalogueWriter(out) {}

  void begin() override { out_ << "["; }
  void write(const CatalogueEntry& entry) override {
    std::string text;
    JsonWriter json(text);
    json.begin_object();
    json.member("id", entry.key);
    json.member("type", "webpage");
    json.member("title", name_of(entry));
    if (!entry.authors.empty()) write_authors(json, entry.authors);
    write_date(json, "issued", entry.published);
    if (!entry.site_name.empty()) json.member("container-title", entry.site_name);
    if (!entry.language.empty()) json.member("language", entry.language);
    if (!entry.doi.empty()) json.member("DOI", entry.doi);
    json.member("URL", entry.url);
    if (entry.archived_copy) json.member("archive_location", entry.archived_copy->url);
    json.end_object();
    out_ << std::exchange(separator_, ",\n") << escape_json(text);
  }
  void end() override { out_ << "]\n"; }

 private:
  // Which part of a name is the family's is not known.
  static void write_authors(JsonWriter& json, const std::vector<std::string>& authors) {
    json.key("author");
    json.begin_array();
    for (const std::string& author : authors) {
      json.begin_object();
      json.member("literal", author);
      json.end_object();
    }
    json.end_array();
  }
  static void write_date(JsonWriter& json, std::string_view name, std::string_view date) {
    const std::vector<int> parts = date_parts(date);
    if (parts.empty()) return;
    json.key(name);
    json.begin_object();
    json.key("date-parts");
    json.begin_array();
    write_json(json, parts);
    json.end_array();
    json.end_object();
  }

  const char* separator_ = "\n";
};

class BibtexCatalogue final : public CatalogueWriter {
 public:
  explicit BibtexCatalogue(std::ostream& out) : CatalogueWriter(out) {}

  void write(const CatalogueEntry& entry) override {
    out_ << "@misc{" << entry.key;
    field("title", "{" + escape_for_bibtex(name_of(entry)) + "}");  // braces keep its letters' case
    std::vector<std::string> authors;
    // In braces, so that neither commas nor "and" split a name.
    for (const std::string& author : entry.authors) authors.push_back("{" + escape_for_bibtex(author) + "}");
    field("author", joined(authors, " and "));
    const std::vector<int> date = date_parts(entry.published);
    if (!date.empty()) field("year", std::to_string(date[0]));
    if (date.size() > 1) field("month", std::to_string(date[1]));
    field("howpublished", escape_for_bibtex(entry.site_name));
    field("doi", bibtex_url(entry.doi));
    field("url", bibtex_url(entry.url));
    field("language", escape_for_bibtex(entry.language));
    out_ << "\n}\n\n";
  }

 private:
  void field(std::string_view name, const std::string& value) {
    if (!value.empty() && value != "{}") out_ << ",\n  " << name << " = {" << value << "}";
  }
};

class MarkdownCatalogue final : public CatalogueWriter {
 public:
  explicit MarkdownCatalogue(std::ostream& out) : CatalogueWriter(out) {}

  void write(const CatalogueEntry& entry) override {
    write_headings(entry.listed.headings);
    const std::string& listed = entry.listed.text.empty() ? name_of(entry) : entry.listed.text;
    std::string line = fmt::format("- [{}]({})", escape_for_markdown(listed), markdown_destination(entry.url));
    std::vector<std::string> more;
    if (!entry.title.empty() && entry.title_differs) more.push_back("*" + escape_for_markdown(entry.title) + "*");
    if (!entry.authors.empty()) more.push_back(escape_for_markdown(joined(entry.authors, ", ")));
    if (!entry.published.empty()) more.push_back(escape_for_markdown(truncate_utf8(entry.published, 10)));
    if (!is_there(entry.verdict)) {
      more.push_back(
          fmt::format("**{}**: {}", health_of(entry), escape_for_markdown(one_line(reason_in_words(entry.verdict)))));
    }
    if (entry.archived_copy) {
      more.push_back(fmt::format("[archived copy]({})", markdown_destination(entry.archived_copy->url)));
    }
    if (!more.empty()) line += " — " + joined(more, ", ");
    out_ << line << "\n";
    wrote_entry_ = true;
  }

 private:
  // Those that are not the same as above the entry before.
  void write_headings(const std::vector<std::string>& headings) {
    constexpr std::size_t deepest = 6;
    const auto common = std::ranges::mismatch(headings_, headings);
    const auto same = static_cast<std::size_t>(common.in2 - headings.begin());
    if (same == headings.size() && same == headings_.size()) return;
    for (std::size_t level = same; level < headings.size(); ++level) {
      out_ << (wrote_entry_ || level > 0 ? "\n" : "") << std::string(std::min(level + 1, deepest), '#') << ' '
           << escape_for_markdown(headings[level]) << "\n";
    }
    out_ << "\n";
    headings_ = headings;
  }

  std::vector<std::string> headings_;
  bool wrote_entry_ = false;
};

// The numbers of the links in the order of their entries, which may not be that of their first places. Files keep the
// order of the lists.
std::vector<std::size_t> in_order_of_entries(const storage::CheckedLinks& links) {
  std::unordered_map<std::string, std::size_t> files;
  std::vector<std::tuple<std::size_t, unsigned, unsigned, std::size_t>> places;
  for (std::size_t number = 0; number < links.size(); ++number) {
    const std::vector<LinkOccurrence> occurrences = links.occurrences(number);
    const LinkOccurrence* const place = listed_place(occurrences);
    if (place == nullptr) continue;
    const std::size_t file = files.emplace(place->file, files.size()).first->second;
    places.emplace_back(file, place->line, place->column, number);
  }
  std::ranges::sort(places);
  std::vector<std::size_t> numbers;
  numbers.reserve(places.size());
  for (const auto& place : places) numbers.push_back(std::get<3>(place));
  return numbers;
}

void write_all(CatalogueWriter&& writer, const storage::CheckedLinks& links) {
  writer.begin();
  for (const std::size_t number : in_order_of_entries(links)) {
    if (const auto entry = entry_of(links.at(number))) writer.write(*entry);
  }
  writer.end();
}

}  // namespace

void write_catalogue(std::ostream& out, const storage::CheckedLinks& links, CatalogueFormat format) {
  switch (format) {
    case CatalogueFormat::csv: return write_all(CsvCatalogue(out), links);
    case CatalogueFormat::json: return write_all(JsonCatalogue(out), links);
    case CatalogueFormat::csl_json: return write_all(CslCatalogue(out), links);
    case CatalogueFormat::bibtex: return write_all(BibtexCatalogue(out), links);
    case CatalogueFormat::markdown: return write_all(MarkdownCatalogue(out), links);
  }
}

}  // namespace linkherd::reports
