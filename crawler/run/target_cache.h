// Remembers the links of the last folder that are already in a part of a link table, because most pages of a folder
// have the same links.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crawler/sources/local_links.h"
#include "parser/ascii.h"
#include "parser/lists/link_occurrence.h"
#include "parser/text_table.h"

namespace linkherd::crawler {

// Equivalent to operator==, which is not inlined. Most texts here differ in size or are empty.
inline bool is_same_text(std::string_view left, std::string_view right) { return std::ranges::equal(left, right); }

// Used by one thread. The cache stores little per link, because all of it is compared again and again, and reuses the
// memory for the next folder.
class TargetCache {
 public:
  struct Link {
    std::string target;
    std::string url;  // as written; empty: equal to `target`
    std::string href;
    std::vector<parser::LinkNote> notes;
    std::size_t hash = 0;      // of `target`
    std::size_t list = 0;      // the last input document with this link
    std::uint32_t number = 0;  // index in the table of the part
    // The content of the latest occurrence: its index in the table of the part, element and role.
    std::uint32_t content = 0;
    parser::LinkElement element = parser::LinkElement::link;
    parser::LinkRole role = parser::LinkRole::main;
    std::string text, description, rel;

    bool is_written_like(const parser::LinkOccurrence& occurrence) const {
      return is_same_text(occurrence.text, text) && occurrence.element == element && occurrence.role == role &&
             is_same_text(occurrence.rel, rel) && is_same_text(occurrence.description, description);
    }
    void keep_content(const parser::LinkOccurrence& occurrence, std::uint32_t its_number) {
      content = its_number;
      text = occurrence.text;
      rel = occurrence.rel;
      description = occurrence.description;
      element = occurrence.element;
      role = occurrence.role;
    }
  };

  // Longer targets and URLs are not cached.
  static constexpr std::size_t max_bytes = 1024;

  void begin_part() { forget(); }

  // Starts the next input document. `context`: determines what the links mean, except those that lead to the document
  // itself.
  void begin_list(std::string context) {
    ++list_;
    own_page_ = {};
    if (context_ == context) return;
    forget();
    context_ = std::move(context);
  }

  // Returns the file of the page that a target leads to; `target` has no fragment. Returns null if it is not known to
  // be a file. An empty target means the input document itself.
  const LocalLink* page(std::string_view target) {
    if (target.empty()) return own_page_.file ? &own_page_ : nullptr;
    if (leads_to_list(target)) return nullptr;
    const std::uint32_t number = page_numbers_.intern(target);
    return number < pages_.size() && pages_[number].file ? &pages_[number] : nullptr;
  }
  void keep_page(std::string_view target, const LocalLink& page) {
    if (target.empty()) {
      own_page_ = page;
      return;
    }
    if (leads_to_list(target)) return;
    const std::uint32_t number = page_numbers_.intern(target);
    if (number >= pages_.size()) pages_.resize(std::size_t{number} + 1);
    pages_[number] = page;
  }

  // A link of the current input document. `is_new`: only its URL as written is set. Valid until the next call of
  // find_or_add().
  struct Found {
    Link& link;
    bool is_new;
  };
  Found find_or_add(std::string_view target, std::string_view url) {
    if (is_same_text(url, target)) url = {};
    const std::size_t hash = std::hash<std::string_view>()(target);
    if (count_ == max_links) forget();
    std::uint32_t& number = slot_of(hash, target);
    const bool is_new = number == none;
    if (is_new) {
      number = count_++;
      if (number == links_.size()) links_.emplace_back();
      links_[number].hash = hash;
      links_[number].target = target;
    }
    Link& link = links_[number];
    const bool is_of_list = std::exchange(link.list, list_) == list_;
    if (!is_new && is_same_text(link.url, url) && (is_of_list || !leads_to_list(target))) return {link, false};
    link.url = url;
    return {link, true};
  }

 private:
  static constexpr std::uint32_t max_links = 2048;
  static constexpr std::size_t max_slots = std::size_t{2} * max_links;
  static constexpr std::uint32_t none = UINT32_MAX;

  // Returns true for "#section", "?page=2" and "".
  static bool leads_to_list(std::string_view target) {
    target = parser::trim_ascii(target);
    return target.empty() || target.front() == '#' || target.front() == '?' || target.front() <= ' ';
  }

  void forget() {
    if (count_ > 0) std::ranges::fill(slots_, none);
    count_ = 0;
    page_numbers_ = {};
    pages_.clear();
  }

  // Returns the slot of the link with that target, or a free one. Uses linear probing.
  std::uint32_t& slot_of(std::size_t hash, std::string_view target) {
    for (std::size_t at = hash;; ++at) {
      std::uint32_t& number = slots_[at % max_slots];
      if (number == none || (links_[number].hash == hash && is_same_text(links_[number].target, target))) return number;
    }
  }

  std::string context_;
  std::size_t list_ = 0;
  std::vector<Link> links_;
  std::uint32_t count_ = 0;  // of valid elements in `links_`; the others are reusable memory
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(max_slots, none);  // hash table of indices in `links_`
  // Files of pages by target: see page(). An element has no file if none is known.
  LocalLink own_page_;
  parser::TextTable page_numbers_;
  std::vector<LocalLink> pages_;
};

}  // namespace linkherd::crawler
