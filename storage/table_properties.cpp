#include "storage/table_properties.h"

#include <bit>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include <boost/crc.hpp>
#include <boost/endian/conversion.hpp>
#include <google/protobuf/io/coded_stream.h>

namespace linkherd::storage {
namespace {

// A table ends with a footer: a byte for the kind of checksum, the positions of two blocks, zeros, the format version
// and a number that identifies tables. A block ends with a byte for its compression and the checksum of all before.
constexpr std::size_t footer_bytes = 53;
constexpr std::size_t version_offset = 41;
constexpr std::size_t magic_offset = 45;
constexpr std::uint64_t table_magic = 0x88e241b785f4cff7;
constexpr std::size_t trailer_bytes = 5;
constexpr std::uint64_t max_block_bytes = std::uint64_t{16} << 20;  // properties of large tables have a few KiB
constexpr std::string_view properties_key = "rocksdb.properties";

// A position in the file, without the trailer.
struct Block {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

using Varints = google::protobuf::io::CodedInputStream;

Varints varints(std::string_view bytes) {
  return Varints(reinterpret_cast<const std::uint8_t*>(bytes.data()), static_cast<int>(bytes.size()));
}

std::optional<Block> read_position(std::string_view bytes) {
  Varints in = varints(bytes);
  Block block;
  if (!in.ReadVarint64(&block.offset) || !in.ReadVarint64(&block.bytes)) return std::nullopt;
  return block;
}

// RocksDB stores a rotated CRC-32C plus a constant.
std::uint32_t stored_form(std::uint32_t crc) { return std::rotr(crc, 15) + 0xa282ead8U; }

rocksdb::IOStatus read(rocksdb::FSRandomAccessFile& table, std::uint64_t offset, std::size_t bytes, std::string& out) {
  out.resize(bytes);
  rocksdb::Slice read;
  rocksdb::IOStatus status = table.Read(offset, bytes, {}, &read, out.data(), nullptr);
  if (!status.ok()) return status;
  if (read.size() != bytes) return rocksdb::IOStatus::Corruption("truncated table");
  if (read.data() != out.data()) std::memcpy(out.data(), read.data(), bytes);  // such as a mapped file
  return status;
}

rocksdb::IOStatus read_block(rocksdb::FSRandomAccessFile& table, std::uint64_t file_bytes, const Block& block,
                             std::string& out) {
  if (block.bytes > max_block_bytes || block.offset > file_bytes ||
      block.bytes + trailer_bytes > file_bytes - block.offset) {
    return rocksdb::IOStatus::Corruption("bad block position");
  }
  if (rocksdb::IOStatus status = read(table, block.offset, block.bytes + trailer_bytes, out); !status.ok())
    return status;
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
  crc.process_bytes(out.data(), block.bytes + 1);
  std::uint32_t stored = 0;
  std::memcpy(&stored, out.data() + block.bytes + 1, sizeof stored);
  if (boost::endian::little_to_native(stored) != stored_form(crc.checksum()))
    return rocksdb::IOStatus::Corruption("block checksum mismatch");
  out.resize(block.bytes);
  return rocksdb::IOStatus::OK();
}

// Finds the entry of the properties in the index of the blocks that are no data. Each of its entries is: three lengths
// (of the part of the key that it shares with the previous key, of the rest, of the value), the rest of the key, the
// value. Every key is whole, so the first length is 0.
std::optional<Block> find_properties(std::string_view index) {
  for (;;) {
    Varints in = varints(index);
    std::uint32_t shared = 0;
    std::uint32_t key = 0;
    std::uint32_t value = 0;
    if (!in.ReadVarint32(&shared) || !in.ReadVarint32(&key) || !in.ReadVarint32(&value)) return std::nullopt;
    index.remove_prefix(static_cast<std::size_t>(in.CurrentPosition()));
    if (shared != 0 || key > index.size() || value > index.size() - key) return std::nullopt;
    if (index.substr(0, key) == properties_key) return read_position(index.substr(key, value));
    index.remove_prefix(std::size_t{key} + value);
  }
}

}  // namespace

rocksdb::IOStatus check_table_properties(rocksdb::FSRandomAccessFile& table, std::uint64_t bytes) {
  if (bytes < footer_bytes) return rocksdb::IOStatus::OK();
  std::string footer;
  if (rocksdb::IOStatus status = read(table, bytes - footer_bytes, footer_bytes, footer); !status.ok()) return status;
  std::uint32_t version = 0;
  std::memcpy(&version, footer.data() + version_offset, sizeof version);
  std::uint64_t magic = 0;
  std::memcpy(&magic, footer.data() + magic_offset, sizeof magic);
  if (boost::endian::little_to_native(magic) != table_magic ||
      boost::endian::little_to_native(version) != table_format_version || footer.front() != table_checksum) {
    return rocksdb::IOStatus::OK();
  }
  const std::optional<Block> index = read_position(std::string_view(footer).substr(1));
  if (!index) return rocksdb::IOStatus::Corruption("bad block position");
  std::string block;
  if (rocksdb::IOStatus status = read_block(table, bytes, *index, block); !status.ok()) return status;
  const std::optional<Block> properties = find_properties(block);
  if (!properties) return rocksdb::IOStatus::OK();
  return read_block(table, bytes, *properties, block);
}

}  // namespace linkherd::storage
