// The links of a run as reports see them, one at a time, wherever they are kept: a run of a million links is never in
// memory as a whole.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "parser/lists/link_occurrence.h"
#include "storage/run.h"

namespace linkherd::storage {

class CheckedLinks {
 public:
  virtual ~CheckedLinks() = default;

  // Links have numbers, from 0 on, in the order of their first occurrence in the lists.
  virtual std::size_t size() const = 0;
  virtual CheckedLink at(std::size_t number) const = 0;
  // Those of at(number), for less.
  virtual std::vector<parser::LinkOccurrence> occurrences(std::size_t number) const = 0;
  // Visits each link once, in the order in which that is cheapest: the numbers may come in any order.
  virtual void for_each(const std::function<void(std::size_t number, const CheckedLink& link)>& visit) const = 0;

 protected:
  CheckedLinks() = default;
  CheckedLinks(const CheckedLinks&) = default;
  CheckedLinks& operator=(const CheckedLinks&) = default;
};

}  // namespace linkherd::storage
