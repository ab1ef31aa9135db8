// A real RabbitMQ broker on 127.0.0.1, with its own folders and ports: one node or a cluster. It is killed in the
// destructor, and also if the test process is killed.
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
  // Returns true if RabbitMQ is installed (Debian package rabbitmq-server).
  static bool is_installed();

  explicit RabbitMq(std::size_t nodes = 1);  // waits until all nodes are ready; throws std::runtime_error on failure
  ~RabbitMq();
  RabbitMq(const RabbitMq&) = delete;
  RabbitMq& operator=(const RabbitMq&) = delete;

  // amqp://guest:guest@127.0.0.1:PORT/%2f
  std::string url(std::size_t node = 0) const;
  std::uint16_t port(std::size_t node = 0) const { return nodes_[node].port; }
  void kill(std::size_t node = 0);   // SIGKILL
  void start(std::size_t node = 0);  // restarts a node with its stored data
  // Simulates a full disk on the node. While the alarm is on, nobody can publish to any node of the cluster.
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
  std::optional<RunningProgram> mapper_;  // epmd, which maps Erlang node names to ports
  std::deque<Node> nodes_;
};

}  // namespace linkherd::tests
