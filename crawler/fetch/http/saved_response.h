// An HTTP response as web archives have it, in the block of a WARC record. Pure rules; tolerant of the dialects of
// wget, Heritrix, Common Crawl and warcio, bounded by the caller.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "crawler/fetch/http/fetch_result.h"
#include "storage/warc/warc_reader.h"

namespace linkherd::crawler {

// An HTTP response that begins with its status line, chunks joined. nullopt: it is no HTTP.
std::optional<HopAnswer> parse_response(const std::string& block, bool is_whole);

// As the network would have given it, its content coding included; chunks are joined. `block`: of `record`, or its
// beginning where `is_whole` is false. A resource is a page without headers of its own. nullopt where it is no HTTP.
std::optional<HopAnswer> parse_saved_response(const storage::WarcRecord& record, std::string block, bool is_whole);
// The same of the record that `reader` has just given, for a body of at most `max_body` bytes.
std::optional<HopAnswer> read_saved_response(storage::WarcReader& reader, const storage::WarcRecord& record,
                                             std::size_t max_body);

// Whether the block of a response, or its beginning, starts with the status line of an HTTP response.
bool begins_response(std::string_view block);
inline constexpr std::size_t response_start = std::size_t{1} << 10;  // bytes of a block that are enough for that

// Keeps of the body what the network would have given: nothing of kinds that no snapshot keeps, else `max_body` bytes.
void limit_saved_body(HopAnswer& answer, std::size_t max_body, bool should_keep_any_body);

}  // namespace linkherd::crawler
