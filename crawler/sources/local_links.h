// Checks links to local files without the network: whether the file exists and has the anchor. Opens only the linked
// file, and only for its anchors.
//
// Documents are untrusted, so only these folders may be accessed; symbolic links that lead outside are not followed:
// - the repository of the document;
// - without a repository: the current folder, or the folder of the document if that is not below the current folder;
// - the site of the document, and the folders of --root-dir and of site mappings.
//
// A link is checked in two steps. look_up() finds the file of a link; several threads call it. evaluate() makes the
// verdict when the anchors of the file are known: for some links at once, for the others after all documents have been
// read. The parts are:
// - Files (linked_file.h): the file of a path is kept, with the properties of the document that change the meaning of
//   the path (folders, site, generator). So the documents of a folder that link to one page need one look-up, unless
//   their own path matters (includes, page sources). Files that change afterwards are not read again.
// - Search (file_search.h): if no file exists at the path, the generator of the document decides
//   (generators/generator_rules.h). "guide/" and "guide.html" are made of guide.md. "/x" is below the folders of
//   site_roots.h. A page that the generator may create is suspect instead of dead.
// - Anchors (anchor_index.h): the anchors of documents are kept when the documents are read. Another file is read once,
//   for its first anchor. Anchors that scripts or generators may create make the link suspect instead of dead.
// - Verdict (local_verdict.h): a pure function of what was found.
//
// Example: the MkDocs site in /r has a link "guide/#install" in docs/index.md. There is no /r/docs/guide/, so its
// source /r/docs/guide.md is the linked file. If the file has the heading "Installation" but no "Install", the verdict
// is dead with the evidence `docs/guide.md has no anchor "install"`. Files that git tracks but that are not in the
// working tree count as existing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "crawler/sources/anchor_index.h"
#include "crawler/sources/document_context.h"
#include "crawler/sources/file_hints.h"
#include "crawler/sources/file_search.h"
#include "crawler/sources/linked_file.h"
#include "crawler/sources/local_link_options.h"
#include "parser/lists/anchors.h"
#include "parser/lists/extract_links.h"
#include "parser/url/url.h"
#include "storage/verdict.h"

namespace linkherd::crawler {

// A link whose file was looked up.
struct LocalLink {
  std::shared_ptr<const LinkedFile> file{};
  std::string fragment{};         // empty if it need not be checked
  bool may_be_reference = false;  // the fragment may be a label of Sphinx, which is valid on all pages
  // The document and the target of the first occurrence. Empty unless a change is checked.
  std::string list{};
  std::string written{};

  // The name of the file in reports, without and with the fragment. Links with equal names are the same link.
  std::string_view file_name() const;
  std::string name() const;
};

// Looks up and evaluates links to local files. See the top of this file.
class LocalLinks {
 public:
  // `changes` may be null; otherwise it must outlive this object. If the change removed a file or an anchor, the
  // verdict mentions it: see storage::is_broken_by_change().
  explicit LocalLinks(LocalLinkOptions options, const GitChanges* changes = nullptr);

  bool checks_anchors() const { return known_.options.anchors; }

  // Returns the base URL of relative links in this list, or nullopt if the list is not a file.
  static std::optional<parser::Url> base_of(const InputDocument& list);

  // Several threads may call the functions up to include_reader_of() at once, unless a change is checked.

  DocumentContext context_of(const InputDocument& list);
  // Looks up the file of a link. `target` is the resolved file URL. `written` is the target as written in the list; it
  // may look like a host.
  LocalLink look_up(const DocumentContext& list, const parser::Url& target, std::string_view written,
                    bool looks_like_host = false);

  // Returns true if the link leads to a file that does not exist.
  static bool lacks_file(const LocalLink& link);

  // Returns a link to the same file with another fragment, encoded as in a URL.
  LocalLink with_fragment(const LocalLink& link, std::string_view fragment) const;

  // Looks up the file of a page on one of the mapped sites. Returns nullopt for other URLs. Also returns nullopt if the
  // folder of the site's pages is unknown and no file is found.
  std::optional<LocalLink> look_up_page(const DocumentContext& list, const parser::Url& target,
                                        std::string_view written);

  // Sets the href of an occurrence with a notation of its own; see resolve_special_target(). Returns true if the href
  // changed: the text as written then does not show the target.
  bool resolve(const DocumentContext& list, parser::LinkOccurrence& occurrence);

  // Returns a function that reads the files that an AsciiDoc document includes. Empty for other formats. `list` must
  // outlive it.
  static parser::ReadInclude include_reader_of(const DocumentContext& list);

  // Only one thread at a time may call keep_anchors() and the functions after it.

  // Keeps the anchors of a list, so that its file need not be read again.
  void keep_anchors(const DocumentContext& list, parser::DocumentFormat format, parser::AnchorSet anchors);
  // exists_with_anchor() returns true if the file exists and is known to have the anchor. alive_verdict() returns the
  // verdict in this case.
  bool exists_with_anchor(const LinkedFile& file, std::string_view fragment) const;
  static storage::Verdict alive_verdict(const LinkedFile& file, std::string_view fragment);
  // Returns the index of the file's path in the table of paths.
  static std::uint32_t index_of(const LinkedFile& file);
  storage::Verdict evaluate(const LocalLink& link);

 private:
  TargetRoot root_of(const DocumentContext& list, std::string_view path) const;
  std::shared_ptr<const LinkedFile> find(const DocumentContext& list, std::string_view path, const TargetRoot& root);
  LocalLink link_to(std::shared_ptr<const LinkedFile> file, std::string_view fragment, const DocumentContext& list,
                    std::string_view written) const;
  // Returns a link that is not checked, because its file cannot be on this machine or was not found.
  LocalLink link_elsewhere(std::string_view name, FileDoubt doubt, std::string_view detail);
  std::string_view fragment_to_check(const LinkedFile& file, std::string_view fragment) const;
  // Return how the checked change removed the file or the anchor. Empty if it did not.
  std::string cause_of_missing_file(const LocalLink& link) const;
  std::string cause_of_missing_anchor(const std::filesystem::path& file, std::string_view fragment);

  FileKnowledge known_;
  DocumentContexts places_;
  FileHints hints_;
  AnchorIndex anchors_;
};

}  // namespace linkherd::crawler
