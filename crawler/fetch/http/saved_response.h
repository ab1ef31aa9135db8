// Parses an HTTP response from the block of a WARC record. Pure rules that tolerate the dialects of wget, Heritrix,
// Common Crawl and warcio. The caller bounds the size.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "crawler/fetch/http/fetch_result.h"
#include "storage/warc/warc_reader.h"

namespace linkherd::crawler {

// Parses an HTTP response that begins with its status line, and joins its chunks. Returns nullopt if it is not HTTP.
std::optional<AttemptResult> parse_response(const std::string& block, bool is_whole);

// Returns the response as the network would have given it: still content-coded, but with joined chunks. `block` is the
// block of `record`, or its beginning if `is_whole` is false. A resource record becomes a page without headers. Returns
// nullopt if the block is not HTTP.
std::optional<AttemptResult> parse_saved_response(const storage::WarcRecord& record, std::string block, bool is_whole);
// Like parse_saved_response(), for the record that `reader` has just returned. Reads enough for a body of `max_body`
// bytes.
std::optional<AttemptResult> read_saved_response(storage::WarcReader& reader, const storage::WarcRecord& record,
                                                 std::size_t max_body);

// Returns true if a block, or its beginning, starts with the status line of an HTTP response.
bool begins_response(std::string_view block);
// Bytes of a block that suffice for begins_response().
inline constexpr std::size_t response_start = std::size_t{1} << 10;

// Reduces the body to what the network would have given: empty for types that no snapshot keeps, else at most
// `max_body` bytes.
void limit_saved_body(AttemptResult& response, std::size_t max_body, bool should_keep_any_body);

}  // namespace linkherd::crawler
