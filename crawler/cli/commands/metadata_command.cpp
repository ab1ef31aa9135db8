// `linkherd metadata`: extracts title, authors, dates and more from saved pages and web archives. Never uses the
// network.
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "crawler/cli/command.h"
#include "crawler/cli/first_problems.h"
#include "crawler/cli/options/option_table.h"
#include "crawler/cli/pdf_process.h"
#include "crawler/cli/process.h"
#include "crawler/clock/clock.h"
#include "crawler/fetch/http/decode_body.h"
#include "crawler/fetch/http/response_headers.h"
#include "crawler/fetch/http/saved_response.h"
#include "crawler/sources/file_bytes.h"
#include "crawler/sources/folder_documents.h"
#include "crawler/sources/source.h"
#include "parser/ascii.h"
#include "parser/enum_names.h"
#include "parser/html/charset.h"
#include "parser/html/html_document.h"
#include "parser/inflate.h"
#include "parser/join.h"
#include "parser/lists/document_format.h"
#include "parser/metadata/extract_metadata.h"
#include "parser/metadata/pdf.h"
#include "parser/metadata/plain_document.h"
#include "parser/utf8.h"
#include "reports/escape.h"
#include "storage/record_json.h"
#include "storage/warc/warc_reader.h"

namespace linkherd::crawler {
namespace {

// The names are values of an option: DO NOT CHANGE them.
enum class MetadataFormat : std::uint8_t { jsonl, json, csv };
constexpr std::array<EnumName<MetadataFormat>, 3> metadata_format_names{
    {{MetadataFormat::jsonl, "jsonl"}, {MetadataFormat::json, "json"}, {MetadataFormat::csv, "csv"}}};

struct MetadataOptions : CheckOptions {
  std::vector<std::string> files;
  std::string url;
  std::string files_from;
  unsigned jobs = 1;
  bool explain = false;
  MetadataFormat format = MetadataFormat::jsonl;
};

// A response of a WARC file.
struct ArchivedPage {
  std::uint64_t offset = 0;
  std::optional<Timestamp> date;
  AttemptResult response;
};

struct SavedPage {
  std::string file;
  std::string url;                                   // empty: unknown
  std::shared_ptr<ArchivedPage> archived = nullptr;  // null: the file is the page
};

// In bytes. Much larger than real pages; parsing stops earlier.
constexpr std::size_t max_page_bytes = std::size_t{64} << 20;

// Reads a line of a list without its line ending. The length is bounded, because the list may be a device. Returns
// false at the end.
bool read_line(std::istream& list, const std::string& name, std::string& line) {
  constexpr std::size_t max_line_bytes = 65536;
  line.clear();
  std::istream::int_type c = list.get();
  if (list.bad()) throw InputError("cannot read " + to_valid_utf8(name) + ": give a file with FILE<TAB>URL lines");
  if (list.eof()) return false;
  for (; !list.eof() && c != '\n'; c = list.get()) {
    if (line.size() == max_line_bytes) throw InputError(to_valid_utf8(name) + " is not a list of FILE<TAB>URL lines");
    line.push_back(static_cast<char>(c));
  }
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return true;
}

// Reads lines FILE<TAB>URL; the URL is optional. FILE is relative to the current folder.
std::vector<SavedPage> read_page_list(const std::string& name, std::istream& standard_input) {
  std::ifstream file;
  if (name != "-") file.open(name);
  std::istream& list = name == "-" ? standard_input : file;
  if (!list) throw InputError("cannot read " + name + ": " + std::strerror(errno));
  std::vector<SavedPage> pages;
  std::string line;
  while (read_line(list, name, line)) {
    if (line.empty()) continue;
    const auto tab = line.find('\t');
    pages.push_back({line.substr(0, tab), tab == std::string::npos ? std::string() : line.substr(tab + 1)});
  }
  return pages;
}

// Returns the format for the name of a file without headers.
std::optional<parser::DocumentFormat> format_of_name(const std::filesystem::path& file) {
  return parser::prose_format_for_extension(file.filename().string());
}

bool is_text_name(const std::filesystem::path& file) {
  const std::optional<parser::DocumentFormat> format = format_of_name(file);
  return format == parser::DocumentFormat::plain_text || format == parser::DocumentFormat::restructured_text ||
         (format && parser::is_markdown(*format));
}

// Selects pages in a folder. A named file is always read.
bool is_page_name(const std::filesystem::path& file) {
  const std::string extension = parser::to_ascii_lower(file.extension().string());
  const std::optional<parser::DocumentFormat> format = format_of_name(file);
  if (extension == ".gz") return false;  // compressed pages are not supported
  return format == parser::DocumentFormat::html || format == parser::DocumentFormat::notebook || is_text_name(file) ||
         extension == ".pdf";
}

void add_folder(const std::string& folder, const std::string& url, std::vector<SavedPage>& pages,
                const std::function<void(const std::string& problem)>& report_problem) {
  const FolderDocuments found = find_files(folder, is_page_name);
  for (const std::string& file : found.files)
    pages.push_back({std::filesystem::path(file).lexically_normal().string(), url});
  for (const std::string& problem : found.skipped) report_problem(to_valid_utf8(problem));
  if (found.files.empty() && found.skipped.empty())
    report_problem(to_valid_utf8(folder) + " contains no page (HTML, PDF, notebook, Markdown or text)");
}

std::vector<SavedPage> pages_of(const MetadataOptions& options, const Streams& streams,
                                const std::function<void(const std::string& problem)>& report_problem) {
  std::vector<SavedPage> pages;
  for (const std::string& file : options.files) {
    std::error_code error;
    if (std::filesystem::is_directory(file, error)) {
      add_folder(file, options.url, pages, report_problem);
    } else {
      pages.push_back({file, options.url});
    }
  }
  if (!options.files_from.empty()) {
    for (SavedPage& page : read_page_list(options.files_from, streams.in)) pages.push_back(std::move(page));
  }
  if (pages.empty() && options.files.empty())
    throw InputError("there are no pages to read: pass files, or a list of them with --files-from");
  return pages;
}

// Reads the HTTP headers of the page if they were saved next to it (`curl -D page.html.headers`).
parser::PageHeaders headers_of(const SavedPage& page) {
  constexpr std::size_t max_headers = std::size_t{1} << 20;
  const std::string name = page.file + ".headers";
  std::error_code error;
  if (!std::filesystem::exists(name, error)) return {};
  const Result<std::string> text = read_file_bytes(name, max_headers);
  if (text.has_error()) throw InputError(fmt::format("{} {}", to_valid_utf8(name), text.error().message));
  return parser::parse_page_headers(*text);
}

// Writes all candidates, grouped by field, the chosen one first.
void write_explained(storage::JsonWriter& json, const std::vector<parser::ExplainedCandidate>& candidates) {
  std::vector<std::string_view> fields;
  for (const parser::ExplainedCandidate& candidate : candidates) {
    if (std::ranges::find(fields, candidate.field) == fields.end()) fields.push_back(candidate.field);
  }
  json.begin_object();
  for (const std::string_view field : fields) {
    json.key(field);
    json.begin_array();
    for (const parser::ExplainedCandidate& candidate : candidates) {
      if (candidate.field != field) continue;
      json.begin_object();
      json.member("value", candidate.value);
      json.member("source", candidate.source);
      json.member("confidence", storage::six_decimals(candidate.confidence));
      json.member("verdict", candidate.verdict);
      json.end_object();
    }
    json.end_array();
  }
  json.end_object();
}

parser::PageHeaders headers_of(const ArchivedPage& page) {
  parser::PageHeaders headers;
  for (const storage::ResponseHeader& header : page.response.headers)
    parser::add_page_header(header.name, header.value, headers);
  return headers;
}

// Filters the records of an archive, which also contain style sheets, scripts and data.
bool is_page(const parser::PageHeaders& headers, const std::string& bytes) {
  const std::string& type = headers.content_type;
  if (parser::is_html_type(type) || type == "text/plain" || type == "text/markdown") return true;
  if (parser::is_pdf(std::string_view(bytes).substr(0, 1024))) return true;
  if (!type.empty()) return type.find("json") != std::string::npos && parser::is_notebook(bytes);
  return parser::contains_ignoring_case(std::string_view(bytes).substr(0, 1024), "<html");
}

bool is_text(const SavedPage& page, const parser::PageHeaders& headers) {
  if (!headers.content_type.empty()) {
    return headers.content_type == "text/plain" || headers.content_type == "text/markdown";
  }
  return is_text_name(page.file);
}

parser::Metadata read_metadata(const SavedPage& page, const std::string& bytes, const parser::PageHeaders& headers,
                               Timestamp now, std::vector<parser::ExplainedCandidate>* explanation) {
  if (parser::is_pdf(std::string_view(bytes).substr(0, 1024))) return read_pdf_in_subprocess(bytes, now).metadata;
  if (parser::is_notebook(bytes)) return parser::extract_notebook_metadata(bytes, now);
  if (is_text(page, headers))
    return parser::extract_text_metadata(parser::decode_text(bytes, headers.charset).text, now);
  const parser::DecodedText decoded = parser::decode_html(bytes, headers.charset);
  const parser::HtmlDocument document = parser::HtmlDocument::parse(decoded.text);
  std::optional<parser::Url> url;
  if (const auto parsed = parser::Url::parse(page.url); parsed.has_value()) url = *parsed;
  return parser::extract_metadata(document, url ? &*url : nullptr, now, headers, explanation);
}

// The columns are in the order of csv_header.
std::string csv_line(const SavedPage& page, const parser::Metadata& metadata) {
  std::string line;
  const auto add = [&line](std::string_view text) {
    line += line.empty() ? "" : ",";
    line += reports::csv_cell(reports::one_line(text));
  };
  const auto add_field = [&add](const std::optional<parser::Field<std::string>>& field) {
    add(field ? std::string_view(field->value) : std::string_view());
  };
  line += reports::csv_file_cell(page.file);
  add(page.url);
  add_field(metadata.title);
  add(metadata.authors ? join(metadata.authors->value, "; ") : "");
  for (const auto* field : {&metadata.published, &metadata.modified, &metadata.language, &metadata.site_name,
                            &metadata.description, &metadata.canonical, &metadata.doi, &metadata.arxiv, &metadata.isbn})
    add_field(*field);
  return line;
}
constexpr std::string_view csv_header =
    "file,url,title,authors,published,modified,language,site_name,description,canonical,doi,arxiv,isbn";

std::string describe(const SavedPage& page, const std::string& bytes, parser::PageHeaders headers,
                     const MetadataOptions& options, Timestamp now) {
  // "Yesterday" is relative to the time of the fetch.
  if (options.common.now) {
    headers.date = now;
  } else if (page.archived && page.archived->date) {
    headers.date = page.archived->date;
  }
  now = headers.date.value_or(now);
  std::vector<parser::ExplainedCandidate> explanation;
  const parser::Metadata metadata = read_metadata(page, bytes, headers, now, options.explain ? &explanation : nullptr);
  if (options.format == MetadataFormat::csv) return csv_line(page, metadata);
  std::string text;
  storage::JsonWriter json(text);
  json.begin_object();
  json.member("file", page.file);
  json.member("url", storage::or_null(page.url));
  if (page.archived) {
    json.member("offset", page.archived->offset);
    json.member("archived_at", page.archived->date);
  }
  write_members(json, metadata);
  if (options.explain) {
    json.key("candidates");
    write_explained(json, explanation);
  }
  json.end_object();
  return reports::escape_json(text);
}

struct Answer {
  std::string line;     // empty: the file was not read, or the record is not a page
  std::string problem;  // why the file was not read
};

Answer answer_for(const SavedPage& page, const MetadataOptions& options, Timestamp now) {
  try {
    if (page.archived) {
      AttemptResult& response = page.archived->response;
      decode_content(response, max_page_bytes);
      const parser::PageHeaders headers = headers_of(*page.archived);
      if (!is_page(headers, response.body)) return {};
      return {describe(page, response.body, headers, options, now), {}};
    }
    const Result<std::string> bytes = read_file_bytes(page.file, max_page_bytes);
    if (bytes.has_error()) return {{}, fmt::format("{} {}", to_valid_utf8(page.file), bytes.error().message)};
    return {describe(page, *bytes, headers_of(page), options, now), {}};
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {  // an error in one page does not affect the others
    return {{}, fmt::format("{}: {}", to_valid_utf8(page.file), error.what())};
  }
}

// Processes pages in several threads, in blocks, and returns the results in order.
class PageReader {
 public:
  PageReader(const std::vector<SavedPage>& pages, const MetadataOptions& options, Timestamp now)
      : pages_(pages), options_(options), now_(now) {}

  template <class Take>
  void read_all(Take take) {
    const std::size_t block = options_.jobs == 1 ? 1 : std::size_t{options_.jobs} * 32;
    for (std::size_t begin = 0; begin < pages_.size(); begin += block) {
      std::vector<Answer> answers(std::min(block, pages_.size() - begin));
      read_block(begin, answers);
      for (const Answer& answer : answers) take(answer);
    }
  }

 private:
  void read_block(std::size_t begin, std::vector<Answer>& answers) {
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
      try {
        for (std::size_t i = next++; i < answers.size(); i = next++) {
          answers[i] = answer_for(pages_[begin + i], options_, now_);
        }
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!failure_) failure_ = std::current_exception();
        next = answers.size();
      }
    };
    {
      std::vector<std::jthread> helpers;
      for (std::size_t i = 1; i < std::min<std::size_t>(options_.jobs, answers.size()); ++i) helpers.emplace_back(work);
      work();
    }
    if (failure_) std::rethrow_exception(failure_);
  }

  const std::vector<SavedPage>& pages_;
  const MetadataOptions& options_;
  Timestamp now_;
  std::mutex mutex_;
  std::exception_ptr failure_;
};

// Detects the format by content. Returns false also if the file cannot be read.
bool is_warc(const std::string& name) {
  constexpr std::string_view version_start = "WARC/";
  constexpr std::size_t enough = 4096;  // covers the beginning of a compressed record
  const Result<std::string> start = read_file_start(name, enough);
  if (start.has_error()) return false;
  if (parser::is_gzip(*start)) return parser::gunzip(*start, version_start.size()).text == version_start;
  return start->starts_with(version_start);
}

// Returns why a file that is not WARC cannot be a page either. Empty if it may be a page.
std::string refusal_of(const std::string& name) {
  const auto ends_with = [lower = parser::to_ascii_lower(name)](std::string_view ending) {
    std::string_view rest = lower;
    if (rest.ends_with(".gz")) rest.remove_suffix(3);
    return rest.ends_with(ending);
  };
  std::error_code error;
  if (!(ends_with(".warc") || ends_with(".arc")) || !std::filesystem::is_regular_file(name, error)) return {};
  if (ends_with(".warc")) return to_valid_utf8(name) + " is not a WARC file";
  return to_valid_utf8(name) + " is an ARC file, which linkherd cannot read: convert it to WARC";
}

// Reads the pages of a WARC file in batches, which bounds their memory.
class ArchiveReader {
 public:
  explicit ArchiveReader(const std::string& name) : name_(name), in_(name, std::ios::binary), reader_(in_) {}

  // Returns an empty vector at the end.
  std::vector<SavedPage> next_pages() {
    constexpr std::size_t max_pages = 256;
    constexpr std::size_t max_bytes = std::size_t{64} << 20;
    std::vector<SavedPage> pages;
    std::size_t bytes = 0;
    while (pages.size() < max_pages && bytes < max_bytes) {
      const std::optional<storage::WarcRecord> record = reader_.next();
      if (!record) break;
      if (record->type != "response" && record->type != "resource") continue;
      const auto url = parser::Url::parse(record->target_uri());
      if (url.has_error() || !url->is_http()) continue;
      std::string block = reader_.read_block(max_page_bytes);
      const bool is_whole = block.size() == record->length;
      if (!reader_.finish_record()) continue;
      std::optional<AttemptResult> response = parse_saved_response(*record, std::move(block), is_whole);
      if (!response) note_no_http(record->offset);
      const bool is_success = response && response->status >= 200 && response->status < 300;
      if (!is_success || !is_kept_type(response->header("content-type"))) continue;
      bytes += response->body.size();
      ArchivedPage page{record->offset, record->date(), std::move(*response)};
      pages.push_back({name_, std::string(url->href()), std::make_shared<ArchivedPage>(std::move(page))});
    }
    return pages;
  }

  // Call after the last page. Returns the first damaged records by position.
  std::vector<std::string> problems() const {
    std::vector<storage::WarcReader::Problem> all = reader_.problems();
    all.insert(all.end(), no_http_.begin(), no_http_.end());
    std::ranges::stable_sort(all, {}, &storage::WarcReader::Problem::offset);
    std::vector<std::string> lines;
    lines.reserve(all.size());
    for (const storage::WarcReader::Problem& problem : all)
      lines.push_back(
          fmt::format("{}: record at offset {}: {}", to_valid_utf8(name_), problem.offset, problem.message));
    return lines;
  }
  std::uint64_t problem_count() const { return reader_.problems().size() + no_http_count_; }

 private:
  void note_no_http(std::uint64_t offset) {
    if (++no_http_count_ <= storage::WarcReader::max_problems)
      no_http_.push_back({offset, "it contains no HTTP response"});
  }

  std::string name_;
  std::ifstream in_;
  storage::WarcReader reader_;
  std::vector<storage::WarcReader::Problem> no_http_;  // the first ones
  std::uint64_t no_http_count_ = 0;
};

// Writes one line per page in the chosen format.
class PageOutput {
 public:
  PageOutput(std::ostream& out, MetadataFormat format, bool with_byte_order_mark) : out_(out), format_(format) {
    if (with_byte_order_mark) out_ << byte_order_mark;
    if (format_ == MetadataFormat::csv) out_ << csv_header << "\r\n";
    if (format_ == MetadataFormat::json) out_ << '[';
  }
  void add(const std::string& line) {
    if (format_ == MetadataFormat::json) out_ << (std::exchange(any_, true) ? ",\n" : "\n");
    out_ << line;
    if (format_ == MetadataFormat::jsonl) out_ << '\n';
    if (format_ == MetadataFormat::csv) out_ << "\r\n";
  }
  void end() {
    if (format_ == MetadataFormat::json) out_ << "\n]\n";
  }

 private:
  std::ostream& out_;
  MetadataFormat format_;
  bool any_ = false;
};

ExitCode run_metadata(const MetadataOptions& options, const Streams& streams) {
  if (options.explain && options.format == MetadataFormat::csv)
    throw CLI::ValidationError("--explain", "candidates cannot be written as a table: use --format jsonl or json");
  if (options.report.byte_order_mark && options.format != MetadataFormat::csv)
    throw CLI::ValidationError("--bom", "only CSV output can begin with a byte order mark: add --format csv");
  start_log(options.common);
  std::size_t unreadable = 0;
  std::string first_unreadable;
  const auto report_problem = [&](const std::string& problem) {
    if (unreadable++ == 0) first_unreadable = problem;
  };
  const Timestamp now = Clock(options.common.now).now();
  std::vector<SavedPage> all = pages_of(options, streams, report_problem);
  PageOutput output(streams.out, options.format, options.report.byte_order_mark);
  const auto read = [&](const std::vector<SavedPage>& pages) {
    PageReader(pages, options, now).read_all([&](const Answer& answer) {
      if (!answer.problem.empty()) report_problem(answer.problem);
      if (!answer.line.empty()) output.add(answer.line);
    });
  };
  std::vector<SavedPage> files;  // not archives
  bool is_damaged = false;       // an archive was damaged
  for (SavedPage& page : all) {
    if (!is_warc(page.file)) {
      if (const std::string refusal = refusal_of(page.file); !refusal.empty()) {
        report_problem(refusal);
      } else {
        files.push_back(std::move(page));
      }
      continue;
    }
    read(std::exchange(files, {}));
    ArchiveReader archive(page.file);
    for (std::vector<SavedPage> pages = archive.next_pages(); !pages.empty(); pages = archive.next_pages()) read(pages);
    is_damaged = is_damaged || archive.problem_count() > 0;
    print_first(archive.problems(), archive.problem_count(), "records are damaged", streams);
  }
  read(files);
  output.end();
  if (unreadable == 0) return is_damaged ? ExitCode::could_not_run : ExitCode::ok;
  print_reason(streams, first_unreadable + (unreadable > 1 ? fmt::format(" (and {} more)", unreadable - 1) : ""));
  return ExitCode::could_not_run;
}

}  // namespace

Command add_metadata_command(CLI::App& app) {
  return add_command<MetadataOptions>(
      app, "metadata", "Extract titles, authors and dates from saved pages", commands::metadata, run_metadata,
      [](MetadataOptions& o) -> std::vector<Option> {
        return {{"FILE", read_text(o.files),
                 "Saved pages (HTML, PDF, notebooks, Markdown, text), folders of them, or WARC files. linkherd reads "
                 "the HTTP headers of a page from FILE.headers, if present"},
                {"-f,--format", read_choice(o.format, metadata_format_names),
                 "Output format; jsonl prints one object per line", any_command, safe},
                {"--url", read_text(o.url, "URL", refuse_bad_url), "URL of the page"},
                {"--files-from", read_text(o.files_from, "LIST"), "Read lines FILE<TAB>URL from LIST; - reads stdin",
                 any_command, no_traits, excludes("--url")},
                {"--jobs", read_number(o.jobs, 1, 64), "Number of threads"},
                {"--explain", read_flag(o.explain),
                 "Show all candidates with source, confidence and why they were not chosen"}};
      });
}

}  // namespace linkherd::crawler
