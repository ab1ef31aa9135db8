#include "parser/metadata/explain.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace linkherd::parser {
namespace {

std::string text_of(const std::string& value) { return value; }
std::string text_of(const WrittenDate& value) { return to_iso8601(value); }

std::string text_of(const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& value : values) {
    if (!text.empty()) text += "; ";
    text += value;
  }
  return text;
}

class Explanation {
 public:
  template <class T>
  void add(std::string_view field, const CandidateList<T>& list, const CandidateList<T>* more = nullptr) {
    const std::size_t begin = explained_.size();
    append(field, list);
    if (more != nullptr) append(field, *more);
    const auto first = explained_.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto choice =
        std::find_if(first, explained_.end(), [](const ExplainedCandidate& one) { return one.verdict == chosen; });
    for (auto one = first; one != explained_.end(); ++one) {
      if (!one->verdict.empty()) continue;
      one->verdict = choice == explained_.end()
                         ? "not usable"
                         : fmt::format("another value, less trusted than that of {}", choice->source);
    }
    if (choice != explained_.end()) std::rotate(first, choice, choice + 1);
  }

  template <class T>
  void add_apart(std::string_view field, const CandidateList<T>& list) {
    const std::size_t begin = explained_.size();
    append(field, list);
    for (std::size_t i = begin; i < explained_.size(); ++i) explained_[i].verdict = "kept apart: not an author";
  }

  std::vector<ExplainedCandidate> take() { return std::move(explained_); }

 private:
  template <class T>
  void append(std::string_view field, const CandidateList<T>& list) {
    for (const Candidate<T>& candidate : list) {
      explained_.push_back({.field = std::string(field),
                            .value = text_of(candidate.value),
                            .source = candidate.source,
                            .confidence = candidate.trust,
                            .verdict = std::string(candidate.verdict)});
    }
  }

  std::vector<ExplainedCandidate> explained_;
};

}  // namespace

std::vector<ExplainedCandidate> explain(const Candidates& candidates) {
  Explanation explanation;
  explanation.add("title", candidates.titles, &candidates.headings);
  explanation.add("authors", candidates.authors);
  explanation.add("published", candidates.published);
  explanation.add("modified", candidates.modified);
  explanation.add("language", candidates.language);
  explanation.add("site_name", candidates.site_name);
  explanation.add("description", candidates.description);
  explanation.add("canonical", candidates.canonical);
  explanation.add_apart("editor", candidates.editors);
  explanation.add_apart("translator", candidates.translators);
  explanation.add_apart("origin", candidates.origins);
  return explanation.take();
}

}  // namespace linkherd::parser
