#include "crawler/fetch/http/saved_response.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "crawler/fetch/http/response_headers.h"
#include "parser/ascii.h"

namespace linkherd::crawler {

namespace {

// Reads the size at the beginning of a chunk and removes it from `text`. Returns nullopt if there is none.
std::optional<std::size_t> take_chunk_size(std::string_view& text) {
  std::size_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size, 16);
  if (error != std::errc()) return std::nullopt;
  const auto digits = static_cast<std::size_t>(end - text.data());
  const std::size_t line_end = text.find('\n');
  if (line_end == std::string_view::npos) return std::nullopt;
  const std::string_view extension = parser::trim_ascii(text.substr(digits, line_end - digits));
  if (!extension.empty() && !extension.starts_with(';')) return std::nullopt;
  text.remove_prefix(line_end + 1);
  return size;
}

// Many archives have joined the chunks already, but kept the header. Such bodies stay unchanged.
void join_chunks(AttemptResult& response) {
  std::string_view rest = response.body;
  std::string joined;
  for (bool is_first = true;; is_first = false) {
    const std::optional<std::size_t> size = take_chunk_size(rest);
    if (!size && is_first) return;
    if (!size || *size > rest.size()) {
      if (size) joined += rest;
      response.body_state = BodyState::cut;
      break;
    }
    if (*size == 0) break;
    joined += rest.substr(0, *size);
    rest.remove_prefix(*size);
    if (rest.starts_with('\r')) rest.remove_prefix(1);
    if (rest.starts_with('\n')) rest.remove_prefix(1);
  }
  response.body = std::move(joined);
}

bool is_shorter_than_announced(const AttemptResult& response) {
  const std::string_view announced = response.header("content-length");
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(announced.data(), announced.data() + announced.size(), length);
  return error == std::errc() && !announced.empty() && !response.body.empty() && response.body.size() < length;
}

}  // namespace

std::optional<AttemptResult> parse_response(const std::string& block, bool is_whole) {
  AttemptResult response;
  if (!is_whole) response.body_state = BodyState::cut;
  ResponseHeaders headers;
  std::size_t begin = 0;
  while (begin < block.size() && !headers.complete()) {
    const std::size_t end = std::min(block.find('\n', begin), block.size() - 1) + 1;
    if (!headers.add_line(std::string_view(block).substr(begin, end - begin))) break;
    begin = end;
  }
  if (headers.status() < 100) return std::nullopt;
  if (!headers.complete()) response.body_state = BodyState::cut;
  response.status = headers.status();
  response.headers = headers.take();
  response.body = headers.complete() ? block.substr(begin) : std::string();
  if (parser::contains_ignoring_case(response.header("transfer-encoding"), "chunked")) {
    join_chunks(response);
  } else if (is_shorter_than_announced(response)) {
    response.body_state = BodyState::cut;
  }
  return response;
}

std::optional<AttemptResult> parse_saved_response(const storage::WarcRecord& record, std::string block, bool is_whole) {
  std::optional<AttemptResult> response;
  is_whole = is_whole && record.field("warc-truncated").empty();
  if (record.type == "resource") {
    response.emplace();
    response->status = 200;
    response->headers.push_back({"content-type", std::string(record.field("content-type"))});
    response->body = std::move(block);
    if (!is_whole) response->body_state = BodyState::cut;
  } else {
    response = parse_response(block, is_whole);
  }
  if (response) response->remote_address = record.field("warc-ip-address");
  return response;
}

std::optional<AttemptResult> read_saved_response(storage::WarcReader& reader, const storage::WarcRecord& record,
                                                 std::size_t max_body) {
  // Chunk sizes and headers need more room than the body.
  std::string block = reader.read_block(ResponseHeaders::max_total + max_body + max_body / 4);
  const bool is_whole = block.size() == record.length;
  return parse_saved_response(record, std::move(block), is_whole);
}

bool begins_response(std::string_view block) {
  constexpr int lowest_status = 100;
  ResponseHeaders headers;
  while (!block.empty() && headers.status() == 0) {
    const std::string_view line = block.substr(0, std::min(block.find('\n'), block.size() - 1) + 1);
    if (!headers.add_line(line)) return false;
    block.remove_prefix(line.size());
  }
  return headers.status() >= lowest_status;
}

void limit_saved_body(AttemptResult& response, std::size_t max_body, bool should_keep_any_body) {
  if (!should_keep_any_body && !is_kept_type(response.header("content-type"))) {
    response.body.clear();
    response.body_state = BodyState::dropped;
  } else if (response.body.size() > max_body) {
    response.body.resize(max_body);
    response.body_state = BodyState::cut;
  }
}

}  // namespace linkherd::crawler
