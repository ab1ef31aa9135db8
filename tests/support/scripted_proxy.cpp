#include "tests/support/scripted_proxy.h"

#include <utility>

namespace linkherd::tests {

namespace {

std::string with_port(const std::string& host, const std::string& port_bytes) {
  const int port = static_cast<unsigned char>(port_bytes[0]) * 256 + static_cast<unsigned char>(port_bytes[1]);
  return host + ":" + std::to_string(port);
}

std::string dotted(const std::string& bytes) {
  std::string text;
  for (const char byte : bytes) text += (text.empty() ? "" : ".") + std::to_string(static_cast<unsigned char>(byte));
  return text;
}

}  // namespace

ScriptedProxy::ScriptedProxy(Script script, const std::function<void(ssl_ctx_st*)>& set_up_tls)
    : script_(std::move(script)), server_([this](ServerConnection& client) { play(client); }, set_up_tls) {}

std::string ScriptedProxy::address(const std::string& scheme) const {
  return scheme + "://127.0.0.1:" + std::to_string(server_.port());
}

std::vector<std::string> ScriptedProxy::targets() const {
  const std::lock_guard lock(mutex_);
  return targets_;
}

ScriptedProxy::Answer ScriptedProxy::answer_to(const std::string& target) {
  {
    const std::lock_guard lock(mutex_);
    targets_.push_back(target);
  }
  return script_(target);
}

void ScriptedProxy::play(ServerConnection& client) {
  std::string bytes = client.read_some();
  if (bytes.empty()) return;
  if (bytes.front() == 4 || bytes.front() == 5) return play_socks(client, std::move(bytes));
  while (bytes.find("\r\n\r\n") == std::string::npos) {
    const std::string more = client.read_some();
    if (more.empty()) return;
    bytes += more;
  }
  const std::size_t second_blank = bytes.find(' ', bytes.find(' ') + 1);
  const Answer answer = answer_to(bytes.substr(0, second_blank));
  if (answer.is_silent) return client.wait_for_end();
  client.send(answer.bytes);
}

void ScriptedProxy::play_socks(ServerConnection& client, std::string bytes) {
  const bool is_5 = bytes.front() == 5;
  std::string target;
  if (is_5) {
    client.send(std::string("\x05\x00", 2));
    bytes = client.read_some();
    if (bytes.size() < 10) return;
    const std::size_t length = static_cast<unsigned char>(bytes[4]);
    target = bytes[3] == 3 ? with_port(bytes.substr(5, length), bytes.substr(5 + length, 2))
                           : with_port(dotted(bytes.substr(4, 4)), bytes.substr(8, 2));
  } else {
    const bool has_name = bytes.substr(4, 3) == std::string(3, '\0');
    const std::size_t name = bytes.find('\0', 8) + 1;
    target = with_port(has_name ? bytes.substr(name, bytes.size() - name - 1) : dotted(bytes.substr(4, 4)),
                       bytes.substr(2, 2));
  }
  const Answer answer = answer_to("SOCKS " + target);
  if (answer.is_silent) return client.wait_for_end();
  const char reply = static_cast<char>(answer.socks);
  client.send(is_5 ? std::string("\x05", 1) + reply + std::string("\x00\x01\x00\x00\x00\x00\x00\x00", 8)
                   : std::string(1, '\0') + (answer.socks == 0 ? '\x5A' : '\x5B') + std::string(6, '\0'));
  if (answer.socks != 0) return;
  client.read_request();
  client.send(answer.bytes);
}

std::string proxy_answer(int status, const std::string& header_lines, const std::string& body) {
  return "HTTP/1.1 " + std::to_string(status) + " x\r\n" + header_lines +
         "Content-Length: " + std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" + body;
}

}  // namespace linkherd::tests
