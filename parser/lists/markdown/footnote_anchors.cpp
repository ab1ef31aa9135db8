#include "parser/lists/markdown/footnote_anchors.h"

#include <cstddef>
#include <unordered_map>
#include <utility>

#include "parser/lists/heading_slugs.h"

namespace linkherd::parser {
namespace {

enum class FootnoteForm : unsigned char {
  by_label,   // "fn:a", "fnref:a": Python-Markdown and kramdown
  by_number,  // "fn1", "fnref1", "fn:1", "fnref:1": Pandoc, goldmark, markdown-it
  of_book,    // "footnote-a", "fr-a-1"
  of_github,  // "fn-a", "fnref-a", after the prefix "user-content-", which is ignored in comparisons
  any,
};

FootnoteForm form_of(SiteGenerator generator) {
  switch (generator) {
    case SiteGenerator::mkdocs:
    case SiteGenerator::pelican:
    case SiteGenerator::jekyll: return FootnoteForm::by_label;
    case SiteGenerator::hugo:
    case SiteGenerator::quarto:
    case SiteGenerator::vitepress:
    case SiteGenerator::vuepress: return FootnoteForm::by_number;
    case SiteGenerator::mdbook: return FootnoteForm::of_book;
    case SiteGenerator::docusaurus:
    case SiteGenerator::astro: return FootnoteForm::of_github;
    case SiteGenerator::sphinx:
    case SiteGenerator::antora:
    case SiteGenerator::obsidian:
    case SiteGenerator::gatsby:
    case SiteGenerator::next:
    case SiteGenerator::eleventy:
    case SiteGenerator::none: break;
  }
  return FootnoteForm::any;
}

class Footnotes {
 public:
  explicit Footnotes(FootnoteForm form) : form_(form) {}

  // Adds a footnote or a reference to it.
  void add(const std::string& label, bool is_definition) {
    const auto [note, is_new] = notes_.try_emplace(label);
    if (is_new) {
      note->second.number = notes_.size();
      add_note(label, std::to_string(note->second.number));
    }
    if (!is_definition) add_reference(label, note->second.number, ++note->second.references);
  }

  std::vector<std::string> take() { return std::move(anchors_); }

 private:
  struct Note {
    std::size_t number = 0;  // 1-based, in the order of the text
    std::size_t references = 0;
  };

  bool has(FootnoteForm form) const { return form_ == form || form_ == FootnoteForm::any; }

  void add_note(const std::string& label, const std::string& number) {
    anchors_.push_back("fn-" + to_lower_case(label));
    if (has(FootnoteForm::by_label)) anchors_.push_back("fn:" + label);
    if (has(FootnoteForm::by_number)) {
      anchors_.push_back("fn" + number);
      anchors_.push_back("fn:" + number);
    }
    if (has(FootnoteForm::of_book)) anchors_.push_back("footnote-" + label);
    if (form_ == FootnoteForm::of_book) anchors_.push_back(label);  // the form of older versions
  }

  void add_reference(const std::string& label, std::size_t number, std::size_t count) {
    const std::string note = std::to_string(number);
    const std::string nth = std::to_string(count);
    const std::string before = std::to_string(count - 1);
    const bool is_first = count == 1;
    anchors_.push_back("fnref-" + to_lower_case(label) + (is_first ? "" : "-" + nth));
    if (has(FootnoteForm::by_label)) {
      anchors_.push_back("fnref" + (is_first ? "" : nth) + ":" + label);
      if (!is_first) anchors_.push_back("fnref:" + label + ":" + before);
    }
    if (has(FootnoteForm::by_number)) {
      anchors_.push_back("fnref" + note + (is_first ? "" : ":" + before));
      anchors_.push_back("fnref" + (is_first ? "" : before) + ":" + note);
    }
    if (has(FootnoteForm::of_book)) anchors_.push_back("fr-" + label + "-" + nth);
  }

  FootnoteForm form_;
  std::unordered_map<std::string, Note> notes_;
  std::vector<std::string> anchors_;
};

}  // namespace

std::vector<std::string> find_footnote_anchors(std::string_view text, SiteGenerator generator) {
  constexpr std::size_t max_label = 200;
  Footnotes notes(form_of(generator));
  for (std::size_t at = text.find("[^"); at != std::string_view::npos; at = text.find("[^", at + 2)) {
    const std::string_view rest = text.substr(at + 2, max_label);
    const std::size_t length = rest.find_first_of("[] \t\r\n");
    if (length == 0 || length == std::string_view::npos || rest[length] != ']') continue;
    const bool begins_line = at == 0 || text[at - 1] == '\n' || text[at - 1] == '\r';
    notes.add(std::string(rest.substr(0, length)), begins_line && rest.substr(length + 1).starts_with(':'));
  }
  return notes.take();
}

}  // namespace linkherd::parser
