// Helpers of the fuzzers for pages and metadata.
#pragma once

#include <chrono>
#include <cstdlib>
#include <string_view>

#include "parser/metadata/metadata.h"
#include "parser/timestamp.h"
#include "parser/utf8.h"

namespace linkherd::parser {

inline void must(bool holds) {
  if (!holds) std::abort();
}

inline const Timestamp fuzzing_now = std::chrono::sys_days(std::chrono::year(2026) / 8 / 1);

// Aborts if metadata violates an invariant that holds for arbitrary input bytes.
inline void must_be_sound(const Metadata& metadata) {
  for (const auto* text :
       {&metadata.title, &metadata.language, &metadata.site_name, &metadata.description, &metadata.canonical,
        &metadata.published, &metadata.modified, &metadata.doi, &metadata.arxiv, &metadata.isbn}) {
    if (!*text) continue;
    must(!(*text)->value.empty() && is_valid_utf8((*text)->value));
    must((*text)->value.find('\0') == std::string_view::npos && (*text)->value.find('\x1B') == std::string_view::npos);
    must((*text)->confidence >= 0.0 && (*text)->confidence <= 1.0 && !(*text)->source.empty());
  }
  for (const auto* date : {&metadata.published, &metadata.modified}) {
    if (*date) must((*date)->value >= "1900" && (*date)->value < "2026-08-03");
  }
  if (!metadata.authors) return;
  must(!metadata.authors->value.empty() && metadata.authors->value.size() <= 50);
  for (const auto& name : metadata.authors->value) must(!name.empty() && is_valid_utf8(name));
}

}  // namespace linkherd::parser
