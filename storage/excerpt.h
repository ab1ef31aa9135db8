// What a report looks at in the snapshots of all links. The store has it in the row of a link, so that those that are
// fine are read without their histories.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "parser/html/text_signature.h"
#include "parser/timestamp.h"
#include "storage/snapshot.h"

namespace linkherd::storage {

struct Excerpt {
  std::string reason;  // of the verdict
  std::string final_url;
  std::optional<std::string>
      canonical;  // that the page itself declares, not the address that it has for social networks
  parser::TextSignature main_text;
  std::optional<std::uint32_t> title_hash;  // of its letters; nullopt: none, or the page has no comparable text
  std::optional<std::uint32_t> body_hash;   // see hash_of_digest()
  std::optional<Timestamp> certificate_expires;
  bool is_chain_incomplete = false;  // see Certificate
  bool has_title = false;
  bool has_authors = false;
  bool has_published = false;
  bool has_facts = false;
  std::string vantage;

  bool operator==(const Excerpt&) const = default;
};

Excerpt excerpt_of(const Snapshot& snapshot);

// The first 32 bits of a digest of a body; nullopt where it is none. Stored: DO NOT CHANGE.
std::optional<std::uint32_t> hash_of_digest(std::string_view hex_digest);

}  // namespace linkherd::storage
