#include "crawler/sources/anchor_index.h"

#include <utility>

#include "crawler/sources/document_context.h"
#include "crawler/sources/file_bytes.h"
#include "parser/html/charset.h"
#include "parser/lists/extract_links.h"
#include "parser/url/percent_encoding.h"
#include "parser/url/url.h"

namespace linkherd::crawler {

namespace fs = std::filesystem;
using parser::Url;

namespace {

constexpr std::size_t max_anchor_file_bytes = std::size_t{16} << 20;  // size limit for reading anchors
constexpr std::size_t max_indexed_files = std::size_t{1} << 16;
constexpr std::size_t max_anchors = std::size_t{1} << 22;  // of all files, 8 bytes each

// The text of a linked file and its format.
struct LinkedText {
  std::string text;
  parser::DocumentFormat format;
};

std::optional<LinkedText> linked_text(const std::string& bytes, const fs::path& file) {
  if (parser::is_binary(bytes)) return std::nullopt;
  LinkedText read{parser::decode_text(bytes).text, {}};
  read.format = parser::detect_document_format(file.filename().string(), read.text);
  if (!parser::has_known_anchors(read.format)) return std::nullopt;
  return read;
}

std::optional<LinkedText> read_linked_text(const fs::path& file) {
  const Result<std::string> bytes = read_file_bytes(file, max_anchor_file_bytes);
  return bytes.has_value() ? linked_text(*bytes, file) : std::nullopt;
}

// Returns the file to which a page sends its readers by <meta http-equiv=refresh>. Empty if none.
fs::path refresh_in(const LinkedText& page, const fs::path& file) {
  if (page.format != parser::DocumentFormat::html) return {};
  fs::path target;
  parser::ExtractOptions options;
  options.base_url = url_of_file(file);
  parser::for_each_link({file.string(), page.text, page.format}, options, [&target](parser::LinkOccurrence& link) {
    const auto url = Url::parse(link.href);
    if (target.empty() && link.element == parser::LinkElement::refresh && url && url->scheme() == "file")
      target = fs::path(parser::percent_decode(url->path())).lexically_normal();
  });
  return target;
}

}  // namespace

bool needs_no_anchor(std::string_view fragment) {
  return fragment.empty() || parser::is_line_reference(fragment) || parser::is_route(fragment);
}

void AnchorIndex::keep(std::string_view file, parser::AnchorSet anchors) {
  if (files_.size() >= max_indexed_files || anchor_count_ + anchors.size() > max_anchors) return;
  anchor_count_ += anchors.size();
  files_.insert_or_assign(paths_.index_of(file), FileAnchors{.names = std::move(anchors)});
}

bool AnchorIndex::is_known_to_have(const LinkedFile& file, std::string_view fragment) const {
  if (needs_no_anchor(fragment)) return true;
  const auto known = files_.find(file.page_index);
  return known != files_.end() && (!known->second.names || known->second.names->has(fragment));
}

AnchorIndex::FileAnchors& AnchorIndex::anchors_of(std::string_view file) {
  if (files_.size() >= max_indexed_files || anchor_count_ >= max_anchors) {
    files_.clear();
    anchor_count_ = 0;
  }
  const auto [known, is_new] = files_.try_emplace(paths_.index_of(file));
  if (!is_new) return known->second;
  if (const auto read = read_linked_text(file))
    known->second.names.emplace(parser::find_anchors(read->text, read->format, dialect_of_(file)), read->format);
  if (known->second.names) anchor_count_ += known->second.names->size();
  return known->second;
}

AnchorStatus AnchorIndex::find(const LinkedFile& file, std::string_view fragment, std::string& hint) {
  const std::string_view page = file.page();
  const AnchorStatus status = find_in_file(page, fragment, hint);
  if (status == AnchorStatus::maybe_generated && is_on_next_page(page, fragment, *file.folders))
    return AnchorStatus::found;
  return status == AnchorStatus::missing && is_asciidoc(page) ? find_in_documents(file, fragment) : status;
}

AnchorStatus AnchorIndex::find_in_file(std::string_view file, std::string_view fragment, std::string& hint) {
  if (needs_no_anchor(fragment)) return AnchorStatus::found;
  FileAnchors& known = anchors_of(file);
  if (!known.names || known.names->has(fragment)) return AnchorStatus::found;
  const bool may_compare = hints_.may_compare(known.names->size());
  if (!known.has_generated || (!*known.has_generated && may_compare)) read_again(file, known);
  if (*known.has_generated) return AnchorStatus::maybe_generated;
  if (may_compare && lacking_.size > 0) hint = hints_.for_anchor(fragment, lacking_.anchors, lacking_.size);
  return AnchorStatus::missing;
}

// Reads the file again, which is rare: few files lack an anchor.
void AnchorIndex::read_again(std::string_view file, FileAnchors& known) {
  if (known.has_generated && lacking_.path == file) return;
  lacking_ = {.path = file};
  const auto read = read_linked_text(file);
  const bool is_first = !known.has_generated;
  if (is_first) known.has_generated = read && parser::has_generated_anchors(read->text, read->format);
  if (!read) return;
  lacking_.size = read->text.size();
  if (!*known.has_generated)
    lacking_.anchors = parser::find_anchors(read->text, read->format, dialect_of_(file));
  else if (is_first)
    known.refresh = refresh_in(*read, file);
}

// Returns true if the page redirects its readers to another page that has the anchor. rustdoc and redirect plugins
// leave such pages at old addresses; a script appends the fragment.
bool AnchorIndex::is_on_next_page(std::string_view page, std::string_view fragment, const AllowedFolders& folders) {
  constexpr int max_pages = 4;
  fs::path at = page;
  for (int i = 0; i < max_pages; ++i) {
    FileAnchors& known = anchors_of(at.native());
    if (!known.has_generated) read_again(at.native(), known);
    at = fs::path(known.refresh);
    if (at.empty()) return false;
    FoundFile found = folders.inspect(at);
    if (found.type == fs::file_type::directory) found = folders.inspect(at /= "index.html");
    if (found.type != fs::file_type::regular) return false;
    std::string hint;
    const AnchorStatus status = find_in_file(at.native(), fragment, hint);
    if (status != AnchorStatus::maybe_generated) return status == AnchorStatus::found;
  }
  return false;
}

AnchorStatus AnchorIndex::find_in_documents(const LinkedFile& file, std::string_view fragment) {
  const fs::path text = file.page();
  return documents_.find_anchor(text, fragment, top_of_documents(text, file.repository), *file.folders);
}

bool AnchorIndex::had(const GitChanges& changes, const fs::path& file, std::string_view fragment) {
  if (former_.size() >= max_indexed_files) former_.clear();
  const auto [known, is_new] = former_.try_emplace(file.string());
  if (is_new) {
    const fs::path former = changes.former_path(file).value_or(file);
    const std::optional<std::string> bytes = changes.bytes_of(former, max_anchor_file_bytes);
    const std::optional<LinkedText> read = bytes ? linked_text(*bytes, former) : std::nullopt;
    if (read) known->second.emplace(parser::find_anchors(read->text, read->format, dialect_of_(file)), read->format);
  }
  return known->second && known->second->has(fragment);
}

}  // namespace linkherd::crawler
