// A proxy for HTTP and SOCKS (4, 4a and 5) that forwards nothing: a script decides the answer for each target. Listens
// on 127.0.0.1 and stops in its destructor.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/raw_server.h"

namespace linkherd::tests {

class ScriptedProxy {
 public:
  struct Answer {
    std::string bytes;       // to CONNECT, or to a request for an http URL; behind SOCKS to the request that follows
    int socks = 0;           // the reply of SOCKS 5; of SOCKS 4 every reply but 0 is 91
    bool is_silent = false;  // nothing, until the client goes away
  };
  // `target`: "CONNECT host:443", "GET http://host/", "SOCKS host:80"
  using Script = std::function<Answer(const std::string& target)>;

  explicit ScriptedProxy(Script script, const std::function<void(ssl_ctx_st*)>& set_up_tls = {});

  std::string address(const std::string& scheme) const;  // "socks5h://127.0.0.1:PORT"
  std::vector<std::string> targets() const;              // in the order of their coming

 private:
  void play(Conversation& client);
  void play_socks(Conversation& client, std::string bytes);
  Answer answer_to(const std::string& target);

  const Script script_;
  mutable std::mutex mutex_;
  std::vector<std::string> targets_;
  RawServer server_;
};

// "HTTP/1.1 503 x", with further header lines and a body.
std::string proxy_answer(int status, const std::string& header_lines = {}, const std::string& body = {});

}  // namespace linkherd::tests
