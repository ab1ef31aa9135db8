#include "crawler/fix/rewrite_list.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

namespace linkherd::crawler {
namespace {

std::size_t hash_of(std::string_view text) { return std::hash<std::string_view>()(text); }

void mix(std::size_t& hash, std::size_t value) { hash ^= value + 0x9E3779B9 + (hash << 6U) + (hash >> 2U); }

// A change of a URL or a link text while spellings are tried.
struct Attempt {
  std::size_t link = 0;
  std::size_t spelling = 0;  // index of the current spelling
  bool is_refused = false;
};

class Rewriter {
 public:
  Rewriter(const parser::DocumentText& list, const parser::ExtractOptions& options, const std::vector<ReadLink>& links,
           const std::vector<WantedChange>& changes, const std::vector<WantedText>& texts)
      : list_(list), options_(options), links_(links), changes_(changes), texts_(texts) {
    for (const WantedChange& change : changes) urls_.push_back({change.link, 0, change.spellings.empty()});
    for (const WantedText& text : texts) titles_.push_back({text.link, 0, text.span.length == 0});
  }

  Rewritten run() {
    constexpr std::size_t max_attempts = 60;
    constexpr std::size_t max_bytes = std::size_t{4} << 30U;  // maximum bytes to parse again, over all attempts
    const std::size_t attempts = std::min(max_attempts, max_bytes / (list_.text.size() + 1) + 2);
    for (std::size_t i = 0; i < attempts; ++i) {
      Rewritten made = make();
      if (made.edits.empty()) return made;
      const std::vector<std::size_t> wrong = wrong_links(made);
      if (wrong.empty()) return made;
      for (const std::size_t link : wrong) give_way(link);
    }
    for (Attempt& url : urls_) url.is_refused = true;
    for (Attempt& title : titles_) title.is_refused = true;
    return make();
  }

 private:
  // Computes how each link should be read. Must be called in the order of the links.
  class Expectation {
   public:
    Expectation(const Rewriter& rewriter, const Rewritten& made) : rewriter_(rewriter), made_(made) {}

    ReadLink of(std::size_t index, const ReadLink& found) {
      ReadLink expected = rewriter_.links_[index];
      for (; edit_ < made_.edits.size() && made_.edits[edit_].offset < expected.offset; ++edit_)
        shift_ += made_.edits[edit_].text.size() - made_.edits[edit_].length;
      expected.offset += shift_;
      if (const Attempt* const url = attempt_at(rewriter_.urls_, url_, index)) {
        const WantedChange& change = rewriter_.changes_[url_];
        const Spelling& spelling = change.spellings[url->spelling];
        expected.offset += spelling.url_at;
        expected.length = spelling.url_size;
        expected.href = hash_of(change.href);
        if (change.text_follows_url) expected.text = found.text;
      }
      if (attempt_at(rewriter_.titles_, title_, index) != nullptr)
        expected.text = hash_of(rewriter_.texts_[title_].text);
      return expected;
    }

   private:
    static const Attempt* attempt_at(const std::vector<Attempt>& all, std::size_t& next, std::size_t index) {
      while (next < all.size() && all[next].link < index) ++next;
      const bool is_made = next < all.size() && all[next].link == index && !all[next].is_refused;
      return is_made ? &all[next] : nullptr;
    }

    const Rewriter& rewriter_;
    const Rewritten& made_;
    std::size_t url_ = 0, title_ = 0, edit_ = 0;
    std::uint64_t shift_ = 0;  // modulo 2^64
  };

  Rewritten make() const {
    Rewritten made;
    for (std::size_t i = 0; i < urls_.size(); ++i) {
      if (urls_[i].is_refused) {
        made.refused_changes.push_back(i);
        continue;
      }
      const ReadLink& link = links_[changes_[i].link];
      made.edits.push_back({link.offset, link.length, changes_[i].spellings[urls_[i].spelling].text});
    }
    for (std::size_t i = 0; i < titles_.size(); ++i) {
      if (titles_[i].is_refused) {
        made.refused_texts.push_back(i);
      } else {
        made.edits.push_back({texts_[i].span.offset, texts_[i].span.length, texts_[i].spelling});
      }
    }
    std::ranges::sort(made.edits, {}, &TextEdit::offset);
    made.text = with_edits(list_.text, made.edits);
    return made;
  }

  // Returns the indices of links that are not read as intended. A link at a wrong position or under wrong headings may
  // shift all later ones, so the check ends there.
  std::vector<std::size_t> wrong_links(const Rewritten& made) const {
    std::vector<std::size_t> wrong;
    Expectation expectation(*this, made);
    bool is_lost = false;
    std::size_t index = 0;
    const auto check = [&](const parser::LinkOccurrence& occurrence) {
      if (is_lost) return;
      const ReadLink found = read_link(occurrence);
      if (index < links_.size()) {
        const ReadLink expected = expectation.of(index, found);
        const bool is_at_expected_place =
            found.offset == expected.offset && found.context_hash == expected.context_hash;
        if (!is_at_expected_place || found.length != expected.length || found.href != expected.href ||
            found.text != expected.text)
          wrong.push_back(index);
        is_lost = !is_at_expected_place;
      } else {
        wrong.push_back(index);
        is_lost = true;
      }
      ++index;
    };
    parser::DocumentText list = list_;
    list.text = made.text;
    parser::for_each_link(list, options_, check);
    if (!is_lost && index != links_.size()) wrong.push_back(index);
    return wrong;
  }

  // Takes the change nearest before the wrong link, or else the next change. Tries its next spelling, or refuses it if
  // none is left.
  void give_way(std::size_t wrong) {
    Attempt* const title = nearest(titles_, wrong);
    Attempt* const url = nearest(urls_, wrong);
    const auto is_before = [wrong](const Attempt* one) { return one->link <= wrong; };
    const bool is_title = title != nullptr && (url == nullptr || (is_before(title) && !is_before(url)) ||
                                               (is_before(title) == is_before(url) && title->link >= url->link));
    if (is_title) {
      title->is_refused = true;
    } else if (url != nullptr) {
      const std::vector<Spelling>& spellings = changes_[static_cast<std::size_t>(url - urls_.data())].spellings;
      if (++url->spelling == spellings.size()) url->is_refused = true;
    }
  }

  // Returns null if all are refused.
  static Attempt* nearest(std::vector<Attempt>& all, std::size_t wrong) {
    const auto is_open = [](const Attempt& one) { return !one.is_refused; };
    const auto after = std::ranges::upper_bound(all, wrong, {}, &Attempt::link);
    const auto before = std::find_if(std::make_reverse_iterator(after), all.rend(), is_open);
    if (before != all.rend()) return &*before;
    const auto next = std::find_if(after, all.end(), is_open);
    return next == all.end() ? nullptr : &*next;
  }

  const parser::DocumentText& list_;
  const parser::ExtractOptions& options_;
  const std::vector<ReadLink>& links_;
  const std::vector<WantedChange>& changes_;
  const std::vector<WantedText>& texts_;
  std::vector<Attempt> urls_, titles_;  // in the order of `changes_` and `texts_`
};

}  // namespace

ReadLink read_link(const parser::LinkOccurrence& occurrence) {
  ReadLink link;
  link.offset = occurrence.offset;
  link.length = occurrence.length;
  link.href = hash_of(occurrence.href);
  link.text = hash_of(occurrence.text);
  link.context_hash = static_cast<std::size_t>(occurrence.element);
  mix(link.context_hash, hash_of(occurrence.ignored_by));
  for (const std::string& heading : occurrence.headings) mix(link.context_hash, hash_of(heading));
  return link;
}

Rewritten rewrite_list(const parser::DocumentText& list, const parser::ExtractOptions& options,
                       const std::vector<ReadLink>& links, const std::vector<WantedChange>& changes,
                       const std::vector<WantedText>& texts) {
  return Rewriter(list, options, links, changes, texts).run();
}

std::string with_edits(std::string_view text, const std::vector<TextEdit>& edits) {
  std::string result;
  result.reserve(text.size());
  std::size_t done = 0;
  for (const TextEdit& edit : edits) {
    result.append(text.substr(done, edit.offset - done)).append(edit.text);
    done = edit.offset + edit.length;
  }
  return result.append(text.substr(done));
}

}  // namespace linkherd::crawler
