// What one fetch of a link found, as it is stored.
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
  int status = 0;  // 301, 302, 303, 307, 308; of a page that redirects by itself, its own
  std::string to;  // resolved; as the server wrote it where it could not be resolved
  parser::RedirectKind kind = parser::RedirectKind::http;
  bool is_canonical = false;  // a page that redirects by itself at once, and names `to` as its canonical address

  // For people: "301", "meta refresh".
  std::string label() const {
    return kind == parser::RedirectKind::http ? std::to_string(status) : std::string(describe(kind));
  }
  bool permanent() const { return status == 301 || status == 308 || is_canonical; }
  bool operator==(const Redirect&) const = default;
};

// One request, also one that could not be sent: a hop, a retry, or the second check that confirms a failure.
struct Attempt {
  Timestamp at;
  std::string url;
  int status = 0;       // 0: no status line came
  std::string failure;  // a FailureKind's name; empty where none
  std::uint32_t milliseconds = 0;

  bool operator==(const Attempt&) const = default;
};

struct Certificate {
  std::string subject;
  std::string issuer;
  std::optional<Timestamp> expires;
  bool is_chain_incomplete = false;  // the server leaves out an intermediate certificate, and browsers look it up

  bool operator==(const Certificate&) const = default;
};

// What a link is worth knowing for beside its health: that its repository is archived, or its paper withdrawn.
struct Fact {
  std::string kind;  // archived, branch_renamed, renamed, withdrawn; printed: DO NOT CHANGE them
  std::string text;

  bool operator==(const Fact&) const = default;
};

// A header of a response as it was received; its value is *** where it may be a secret.
struct ResponseHeader {
  std::string name;  // lower case
  std::string value;

  bool operator==(const ResponseHeader&) const = default;
};

struct Snapshot {
  Timestamp fetched_at;
  Verdict verdict;
  int status = 0;                   // of the last hop; 0: none
  std::string final_url;            // where the chain ended, with the fragment it carries
  std::vector<Redirect> redirects;  // the whole chain, kept even when it ends badly
  std::vector<Attempt> attempts;
  std::string content_type;
  std::string charset;
  std::string etag;  // validators of final_url, sent back when it is asked again
  std::string last_modified;
  std::string body_digest;       // content_digest of the decoded body; empty where there is none
  std::uint64_t body_bytes = 0;  // decoded
  bool is_body_complete = true;  // false: cut by a size limit or by the network
  std::string remote_address;
  std::optional<Certificate> certificate;
  parser::Metadata metadata;
  parser::TextSignature main_text;  // of the main text; like the metadata from when the page was last there
  std::vector<Fact> facts;
  std::vector<ResponseHeader> headers;  // of the last hop; of looks that found the same, those of the first
  std::string vantage;                  // where it was looked from, as --vantage names it; may be empty

  bool operator==(const Snapshot&) const = default;
};

}  // namespace linkherd::storage
