// A proxy for HTTP and SOCKS (4, 4a and 5) on 127.0.0.1 that forwards nothing: a script supplies the answer for each
// target. Stops in its destructor.
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
    std::string bytes;       // sent after CONNECT, after a request for an http URL, or after the request over SOCKS
    int socks = 0;           // the reply code of SOCKS 5; SOCKS 4 sends 91 if it is not 0
    bool is_silent = false;  // sends nothing until the client disconnects
  };
  // `target` is "CONNECT host:443", "GET http://host/" or "SOCKS host:80".
  using Script = std::function<Answer(const std::string& target)>;

  explicit ScriptedProxy(Script script, const std::function<void(ssl_ctx_st*)>& set_up_tls = {});

  std::string address(const std::string& scheme) const;  // "socks5h://127.0.0.1:PORT"
  std::vector<std::string> targets() const;              // in order of arrival

 private:
  void play(ServerConnection& client);
  void play_socks(ServerConnection& client, std::string bytes);
  Answer answer_to(const std::string& target);

  const Script script_;
  mutable std::mutex mutex_;
  std::vector<std::string> targets_;
  RawServer server_;
};

// Returns a response such as "HTTP/1.1 503 x" with additional header lines and a body.
std::string proxy_answer(int status, const std::string& header_lines = {}, const std::string& body = {});

}  // namespace linkherd::tests
