// The stored result of one check of a link.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "parser/html/page_redirect.h"
#include "parser/html/text_signature.h"
#include "parser/metadata/metadata.h"
#include "parser/timestamp.h"
#include "storage/verdict.h"

namespace linkherd::storage {

struct Redirect {
  std::string from;
  int status = 0;  // 301, 302, 303, 307 or 308; the page's own status if the page redirects by itself
  std::string to;  // the resolved URL; as the server sent it if it cannot be resolved
  parser::RedirectKind kind = parser::RedirectKind::http;
  bool is_canonical = false;  // a page that redirects by itself immediately, and declares `to` as its canonical address

  // Returns a label for people: "301" or "meta refresh".
  std::string label() const {
    return kind == parser::RedirectKind::http ? std::to_string(status) : std::string(describe(kind));
  }
  bool permanent() const { return status == 301 || status == 308 || is_canonical; }
  bool operator==(const Redirect&) const = default;
};

// One request, including one that could not be sent. It is a hop, a retry, or the confirmation of a failure.
struct Attempt {
  Timestamp at;
  std::string url;
  int status = 0;       // 0: no status line was received
  std::string failure;  // name of a FailureKind; empty if the request succeeded
  std::uint32_t milliseconds = 0;

  bool operator==(const Attempt&) const = default;
};

struct Certificate {
  std::string subject;
  std::string issuer;
  std::optional<Timestamp> expires;
  bool is_chain_incomplete = false;  // the server omits an intermediate certificate, which browsers fetch on their own

  bool operator==(const Certificate&) const = default;
};

// A fact about a link other than its health. Examples: its repository is archived; its paper is withdrawn.
struct Fact {
  std::string kind;  // archived, branch_renamed, renamed, withdrawn; printed: DO NOT CHANGE them
  std::string text;

  bool operator==(const Fact&) const = default;
};

// A header of a response, as received. A value that may be a secret is replaced by ***.
struct ResponseHeader {
  std::string name;  // lower case
  std::string value;

  bool operator==(const ResponseHeader&) const = default;
};

// What the request of linkherd itself found, if a browser showed the page afterwards.
struct PlainAnswer {
  int status = 0;
  Verdict verdict;

  bool operator==(const PlainAnswer&) const = default;
};

struct Snapshot {
  Timestamp fetched_at;
  Verdict verdict;
  int status = 0;                   // HTTP status of the last hop; 0: none
  std::string final_url;            // the end of the redirect chain, with its fragment
  std::vector<Redirect> redirects;  // the whole chain, kept even if it ends in an error
  std::vector<Attempt> attempts;
  std::string content_type;
  std::string charset;
  std::string etag;  // validator of final_url, as is last_modified; sent in the next request
  std::string last_modified;
  std::string body_digest;       // content_digest() of the decoded body; empty if there is none
  std::uint64_t body_bytes = 0;  // bytes, after decoding
  bool is_body_complete = true;  // false: cut off by a size limit or by the network
  std::string remote_address;
  std::optional<Certificate> certificate;
  parser::Metadata metadata;
  parser::TextSignature main_text;  // of the last time that the page existed, like the metadata
  std::vector<Fact> facts;
  std::vector<ResponseHeader> headers;  // headers of the last hop; unchanged checks keep those of the first response
  std::string vantage;                  // the vantage point, as --vantage names it; may be empty
  // Set if the snapshot is of the page that a browser showed. Then body and text are those of its DOM.
  std::optional<PlainAnswer> plain;

  bool operator==(const Snapshot&) const = default;
};

}  // namespace linkherd::storage
