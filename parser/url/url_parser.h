// The basic URL parser of the URL Standard (https://url.spec.whatwg.org/#concept-basic-url-parser). It has the states
// of the standard, without the state overrides that only setters need.
//
// The parser is a state machine. Each state is a member function that consumes its part of the remaining text, appends
// the serialised form to the href, records offsets, and returns the next state. The standard advances one code point
// at a time; a state here consumes a whole component. Parsing "https://Example.com/a/../b?q" without a base visits:
//
//   scheme                            consumes "https:", appends "https:"
//   special_authority_slashes         consumes "//"
//   special_authority_ignore_slashes  consumes further slashes (here none)
//   authority                         consumes "Example.com", appends "//example.com"
//   path_start                        consumes "/"
//   path                              consumes "a/../b", appends "/a", removes it for "..", appends "/b"
//   query                             consumes "q", appends "?q"
//   done
//
// A text without a scheme continues in no_scheme. That state fails without a base; otherwise the relative states copy
// components from the base. The file states handle Windows drive letters. State::failed ends parsing with an Error.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "parser/url/percent_encoding.h"
#include "parser/url/url.h"

namespace linkherd::parser {

// The maximum length of a URL. Longer URLs are rejected. All browsers have this limit or a lower one.
inline constexpr std::size_t max_url_bytes = std::size_t{2} << 20;

bool is_special_scheme(std::string_view scheme);
std::uint16_t default_port(std::string_view scheme);  // 0 if the scheme has none

class UrlParser {
 public:
  // `base` may be null. `text` and `base` must outlive the builder.
  UrlParser(std::string_view text, const Url* base);

  Result<Url> parse();

 private:
  enum class State {
    scheme,
    no_scheme,
    special_relative_or_authority,
    path_or_authority,
    relative,
    relative_slash,
    special_authority_slashes,
    special_authority_ignore_slashes,
    authority,
    file,
    file_slash,
    file_host,
    path_start,
    path,
    opaque_path,
    query,
    fragment,
    done,
    failed,
  };

  State step(State state);
  State scheme();
  State no_scheme();
  State special_relative_or_authority();
  State path_or_authority();
  State relative();
  State relative_slash();
  State special_authority_slashes();
  State special_authority_ignore_slashes();
  State authority();
  State file();
  State file_slash();
  State file_host();
  State path_start();
  State path();
  State opaque_path();
  State query();
  State fragment();

  void clean(std::string_view text);
  State fail(std::string message);
  void note(UrlNote note) { url_.notes_ = url_.notes_ | note; }
  bool next_is_slash() const;  // true for "/", and in special schemes also for "\"
  void take_slash();
  std::string_view take_until(const ByteSet& ends);
  bool at_end_of_path() const { return rest_.empty() || rest_.front() == '?' || rest_.front() == '#'; }
  void append(std::string_view text, const ByteSet& encode_set);

  void start_scheme(std::string_view scheme);
  void start_authority();  // appends "//" and an empty host
  void read_credentials(std::string_view text);
  bool read_host_and_port(std::string_view text);
  bool read_host(std::string_view text);
  bool read_port(std::string_view text);
  void inherit_authority();
  void inherit_path();
  State inherit_for_query_or_fragment();

  std::uint32_t size() const { return url_.size(); }
  std::string_view written_path() const { return std::string_view(url_.href_).substr(url_.path_start_); }
  void append_segment(std::string_view segment, bool last);
  void shorten_path();
  void finish_path();
  State after_path();  // returns the state for "?", "#" or the end of the text

  std::string cleaned_;  // the text without tabs and line breaks; empty if it had none
  std::string_view rest_;
  const Url* base_;
  bool is_special_ = false;
  Url url_;
  std::string error_;
};

}  // namespace linkherd::parser
