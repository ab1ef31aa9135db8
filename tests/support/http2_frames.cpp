#include "tests/support/http2_frames.h"

#include <cstddef>
#include <optional>

#include <openssl/ssl.h>

namespace linkherd::tests::http2 {

namespace {

constexpr std::size_t frame_head = 9;

std::string four_bytes(std::uint32_t number) {
  std::string bytes;
  for (const unsigned shift : {24U, 16U, 8U, 0U}) bytes += static_cast<char>(number >> shift & 0xFFU);
  return bytes;
}

// Reads the client's frames one at a time.
class FrameReader {
 public:
  FrameReader(ServerConnection& client, std::string seen) : client_(client), seen_(std::move(seen)) {}

  bool skip_preface() { return read(preface.size()).has_value(); }
  // Returns the stream of the next request, or 0 if the client has disconnected.
  std::uint32_t next_request() {
    while (const std::optional<std::string> head = read(frame_head)) {
      const auto byte = [&head](std::size_t i) {
        return static_cast<std::uint32_t>(static_cast<unsigned char>((*head)[i]));
      };
      if (!read(byte(0) << 16U | byte(1) << 8U | byte(2))) return 0;
      if ((*head)[3] == frame_type::settings && ((*head)[4] & ack) == 0)
        client_.send(frame(frame_type::settings, ack, 0, ""));
      if ((*head)[3] == frame_type::headers) return byte(5) << 24U | byte(6) << 16U | byte(7) << 8U | byte(8);
    }
    return 0;
  }

 private:
  std::optional<std::string> read(std::size_t count) {
    while (seen_.size() < count) {
      const std::string more = client_.read_some();
      if (more.empty()) return std::nullopt;
      seen_ += more;
    }
    std::string bytes = seen_.substr(0, count);
    seen_.erase(0, count);
    return bytes;
  }

  ServerConnection& client_;
  std::string seen_;
};

const unsigned char h2[] = {'h', '2'};  // NOLINT(modernize-avoid-c-arrays): OpenSSL keeps its address

bool is_offered(const unsigned char* names, unsigned size) {
  for (unsigned at = 0; at < size; at += names[at] + 1U) {
    if (names[at] == sizeof h2 && at + sizeof h2 < size && names[at + 1] == 'h' && names[at + 2] == '2') return true;
  }
  return false;
}

// `otherwise` is the result for a client that does not offer HTTP/2.
int choose(const unsigned char** out, unsigned char* length, const unsigned char* names, unsigned size,
           std::optional<int> otherwise) {
  if (otherwise && !is_offered(names, size)) return *otherwise;
  *out = h2;
  *length = sizeof h2;
  return SSL_TLSEXT_ERR_OK;
}

int on_any(SSL* /*session*/, const unsigned char** out, unsigned char* length, const unsigned char* names,
           unsigned size, void* /*unused*/) {
  return choose(out, length, names, size, std::nullopt);
}
int on_preferred(SSL* /*session*/, const unsigned char** out, unsigned char* length, const unsigned char* names,
                 unsigned size, void* /*unused*/) {
  return choose(out, length, names, size, SSL_TLSEXT_ERR_NOACK);
}
int on_required(SSL* /*session*/, const unsigned char** out, unsigned char* length, const unsigned char* names,
                unsigned size, void* /*unused*/) {
  return choose(out, length, names, size, SSL_TLSEXT_ERR_ALERT_FATAL);
}

}  // namespace

std::string frame(char type, char flags, std::uint32_t stream, const std::string& payload) {
  return four_bytes(static_cast<std::uint32_t>(payload.size())).substr(1) + type + flags + four_bytes(stream) + payload;
}

std::string rst_stream(std::uint32_t stream, std::uint32_t error) {
  return frame(frame_type::rst_stream, 0, stream, four_bytes(error));
}

std::string goaway(std::uint32_t error) { return frame(frame_type::goaway, 0, 0, four_bytes(0) + four_bytes(error)); }

std::string header(std::string_view name, std::string_view value) {
  std::string field(1, '\0');
  field += static_cast<char>(name.size());
  field += name;
  field += static_cast<char>(value.size());
  field += value;
  return field;
}

std::string status(int code) { return header(":status", std::to_string(code)); }

std::string page(std::uint32_t stream, const std::string& html) {
  return frame(frame_type::headers, end_headers, stream, status(200) + header("content-type", "text/html")) +
         frame(frame_type::data, end_stream, stream, html);
}

std::uint32_t read_request(ServerConnection& client, std::string seen) {
  client.send(frame(frame_type::settings, 0, 0, ""));
  FrameReader reader(client, std::move(seen));
  return reader.skip_preface() ? reader.next_request() : 0;
}

void serve(ServerConnection& client, std::string seen, const std::function<void(std::uint32_t stream)>& answer) {
  client.send(frame(frame_type::settings, 0, 0, ""));
  FrameReader reader(client, std::move(seen));
  if (!reader.skip_preface()) return;
  while (const std::uint32_t stream = reader.next_request()) answer(stream);
}

void choose_http2(ssl_ctx_st* context) { SSL_CTX_set_alpn_select_cb(context, &on_any, nullptr); }
void prefer_http2(ssl_ctx_st* context) { SSL_CTX_set_alpn_select_cb(context, &on_preferred, nullptr); }
void require_http2(ssl_ctx_st* context) { SSL_CTX_set_alpn_select_cb(context, &on_required, nullptr); }

}  // namespace linkherd::tests::http2
