// Writes JSON text sequentially, without building a tree. It inserts commas and always produces well-formed UTF-8. A
// type becomes writable by an overload write_json(JsonWriter&, const T&). record_json.h has the overloads of the stored
// types.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parser/timestamp.h"

namespace linkherd::storage {

class JsonWriter {
 public:
  // Appends to `out`, which must outlive this object.
  explicit JsonWriter(std::string& out) : out_(out), start_(out.size()) {}

  void begin_object() { begin('{'); }
  void end_object() { out_ += '}'; }
  void begin_array() { begin('['); }
  void end_array() { out_ += ']'; }

  // Writes a key. The next value belongs to it.
  void key(std::string_view name);
  template <class T>
  void member(std::string_view name, const T& value) {
    key(name);
    write_json(*this, value);
  }

  void text(std::string_view text);  // replaces ill-formed sequences by U+FFFD
  void word(std::string_view word);  // writes the word unquoted: true, null or a number

 private:
  void begin(char bracket) {
    separate();
    out_ += bracket;
  }
  void separate();  // writes a comma unless this is the first value
  void quoted(std::string_view utf8);

  std::string& out_;
  const std::size_t start_;
};

inline void write_json(JsonWriter& json, std::string_view text) { json.text(text); }
inline void write_json(JsonWriter& json, std::nullptr_t /*null*/) { json.word("null"); }
inline void write_json(JsonWriter& json, std::same_as<bool> auto flag) { json.word(flag ? "true" : "false"); }
void write_json(JsonWriter& json, std::int64_t number);
void write_json(JsonWriter& json, std::uint64_t number);
inline void write_json(JsonWriter& json, int number) { write_json(json, std::int64_t{number}); }
inline void write_json(JsonWriter& json, std::uint32_t number) { write_json(json, std::uint64_t{number}); }
void write_json(JsonWriter& json, double number);   // shortest exact form; must be finite
void write_json(JsonWriter& json, Timestamp time);  // RFC 3339; clamped to the years that it can express

// Returns nullopt, which is written as JSON null, for an empty text and for zero.
inline std::optional<std::string_view> or_null(std::string_view text) {
  return text.empty() ? std::nullopt : std::optional(text);
}
inline std::optional<int> or_null(int number) { return number == 0 ? std::nullopt : std::optional(number); }

template <class T>
void write_json(JsonWriter& json, const std::optional<T>& value) {
  value ? write_json(json, *value) : json.word("null");
}

template <class T>
void write_json(JsonWriter& json, const std::vector<T>& values) {
  json.begin_array();
  for (const T& value : values) write_json(json, value);
  json.end_array();
}

}  // namespace linkherd::storage
