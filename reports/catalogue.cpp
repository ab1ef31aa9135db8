#include "reports/catalogue.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "parser/ascii.h"
#include "parser/join.h"
#include "parser/lists/link_occurrence.h"
#include "parser/metadata/identifiers.h"
#include "parser/metadata/text_values.h"
#include "parser/url/registrable_domain.h"
#include "parser/url/url.h"
#include "parser/utf8.h"
#include "reports/escape.h"
#include "reports/messages.h"
#include "reports/report_rows.h"
#include "storage/json_writer.h"
#include "storage/record_json.h"

namespace linkherd::reports {
namespace {

using parser::LinkElement;
using parser::LinkOccurrence;
using parser::LinkRole;
using storage::JsonWriter;

constexpr int catalogue_schema = 1;

struct CatalogueEntry {
  std::string key;  // depends only on the URL
  std::string url;  // as listed, resolved
  std::string final_url;
  LinkOccurrence listed;  // the occurrence as the main link of an entry
  std::string title;
  std::vector<std::string> authors;
  std::string published;  // ISO 8601, as precise as the page states it
  std::string modified;
  std::string language;
  std::string site_name;
  std::string doi;
  double confidence = 0;       // confidence of the title
  bool title_differs = false;  // the list has another title than the page
  storage::Verdict verdict;
  std::optional<storage::ArchivedCopy> archived_copy;
  std::optional<storage::Relocation> relocation;
};

bool titles_differ(std::string_view listed, std::string_view own) {
  const std::string a = parser::extract_letters(listed);
  const std::string b = parser::extract_letters(own);
  return !a.empty() && !b.empty() && a.find(b) == std::string::npos && b.find(a) == std::string::npos;
}

// Returns the DOI of an entry. A DOI in the list takes precedence, because the page may state the DOI of another
// version.
std::string doi_of_entry(const CatalogueEntry& entry, const parser::Metadata& metadata) {
  const auto of_address = [](const std::string& href) {
    const Result<parser::Url> url = parser::Url::parse(href);
    return url ? parser::find_doi(*url) : std::string();
  };
  if (std::string doi = of_address(entry.url); !doi.empty()) return doi;
  if (metadata.doi) return one_line(metadata.doi->value);
  return of_address(entry.final_url);
}

// Returns a key such as "zhihu-1a2b3c4d5e6f": a name that people recognise, and digits that make it unique.
std::string key_of(const parser::Url& url) {
  constexpr std::size_t digits = 12;
  std::string name;
  for (const char c : parser::registrable_domain(url)) {
    if (c == '.') break;
    if (parser::is_ascii_alphanumeric(c)) name += c;
  }
  return fmt::format("{}-{}", name.empty() ? "link" : name, storage::content_digest(url.href()).substr(0, digits));
}

bool is_text_link(const LinkOccurrence& occurrence) {
  return occurrence.element != LinkElement::image && occurrence.element != LinkElement::resource &&
         occurrence.element != LinkElement::form && occurrence.element != LinkElement::refresh;
}

// Returns the verdict of this run, or the earlier one if the run did not reach the link.
const storage::Verdict& known_verdict(const storage::CheckedLink& link) {
  const storage::Verdict& verdict = link.result.verdict;
  const bool is_known = link.state.snapshot.fetched_at != Timestamp{};
  return verdict.health == storage::Health::deferred && is_known ? link.state.snapshot.verdict : verdict;
}

// `occurrence` is one of the link's occurrences. Returns nullopt for anything but a web link.
std::optional<CatalogueEntry> entry_of(const storage::CheckedLink& link, const LinkOccurrence& occurrence) {
  const Result<parser::Url> url = parser::Url::parse(occurrence.href);
  if (!url || !url->is_http()) return std::nullopt;
  const storage::Snapshot& snapshot = link.state.snapshot;
  const parser::Metadata& metadata = snapshot.metadata;
  CatalogueEntry entry;
  entry.key = key_of(*url);
  entry.url = url->href();
  entry.final_url = snapshot.final_url;
  entry.listed = occurrence;
  entry.listed.text = one_line(occurrence.text);
  entry.listed.description = one_line(occurrence.description);
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
  entry.doi = doi_of_entry(entry, metadata);
  entry.verdict = known_verdict(link);
  if (const storage::ArchivedCopy* const copy = suggested_copy(link)) entry.archived_copy = *copy;
  if (const storage::Relocation* const relocation = suggested_relocation(link)) entry.relocation = *relocation;
  return entry;
}

std::string_view health_of(const CatalogueEntry& entry) {
  return enum_name(storage::health_names, entry.verdict.health);
}

// Returns the title of the page, else that of the list, else the URL.
const std::string& name_of(const CatalogueEntry& entry) {
  if (!entry.title.empty()) return entry.title;
  return entry.listed.text.empty() ? entry.url : entry.listed.text;
}

std::string joined(const std::vector<std::string>& texts, std::string_view separator) { return join(texts, separator); }

// Returns the year, month and day of an ISO 8601 date, as far as they are given.
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
            "confidence,archived_copy,relocated,relocation_level,headings,file,listed_description\r\n";
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
        entry.relocation ? one_line(entry.relocation->url) : "",
        entry.relocation ? std::string(enum_name(storage::relocation_level_names, entry.relocation->level)) : "",
        joined(entry.listed.headings, " > "),
        one_line(entry.listed.file),
        entry.listed.description,
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
    json.member("listed_description", storage::or_null(entry.listed.description));
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
    json.member("relocated", entry.relocation);
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
  // Writes full names, because it is unknown which part is the family name.
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
    field("title", "{" + escape_for_bibtex(name_of(entry)) + "}");  // braces keep the case of letters
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
  // If there are several files, entries appear under the names of their files.
  MarkdownCatalogue(std::ostream& out, bool names_files) : CatalogueWriter(out), names_files_(names_files) {}

  void write(const CatalogueEntry& entry) override {
    write_headings(entry.listed);
    const std::string& listed = entry.listed.text.empty() ? name_of(entry) : entry.listed.text;
    std::string line = fmt::format("- [{}]({})", escape_for_markdown(listed), markdown_destination(entry.url));
    if (!entry.listed.description.empty()) line += " - " + escape_for_markdown(entry.listed.description);
    std::vector<std::string> more;
    if (!entry.title.empty() && entry.title_differs) more.push_back("*" + escape_for_markdown(entry.title) + "*");
    if (!entry.authors.empty()) more.push_back(escape_for_markdown(joined(entry.authors, ", ")));
    if (!entry.published.empty()) more.push_back(escape_for_markdown(truncate_utf8(entry.published, 10)));
    if (!page_exists(entry.verdict)) {
      more.push_back(
          fmt::format("**{}**: {}", health_of(entry), escape_for_markdown(one_line(describe_reason(entry.verdict)))));
    }
    if (entry.relocation) {
      const std::string target = clickable_url(entry.relocation->url);
      const std::string shown = brief(readable_url(entry.relocation->url));
      more.push_back(fmt::format("{} {}", describe_level(entry.relocation->level),
                                 target.empty() ? escape_for_markdown(shown) : markdown_link(shown, target)));
    }
    if (entry.archived_copy) {
      more.push_back(fmt::format("[archived copy]({})", markdown_destination(entry.archived_copy->url)));
    }
    if (!more.empty()) line += " — " + joined(more, ", ");
    out_ << line << "\n";
  }

 private:
  // Writes the headings that differ from those of the entry before.
  void write_headings(const LinkOccurrence& listed) {
    constexpr std::size_t max_level = 6;
    std::vector<std::string> headings;
    if (names_files_) headings.push_back(one_line(listed.file));
    headings.insert(headings.end(), listed.headings.begin(), listed.headings.end());
    if (headings == headings_) return;
    const auto common = std::ranges::mismatch(headings_, headings);
    auto same = static_cast<std::size_t>(common.in2 - headings.begin());
    if (same == headings.size() && same > 0) --same;  // a subsection ended; its parent continues
    for (std::size_t level = same; level < headings.size(); ++level) {
      out_ << (headings_.empty() && level == 0 ? "" : "\n") << std::string(std::min(level + 1, max_level), '#') << ' '
           << escape_for_markdown(headings[level]) << "\n";
    }
    out_ << "\n";
    headings_ = std::move(headings);
  }

  const bool names_files_;
  std::vector<std::string> headings_;
};

// The position of a listed entry: a link and one of its occurrences.
struct ListedOccurrence {
  std::size_t file = 0;  // in list order
  unsigned line = 0;
  unsigned column = 0;
  std::size_t link = 0;
  std::size_t occurrence = 0;

  auto operator<=>(const ListedOccurrence&) const =
      default;  // NOLINT(modernize-use-nullptr): false alarm of clang-tidy 14
};

struct ListedOccurrences {
  std::vector<ListedOccurrence> occurrences;  // sorted
  std::size_t files = 0;
};

// Finds the occurrences that are main links of entries. Each URL is listed once; URLs with different fragments are
// different entries. In a file without entries, such as a plain text, each text link is an entry.
ListedOccurrences find_listed_occurrences(const storage::CheckedLinks& links) {
  constexpr std::size_t max_urls_per_link = 1000;  // each may need all occurrences of the link
  std::unordered_map<std::string, std::size_t> files;
  std::unordered_set<std::size_t> with_entries;
  std::vector<std::pair<ListedOccurrence, bool>> found;  // and whether it is in prose
  for (std::size_t index = 0; index < links.size(); ++index) {
    const std::vector<LinkOccurrence> occurrences = links.occurrences(index);
    std::unordered_set<std::string_view> main_urls, prose_urls;
    for (std::size_t i = 0; i < occurrences.size(); ++i) {
      const LinkOccurrence& occurrence = occurrences[i];
      const std::size_t file = files.emplace(occurrence.file, files.size()).first->second;
      const CatalogueRole role = catalogue_role(occurrence);
      const bool in_prose = role == CatalogueRole::prose;
      if (role == CatalogueRole::entry) with_entries.insert(file);
      if (role == CatalogueRole::none) continue;
      std::unordered_set<std::string_view>& urls = in_prose ? prose_urls : main_urls;
      if (urls.size() < max_urls_per_link && urls.insert(occurrence.href).second) {
        found.emplace_back(ListedOccurrence{file, occurrence.line, occurrence.column, index, i}, in_prose);
      }
    }
  }
  ListedOccurrences listed{.occurrences = {}, .files = files.size()};
  for (const auto& [occurrence, in_prose] : found) {
    if (!in_prose || !with_entries.contains(occurrence.file)) listed.occurrences.push_back(occurrence);
  }
  std::ranges::sort(listed.occurrences);
  return listed;
}

void write_all(CatalogueWriter&& writer, const storage::CheckedLinks& links, const ListedOccurrences& listed) {
  std::unordered_set<std::string> written;
  writer.begin();
  storage::CheckedLink link;
  std::optional<std::size_t> index;  // number of `link`
  for (const ListedOccurrence& listed_occurrence : listed.occurrences) {
    if (index != listed_occurrence.link) link = links.at(listed_occurrence.link);
    index = listed_occurrence.link;
    const LinkOccurrence& occurrence = link.result.occurrences.at(listed_occurrence.occurrence);
    const auto entry = entry_of(link, occurrence);
    if (entry && written.insert(entry->key).second) writer.write(*entry);
  }
  writer.end();
}

}  // namespace

CatalogueRole catalogue_role(const LinkOccurrence& occurrence) {
  if (occurrence.role == LinkRole::main) return CatalogueRole::entry;
  return occurrence.role == LinkRole::prose && is_text_link(occurrence) ? CatalogueRole::prose : CatalogueRole::none;
}

void write_catalogue(std::ostream& out, const storage::CheckedLinks& links, CatalogueFormat format) {
  const ListedOccurrences listed = find_listed_occurrences(links);
  switch (format) {
    case CatalogueFormat::csv: return write_all(CsvCatalogue(out), links, listed);
    case CatalogueFormat::json: return write_all(JsonCatalogue(out), links, listed);
    case CatalogueFormat::csl_json: return write_all(CslCatalogue(out), links, listed);
    case CatalogueFormat::bibtex: return write_all(BibtexCatalogue(out), links, listed);
    case CatalogueFormat::markdown: return write_all(MarkdownCatalogue(out, listed.files > 1), links, listed);
  }
}

}  // namespace linkherd::reports
