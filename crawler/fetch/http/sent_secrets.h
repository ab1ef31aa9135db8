// Finds and masks secrets that a request has sent: values of the user's headers, and credentials in URLs. A server may
// repeat them in its response, as sent, percent-encoded or decoded. Other forms (base64, parts) are not recognised.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "crawler/fetch/http/extra_headers.h"
#include "parser/url/url.h"
#include "storage/snapshot.h"

namespace linkherd::crawler {

class SentSecrets {
 public:
  // Headers that are known to be harmless do not count as secrets. `urls` holds all requested URLs.
  SentSecrets(const std::vector<HeaderRule>& headers, const std::vector<const parser::Url*>& urls);

  // Returns true if `text` contains a secret. Only long secrets count, because short ones appear in pages by chance.
  bool appear_in(std::string_view text) const;
  // Replaces the secrets in a snapshot with "***". If a response header contains a secret, or has the name of a secret
  // header, its whole value is replaced.
  void mask_in(storage::Snapshot& snapshot) const;

 private:
  void add(std::string_view secret);
  bool appear_in_header(const storage::ResponseHeader& header) const;
  void mask(std::string& text, std::size_t min_length) const;
  void mask_texts(storage::Snapshot& snapshot) const;

  std::vector<std::string> names_;   // of headers, in lower case
  std::vector<std::string> values_;  // longest first
};

}  // namespace linkherd::crawler
