#include "parser/metadata/pdf.h"

#include <array>
#include <cstddef>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <qpdf/Pipeline.hh>
#include <qpdf/QPDF.hh>
#include <qpdf/QPDFObjectHandle.hh>

#include "parser/ascii.h"
#include "parser/html/html_document.h"
#include "parser/metadata/authors.h"
#include "parser/metadata/dates.h"
#include "parser/metadata/text_values.h"

namespace linkherd::parser {
namespace {

constexpr std::size_t max_xmp = std::size_t{1} << 20;

// Takes the data of a stream up to a limit, whatever it unfolds to.
class LimitedText : public Pipeline {
 public:
  LimitedText() : Pipeline("xmp", nullptr) {}
  void write(const unsigned char* data, std::size_t size) override {
    if (text_.size() + size > max_xmp) throw std::length_error("the XMP packet is too large");
    for (std::size_t i = 0; i < size; ++i) text_ += static_cast<char>(data[i]);
  }
  void finish() override {}
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Names that programs give to documents without a title.
bool is_no_title(std::string_view title) {
  static constexpr std::array<std::string_view, 6> starts{
      "microsoft word -", "microsoft powerpoint -", "untitled", "powerpoint presentation", "print", "document1"};
  for (const std::string_view start : starts) {
    if (starts_ignoring_case(title, start)) return true;
  }
  return title.find(' ') == std::string_view::npos &&
         (title.ends_with(".doc") || title.ends_with(".docx") || title.ends_with(".dvi") || title.ends_with(".tex") ||
          title.ends_with(".indd") || title.ends_with(".pdf"));
}

// "D:20240305102030+08'00'" and its shorter forms; XMP writes ISO 8601.
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

std::optional<Field<std::string>> title_field(std::string_view text, std::string_view source) {
  std::string title = clean_value(text, max_title);
  if (title.empty() || is_no_title(title)) return std::nullopt;
  return Field<std::string>{std::move(title), std::string(source), 0.7};
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

std::string string_at(QPDFObjectHandle dictionary, const char* key) {
  QPDFObjectHandle value = dictionary.getKey(key);
  return value.isString() ? value.getUTF8Value() : std::string();
}

void read_information(QPDF& pdf, Timestamp now, Metadata& metadata) {
  QPDFObjectHandle information = pdf.getTrailer().getKey("/Info");
  if (!information.isDictionary()) return;
  fill(metadata.title, title_field(string_at(information, "/Title"), "pdf:information"));
  fill(metadata.authors, authors_field({string_at(information, "/Author")}, "pdf:information"));
  fill(metadata.published, date_field(string_at(information, "/CreationDate"), "pdf:information", now));
  fill(metadata.modified, date_field(string_at(information, "/ModDate"), "pdf:information", now));
}

// Every item of a list such as <dc:creator><rdf:Seq><rdf:li>…, or the text of the element, or the attribute of that
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

void read_xmp(QPDF& pdf, Timestamp now, Metadata& metadata) {
  QPDFObjectHandle stream = pdf.getRoot().getKey("/Metadata");
  if (!stream.isStream()) return;
  LimitedText packet;
  if (!stream.pipeStreamData(&packet, 0, qpdf_dl_generalized, true)) return;
  const HtmlDocument xmp = HtmlDocument::parse(packet.text());
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

}  // namespace

bool is_pdf(std::string_view bytes) { return bytes.substr(0, 1024).find("%PDF-") != std::string_view::npos; }

Metadata pdf_metadata(std::string_view bytes, Timestamp now) {
  Metadata metadata;
  try {
    QPDF pdf;
    pdf.setSuppressWarnings(true);
    pdf.processMemoryFile("document", bytes.data(), bytes.size());
    // The packet is the newer place, and keeps several authors apart.
    try {
      read_xmp(pdf, now, metadata);
    } catch (const std::exception&) {  // the document information may still be sound
    }
    read_information(pdf, now, metadata);
  } catch (const std::exception&) {  // qpdf's way to say that this is no PDF it can read: there is no metadata then
  }
  return metadata;
}

}  // namespace linkherd::parser
