// Remembers for each origin how repeating its refused or failed attempts in another way has worked so far. Used by one
// fetch thread.
#pragma once

#include <string>
#include <unordered_map>

#include "crawler/fetch/http/fetch_request.h"

namespace linkherd::crawler {

class AlternativeRetries {
 public:
  // Returns true if this alternative has helped before, so that later links of the origin use it from the start.
  bool has_helped(Alternative alternative, const std::string& origin) const;
  // Returns false if the alternative has failed too often at this origin.
  bool may_try(Alternative alternative, const std::string& origin) const;
  void note_start(Alternative alternative, const std::string& origin) { ++count_of(alternative, origin).failed; }
  // Records that an attempt of note_start() has helped.
  void note_success(Alternative alternative, const std::string& origin);

 private:
  struct Count {
    int failed = 0;  // attempts without success, including those in flight
    bool has_helped = false;
  };
  using CountByOrigin = std::unordered_map<std::string, Count>;
  Count known(Alternative alternative, const std::string& origin) const;
  Count& count_of(Alternative alternative, const std::string& origin);

  CountByOrigin as_browser_;
  CountByOrigin in_other_version_;
};

}  // namespace linkherd::crawler
