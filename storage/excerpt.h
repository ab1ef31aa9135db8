// The parts of a snapshot that reports need for every link. The store keeps the excerpt in the row of the link, so
// reports read fine links without their history rows.
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
  std::string reason;  // the verdict's reason
  std::string final_url;
  // Declared by the page itself; not the address that it gives to social networks.
  std::optional<std::string> canonical;
  parser::TextSignature main_text;
  // Hash of the title's letters; nullopt if there is no title or the page has no comparable text.
  std::optional<std::uint32_t> title_hash;
  std::optional<std::uint32_t> body_hash;  // see hash_digest()
  std::optional<Timestamp> certificate_expires;
  bool is_chain_incomplete = false;  // see Certificate
  bool has_title = false;
  bool has_authors = false;
  bool has_published = false;
  bool has_facts = false;
  std::string vantage;

  bool operator==(const Excerpt&) const = default;
};

Excerpt make_excerpt(const Snapshot& snapshot);

// Returns the first 32 bits of a body digest, or nullopt if the text is not a digest. Stored: DO NOT CHANGE. Example:
// "2cf24dba5fb0a30e…" becomes 0x2cf24dba.
std::optional<std::uint32_t> hash_digest(std::string_view hex_digest);

}  // namespace linkherd::storage
