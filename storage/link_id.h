// The identity of a link: the first 16 bytes of the SHA-256 of its L1 href (WHATWG serialisation, no fragment). Stored:
// DO NOT CHANGE. Later layers of canonical forms group links in reports, they never make an id.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "parser/url/url.h"

namespace linkherd::storage {

struct LinkId {
  std::array<std::uint8_t, 16> bytes{};

  static LinkId of(const parser::Url& url);
  static LinkId of_text(std::string_view text);  // for what is no URL: an occurrence that must be reported all the same
  std::string to_hex() const;
  static std::optional<LinkId> from_hex(std::string_view hex);

  auto operator<=>(const LinkId&) const = default;  // NOLINT(modernize-use-nullptr): false alarm of clang-tidy 14
};

// Lower-case hexadecimal SHA-256 of a payload: the key of a body, and what "same content" means.
std::string content_digest(std::string_view payload);

}  // namespace linkherd::storage

template <>
struct std::hash<linkherd::storage::LinkId> {
  std::size_t operator()(const linkherd::storage::LinkId& id) const noexcept {
    std::size_t h = 0;  // the id is a cryptographic hash already
    for (std::size_t i = 0; i < sizeof h; ++i) h = h << 8 | id.bytes[i];
    return h;
  }
};
