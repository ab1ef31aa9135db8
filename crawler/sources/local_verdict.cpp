#include "crawler/sources/local_verdict.h"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "crawler/sources/file_hints.h"
#include "crawler/sources/generators/asciidoc_documents.h"

namespace linkherd::crawler {

namespace {

using storage::Health;
using storage::Verdict;
using storage::without_request;
namespace reason = storage::reason;

Verdict skipped(std::string evidence, std::string_view rule = "file") {
  return without_request(Health::skipped, reason::relative_link, rule, std::move(evidence));
}

// Returns the verdict for a missing file or anchor that the generated pages may have.
Verdict unsure(std::string_view reason, std::string_view rule, std::string evidence) {
  Verdict verdict = without_request(Health::suspect, reason, rule, std::move(evidence));
  verdict.confidence = 0.6;
  return verdict;
}

Verdict unsure_of_file(const LinkFacts& facts, std::string_view why) {
  return unsure(reason::file_not_found, "file", fmt::format("{} {}", facts.name, why));
}

void attribute_to_change(const LinkFacts& facts, Verdict& verdict) {
  if (facts.cause.empty()) return;
  verdict.rule = storage::broken_by_change_rule;
  verdict.evidence = "broken by this change, which " + facts.cause;
}

Verdict evaluate_missing_file(const LinkFacts& facts) {
  if (facts.found.outside) {
    return without_request(Health::skipped, reason::outside_root, "file",
                           fmt::format("{} is outside the folder or repository of the document", facts.name));
  }
  if (facts.found.error) return skipped(fmt::format("{} cannot be read: {}", facts.name, facts.found.error.message()));
  if (facts.found.absent) {
    return skipped(
        fmt::format("{} is in a submodule that is not checked out: run `git submodule update --init`", facts.name));
  }
  switch (facts.doubt) {
    case FileDoubt::unknown_root: return skipped("relative to the root of a site: use --root-dir or --base-url");
    case FileDoubt::of_template:
      return skipped("the page is a template: its links are relative to the generated pages");
    case FileDoubt::maybe_reference:
      return skipped(fmt::format("{} is a cross-reference that Sphinx resolves, not a file", facts.name));
    default: break;
  }
  Verdict verdict = without_request(Health::dead, reason::file_not_found, "file",
                                    fmt::format("{} does not exist{}", facts.name, facts.hint));
  attribute_to_change(facts, verdict);
  if (!facts.cause.empty()) return verdict;
  if (facts.doubt == FileDoubt::of_stylesheet)
    return unsure_of_file(facts, "does not exist; the folder of the stylesheet in the generated site is unknown");
  if (facts.doubt == FileDoubt::maybe_built)
    return unsure_of_file(facts, "does not exist; the site generator may create it");
  return verdict;
}

Verdict evaluate_missing_anchor(const LinkFacts& facts) {
  const std::string missing = fmt::format("{} has no anchor \"{}\"", facts.page, shown_anchor(facts.fragment));
  const bool is_missing = facts.anchor == AnchorStatus::missing;
  if (is_missing && facts.may_be_reference)
    return skipped(missing + ": a cross-reference that Sphinx resolves", "anchor");
  Verdict verdict;
  if (is_missing && facts.doubt != FileDoubt::is_source) {
    verdict = without_request(Health::dead, reason::anchor_not_found, "anchor", missing + facts.hint);
  } else {
    const std::string extension = std::filesystem::path(facts.page).extension();
    const char* const maker = extension == ".html" || extension == ".htm" ? "; its scripts may create one"
                              : is_asciidoc(facts.page) ? "; an included or including file may have it"
                                                        : "; the site generator may create one";
    verdict = unsure(reason::anchor_not_found, "anchor", missing + maker);
  }
  attribute_to_change(facts, verdict);
  return verdict;
}

}  // namespace

MissingFact missing_fact(const LinkFacts& facts) {
  const FoundFile& found = facts.found;
  const bool has_file = found.type != std::filesystem::file_type::not_found;
  switch (facts.doubt) {
    case FileDoubt::other_machine:
    case FileDoubt::other_component:
    case FileDoubt::only_source:
    case FileDoubt::no_index_page:
    case FileDoubt::of_template: return MissingFact::none;
    case FileDoubt::unknown_root:
    case FileDoubt::maybe_reference:
      if (!has_file) return MissingFact::none;
      break;
    default: break;
  }
  if (found.outside || found.error || found.absent) return MissingFact::none;
  if (!has_file) return MissingFact::reason_for_no_file;
  return facts.fragment.empty() ? MissingFact::none : MissingFact::anchor;
}

Verdict evaluate(const LinkFacts& facts) {
  const bool has_file = facts.found.type != std::filesystem::file_type::not_found;
  switch (facts.doubt) {
    case FileDoubt::other_machine:
      return without_request(Health::skipped, reason::unsupported_scheme, "scheme",
                             "a file on another machine, " + facts.detail);
    case FileDoubt::other_component: return skipped(facts.detail);
    case FileDoubt::only_source:
      return unsure_of_file(
          facts, fmt::format("does not exist, but {} does: only a site generator creates a page with that name from it",
                             facts.detail));
    case FileDoubt::no_index_page:
      return unsure_of_file(facts, "has no index page; other folders of the site have one");
    default: break;
  }
  if (!has_file) return evaluate_missing_file(facts);
  if (facts.doubt == FileDoubt::of_template && !facts.fragment.empty()) {
    return without_request(Health::alive, reason::ok, "file",
                           fmt::format("{} exists; the anchors of a template are unknown", facts.name));
  }
  if (facts.found.absent) {
    return without_request(Health::alive, reason::ok, "file",
                           fmt::format("git tracks {}, but it is not in this working tree", facts.name));
  }
  return facts.anchor == AnchorStatus::found ? alive_verdict(facts.name, facts.fragment)
                                             : evaluate_missing_anchor(facts);
}

Verdict alive_verdict(std::string_view name, std::string_view fragment) {
  return without_request(Health::alive, reason::ok, fragment.empty() ? "file" : "anchor",
                         fmt::format("{} exists", name));
}

}  // namespace linkherd::crawler
