// A real RabbitMQ broker on 127.0.0.1, as one node or a cluster, with its own folders and ports. It is killed with the
// object and with the test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "tests/support/run_program.h"
#include "tests/support/temp_dir.h"

namespace linkherd::tests {

class RabbitMq {
 public:
  // Whether it is installed (Debian's rabbitmq-server).
  static bool is_installed();

  explicit RabbitMq(std::size_t nodes = 1);  // waits until all can be used; throws std::runtime_error where that fails
  ~RabbitMq();
  RabbitMq(const RabbitMq&) = delete;
  RabbitMq& operator=(const RabbitMq&) = delete;

  // amqp://guest:guest@127.0.0.1:PORT/%2f
  std::string url(std::size_t node = 0) const;
  std::uint16_t port(std::size_t node = 0) const { return nodes_[node].port; }
  void kill(std::size_t node = 0);   // SIGKILL
  void start(std::size_t node = 0);  // again, with what it had stored
  // As if the disk of the node were full: while it is so nobody can publish anything, at any node.
  void set_disk_alarm(bool on, std::size_t node = 0);

 private:
  struct Node;
  std::map<std::string, std::string> environment_of(const Node& node) const;

  struct Node {
    std::uint16_t port = 0;
    std::uint16_t distribution_port = 0;
    std::string folder;
    std::optional<RunningProgram> server;
  };

  TempDir folder_;  // removed last
  std::uint16_t mapper_port_ = 0;
  std::optional<RunningProgram> mapper_;  // of names to ports (epmd), which Erlang needs
  std::deque<Node> nodes_;
};

}  // namespace linkherd::tests
