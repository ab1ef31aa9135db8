// What a request has sent and nobody may keep: values of the user's own headers, and logins of URLs. A server may
// repeat it, as it was sent or percent-encoded or decoded; in other forms (encoded by base64, in pieces) it is not
// recognised.
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
  // Those of headers that can be no secret do not count. `urls`: all that were asked.
  SentSecrets(const std::vector<HeaderRule>& headers, const std::vector<const parser::Url*>& urls);

  bool are_in(std::string_view text) const;  // a long one: short secrets are found in pages by chance
  // Replaces the secrets in what is kept by "***". A header of the answer that has one, or its name, is replaced whole.
  void mask_in(storage::Snapshot& snapshot) const;

 private:
  void add(std::string_view secret);
  bool have_header(const storage::ResponseHeader& header) const;
  void mask(std::string& text, std::size_t min_length) const;
  void mask_texts(storage::Snapshot& snapshot) const;

  std::vector<std::string> names_;   // of headers, in lower case
  std::vector<std::string> values_;  // longest first
};

}  // namespace linkherd::crawler
