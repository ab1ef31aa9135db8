// Describes what the browser made of a page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "storage/snapshot.h"

namespace linkherd::crawler {

enum class VisitOutcome : std::uint8_t {
  complete,     // the network was quiet and the DOM had stopped changing
  incomplete,   // read at a limit, or without something that its scripts need
  failed,       // there is no page: `detail` says why
  unavailable,  // there is no browser
  interrupted,  // the run was stopped
};

struct RenderedPage {
  VisitOutcome outcome = VisitOutcome::failed;
  std::string detail;                            // a message for people, unless the page is complete
  std::string final_url;                         // of the main document; a new entry of its history is no new document
  int status = 0;                                // of the main document; 0: none
  std::vector<storage::ResponseHeader> headers;  // of the main document
  std::string html;                              // the DOM in UTF-8; empty unless has_page()
  std::size_t bytes = 0;                         // loaded by the page and everything in it

  bool has_page() const { return outcome == VisitOutcome::complete || outcome == VisitOutcome::incomplete; }
};

}  // namespace linkherd::crawler
