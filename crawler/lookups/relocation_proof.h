// Decides how well a page that was found is proven to be the page of a dead link. Pure functions.
//
// The last good snapshot of the dead link is compared with that of the candidate: text, title, authors, date, and the
// numbers in titles and addresses. Nothing is proven by the text alone, because pages share templates, nor by the title
// alone, because editions share titles.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "parser/url/url.h"
#include "storage/relocation.h"
#include "storage/snapshot.h"

namespace linkherd::crawler {

using storage::RelocationLevel;

// One version of a page. Refers to its arguments.
struct PageVersion {
  const parser::Url& url;
  const storage::Snapshot& snapshot;
  std::string_view main_text = {};  // empty if the body is not available; the signature is compared then
};

// The known properties of a candidate apart from its content.
struct RelocationContext {
  storage::RelocationSource source = storage::RelocationSource::sitemap;  // of the candidate
  bool has_redirect = false;          // the host led the old page there, and no other of its pages
  std::size_t explaining_moves = 0;   // number of moves of the host that explain the new address
  double rival_similarity = 0.0;      // the highest one of other candidates and of a neighbour of the candidate
  bool is_shared = false;             // another dead link leads to the same page
  bool is_only_file_of_name = false;  // of its repository; counts like the same title
  bool is_same_project = false;       // site and repository of the same name, which link to each other
  const std::optional<double>* similarity = nullptr;  // of the texts, if it was computed before; null: it is computed
};

struct RelocationProof {
  RelocationLevel level = RelocationLevel::possibly;
  std::optional<double> similarity;  // of the texts, 0 to 1; nullopt if they cannot be compared
  std::string evidence;              // text for people: "same title, about 97 % of the text"
};

// Returns the similarity of the main texts: the shared part of their runs of three words. It is exact if both texts are
// available, and estimated from the signatures otherwise. Returns nullopt if a text is missing or too short.
std::optional<double> text_similarity(const PageVersion& one, const PageVersion& other);

// Returns nullopt if the candidate is no page, is the home page instead of another page, or has nothing in common with
// the old page.
std::optional<RelocationProof> prove_relocation(const PageVersion& old_page, const PageVersion& candidate,
                                                const RelocationContext& context);

}  // namespace linkherd::crawler
