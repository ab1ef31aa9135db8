#include "parser/metadata/pdf.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

// The C interface of qpdf. It throws no exceptions, and clang 14 cannot compile the C++ headers as C++20.
#include <qpdf/qpdf-c.h>

#include "parser/ascii.h"
#include "parser/html/charset.h"
#include "parser/html/html_document.h"
#include "parser/metadata/authors.h"
#include "parser/metadata/dates/dates.h"
#include "parser/metadata/pdf_headline.h"
#include "parser/metadata/text_values.h"
#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

constexpr std::size_t max_xmp = std::size_t{1} << 20;

struct CloseDocument {
  void operator()(_qpdf_data* document) const {
    qpdf_get_error(document);  // otherwise qpdf would write the error to stderr
    qpdf_cleanup(&document);
  }
};
using Document = std::unique_ptr<_qpdf_data, CloseDocument>;

struct FreeBytes {
  void operator()(unsigned char* bytes) const { std::free(bytes); }  // NOLINT(cppcoreguidelines-no-malloc): qpdf's way
};

// Names that programs give to untitled documents.
bool is_no_title(std::string_view title) {
  static constexpr std::array<std::string_view, 7> starts{
      "microsoft word -", "microsoft powerpoint -", "untitled", "powerpoint presentation", "print", "document1",
      "(anonymous)"};
  for (const std::string_view start : starts) {
    if (starts_ignoring_case(title, start)) return true;
  }
  return title.find(' ') == std::string_view::npos &&
         (title.ends_with(".doc") || title.ends_with(".docx") || title.ends_with(".dvi") || title.ends_with(".tex") ||
          title.ends_with(".indd") || title.ends_with(".pdf") || title.ends_with(".html"));
}

// Parses a PDF date ("D:20240305102030+08'00'" and shorter forms) or an ISO 8601 date of XMP.
std::optional<Field<std::string>> date_field(std::string text, std::string_view source, Timestamp now) {
  if (text.starts_with("D:")) {
    text.erase(0, 2);
    std::erase(text, '\'');
    if (const std::size_t zone = text.find_first_of("+-Z"); zone != std::string::npos) text.insert(zone, " ");
  }
  const auto date = parse_written_date(text);
  if (!date || !is_plausible(*date, now)) return std::nullopt;
  return Field<std::string>{to_iso8601(*date), std::string(source), 0.6};
}

std::optional<Field<std::string>> title_field(std::string_view text, std::string_view source, double trust = 0.7) {
  std::string title = clean_value(text, max_title);
  if (title.empty() || is_no_title(title)) return std::nullopt;
  return Field<std::string>{std::move(title), std::string(source), trust};
}

std::optional<Field<std::vector<std::string>>> authors_field(const std::vector<std::string>& texts,
                                                             std::string_view source) {
  std::vector<std::string> names;
  for (const std::string& text : texts) add_names(names, names_in_byline(text, {}));
  if (names.empty()) return std::nullopt;
  return Field<std::vector<std::string>>{std::move(names), std::string(source), 0.7};
}

template <class T>
void fill(std::optional<T>& field, std::optional<T> value) {
  if (!field) field = std::move(value);
}

std::string string_at(const Document& pdf, qpdf_oh dictionary, const char* key) {
  const qpdf_oh value = qpdf_oh_get_key(pdf.get(), dictionary, key);
  if (qpdf_oh_is_string(pdf.get(), value) == QPDF_FALSE) return {};
  std::size_t length = 0;
  const char* text = qpdf_oh_get_binary_utf8_value(pdf.get(), value, &length);
  return text == nullptr ? std::string() : to_valid_utf8({text, length});
}

void read_information(const Document& pdf, Timestamp now, Metadata& metadata) {
  const qpdf_oh information = qpdf_oh_get_key(pdf.get(), qpdf_get_trailer(pdf.get()), "/Info");
  if (qpdf_oh_is_dictionary(pdf.get(), information) == QPDF_FALSE) return;
  const auto text = [&](const char* key) { return string_at(pdf, information, key); };
  fill(metadata.title, title_field(text("/Title"), "pdf:information"));
  fill(metadata.authors, authors_field({text("/Author")}, "pdf:information"));
  fill(metadata.published, date_field(text("/CreationDate"), "pdf:information", now));
  fill(metadata.modified, date_field(text("/ModDate"), "pdf:information", now));
}

// Returns the items of a list such as <dc:creator><rdf:Seq><rdf:li>…, the text of the element, or the attribute of that
// name.
std::vector<std::string> values_of(const HtmlDocument& xmp, std::string_view name) {
  std::vector<std::string> values;
  const auto& elements = xmp.elements();
  for (std::size_t i = 0; i < elements.size() && values.size() < max_authors; ++i) {
    if (const auto attribute = elements[i].attribute(name)) values.emplace_back(*attribute);
    if (elements[i].name() != name) continue;
    const std::size_t before = values.size();
    for (std::size_t inside = i + 1; inside < elements.size() && inside < i + 200; ++inside) {
      if (elements[inside].name() == "rdf:li") values.push_back(elements[inside].text());
      if (elements[inside].name().starts_with("dc:") || elements[inside].name().starts_with("xmp:")) break;
    }
    if (values.size() == before) values.push_back(elements[i].text());
  }
  return values;
}

std::string packet_of(const Document& pdf) {
  const qpdf_oh stream = qpdf_oh_get_key(pdf.get(), qpdf_get_root(pdf.get()), "/Metadata");
  if (qpdf_oh_is_stream(pdf.get(), stream) == QPDF_FALSE) return {};
  QPDF_BOOL filtered = QPDF_FALSE;
  unsigned char* data = nullptr;
  std::size_t length = 0;
  const QPDF_ERROR_CODE code =
      qpdf_oh_get_stream_data(pdf.get(), stream, qpdf_dl_generalized, &filtered, &data, &length);
  const std::unique_ptr<unsigned char, FreeBytes> bytes(data);
  if ((code & QPDF_ERRORS) != 0 || filtered == QPDF_FALSE || data == nullptr || length > max_xmp) return {};
  return decode_text({reinterpret_cast<const char*>(data), length}).text;  // UTF-8, or UTF-16 with a byte order mark
}

void read_xmp(const Document& pdf, Timestamp now, Metadata& metadata) {
  const std::string packet = packet_of(pdf);
  if (packet.empty()) return;
  const HtmlDocument xmp = HtmlDocument::parse(packet);
  const auto first = [&](std::string_view name) {
    const std::vector<std::string> values = values_of(xmp, name);
    return values.empty() ? std::string() : values.front();
  };
  fill(metadata.title, title_field(first("dc:title"), "pdf:xmp"));
  fill(metadata.authors, authors_field(values_of(xmp, "dc:creator"), "pdf:xmp"));
  fill(metadata.published, date_field(first("dc:date"), "pdf:xmp", now));
  fill(metadata.published, date_field(first("xmp:createdate"), "pdf:xmp", now));
  fill(metadata.modified, date_field(first("xmp:modifydate"), "pdf:xmp", now));
  if (std::string text = clean_value(first("dc:description"), max_description); !text.empty())
    fill(metadata.description, std::optional(Field<std::string>{std::move(text), "pdf:xmp", 0.7}));
}

// Returns the count in the root of the page tree (ISO 32000-1, 7.7.3.2).
std::size_t page_count(const Document& pdf) {
  const qpdf_oh tree = qpdf_oh_get_key(pdf.get(), qpdf_get_root(pdf.get()), "/Pages");
  if (qpdf_oh_is_dictionary(pdf.get(), tree) == QPDF_FALSE) return 0;
  const qpdf_oh count = qpdf_oh_get_key(pdf.get(), tree, "/Count");
  if (qpdf_oh_is_integer(pdf.get(), count) == QPDF_FALSE) return 0;
  return static_cast<std::size_t>(std::max(0, qpdf_oh_get_int_value_as_int(pdf.get(), count)));
}

}  // namespace

bool is_pdf(std::string_view bytes) { return bytes.substr(0, 1024).find("%PDF-") != std::string_view::npos; }

PdfInfo read_pdf(std::string_view bytes, Timestamp now, const std::function<void(const PdfInfo& facts)>& on_facts) {
  const Document pdf(qpdf_init());
  qpdf_silence_errors(pdf.get());
  qpdf_set_suppress_warnings(pdf.get(), QPDF_TRUE);
  const QPDF_ERROR_CODE code = qpdf_read_memory(pdf.get(), "document", bytes.data(), bytes.size(), nullptr);
  PdfInfo facts;
  if ((code & QPDF_ERRORS) != 0) return facts;
  // The XMP packet is newer and lists authors separately.
  read_xmp(pdf, now, facts.metadata);
  read_information(pdf, now, facts.metadata);
  facts.pages = page_count(pdf);
  if (facts.metadata.title) return facts;
  if (on_facts) on_facts(facts);
  facts.metadata.title = title_field(find_pdf_headline(pdf.get()), "pdf:headline", 0.5);
  return facts;
}

}  // namespace linkherd::parser
