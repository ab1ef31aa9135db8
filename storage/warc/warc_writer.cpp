#include "storage/warc/warc_writer.h"

#include <array>
#include <new>
#include <ostream>
#include <stdexcept>

#include <fmt/format.h>
#include <openssl/evp.h>
#define ZLIB_CONST  // input is never written to
#include <zlib.h>

namespace linkherd::storage {
namespace {

using Sha1 = std::array<std::uint8_t, 20>;

Sha1 sha1(std::string_view bytes) {
  static const EVP_MD* const method = EVP_MD_fetch(nullptr, "SHA1", nullptr);
  Sha1 digest{};
  unsigned length = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, method, nullptr) != 1 || length != digest.size()) {
    throw std::runtime_error("OpenSSL cannot compute SHA-1 on this machine");
  }
  return digest;
}

// Returns a version 5 UUID (RFC 9562, section 5.5) in the name space of URLs.
std::string make_uuid(std::string_view name) {
  constexpr std::string_view url_names("\x6b\xa7\xb8\x11\x9d\xad\x11\xd1\x80\xb4\x00\xc0\x4f\xd4\x30\xc8", 16);
  Sha1 bytes = sha1(std::string(url_names).append(name));
  bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0FU) | 0x50U);
  bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3FU) | 0x80U);
  std::string text;
  for (std::size_t i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", bytes[i]);
  }
  return text;
}

// Returns one gzip member, without a file name or a time.
std::string gzip_member(std::string_view text) {
  z_stream stream{};
  constexpr int gzip_window = 15 + 16;
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  std::string member(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  stream.next_in = reinterpret_cast<const Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(member.data());
  stream.avail_out = static_cast<uInt>(member.size());
  const int code = deflate(&stream, Z_FINISH);
  member.resize(stream.total_out);
  deflateEnd(&stream);
  if (code != Z_STREAM_END) throw std::runtime_error("zlib cannot compress a record");
  return member;
}

}  // namespace

std::string warc_digest(std::string_view bytes) {
  constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  std::string text = "sha1:";
  unsigned bits = 0;
  unsigned count = 0;
  for (const std::uint8_t byte : sha1(bytes)) {  // 160 bits are exactly 32 digits
    bits = (bits << 8U | byte) & 0xFFFU;
    for (count += 8; count >= 5; count -= 5) text += alphabet[bits >> (count - 5) & 0x1FU];
  }
  return text;
}

std::string warc_date(Timestamp date, WarcVersion version) {
  return format_timestamp(version == WarcVersion::v1_1 ? date : std::chrono::floor<std::chrono::seconds>(date));
}

WarcWriter::Written WarcWriter::write(const NewWarcRecord& record) {
  std::string fields = fmt::format("WARC-Type: {}\r\n", record.type);
  const auto add = [&fields](std::string_view name, std::string_view value) {
    fields.append(name).append(": ").append(value).append("\r\n");
  };
  if (!record.target_uri.empty()) add("WARC-Target-URI", record.target_uri);
  add("WARC-Date", warc_date(record.date, version_));
  for (const auto& [name, value] : record.fields) add(name, value);
  if (!record.content_type.empty()) add("Content-Type", record.content_type);
  add("WARC-Block-Digest", warc_digest(record.block));
  add("Content-Length", std::to_string(record.block.size()));
  Written written;
  written.id = fmt::format("<urn:uuid:{}>", make_uuid(fields));
  std::string text = fmt::format("WARC/{}\r\nWARC-Record-ID: {}\r\n{}\r\n", enum_name(warc_version_names, version_),
                                 written.id, fields);
  text.append(record.block).append("\r\n\r\n");
  if (gzip_) text = gzip_member(text);
  out_.write(text.data(), static_cast<std::streamsize>(text.size()));
  written.offset = offset_;
  written.length = text.size();
  offset_ += text.size();
  return written;
}

}  // namespace linkherd::storage
