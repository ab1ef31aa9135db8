// Which link stands in which section of the text report. Links are held by number, so that what a first screen says of
// a million of them is known after one look at each.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "storage/run.h"

namespace linkherd::reports {

using LinkList = std::vector<std::size_t>;  // numbers, in the order of the lists

// Links of one host or of one cause.
struct LinkGroup {
  std::string name;
  std::string words;  // what is to be said of its first link …
  bool alike = true;  // … and whether that is so of all
  LinkList links;
};

// In the order of their first links.
class LinkGroups {
 public:
  void add(std::size_t number, std::string name, std::string words);
  std::vector<LinkGroup> take();

 private:
  std::vector<LinkGroup> groups_;
  std::vector<std::size_t> first_;  // of each
  std::unordered_map<std::string, std::size_t> index_;
};

// Every link of a report is in exactly one of these, a part of another aside.
struct Sections {
  LinkList broken;                    // dead and insecure
  LinkList broken_locally;            // of these: what no network was needed for
  LinkList doubtful;                  // dead by their content, and not surely: a warning
  LinkList moved;                     // permanently
  std::vector<LinkGroup> unverified;  // blocked: by host
  LinkList unanswered;                // unreachable
  std::vector<LinkGroup> put_off;     // deferred: by cause
  std::vector<LinkGroup> skipped;     // by cause
  LinkList fine;                      // alive, and redirected for the time being
  std::size_t cut_short = 0;          // of those put off: by the end of the run
};

std::size_t links_in(const std::vector<LinkGroup>& groups);  // of their links

// Sees each link once, in any order.
class SectionSorter {
 public:
  void add(std::size_t number, const storage::CheckedLink& link);
  Sections take();

 private:
  void add_put_off(std::size_t number, const storage::CheckedLink& link);

  Sections sections_;
  LinkGroups unverified_, put_off_, skipped_;
};

}  // namespace linkherd::reports
