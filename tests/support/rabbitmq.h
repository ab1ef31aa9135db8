// A real RabbitMQ broker with one node on 127.0.0.1, with a folder and ports of its own. It is killed with the object,
// and when the test is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tests/support/run_program.h"
#include "tests/support/temp_dir.h"

namespace linkherd::tests {

class RabbitMq {
 public:
  // Whether it is installed (Debian's rabbitmq-server).
  static bool is_installed();

  RabbitMq();  // waits until it can be used; throws std::runtime_error where that never comes
  ~RabbitMq();
  RabbitMq(const RabbitMq&) = delete;
  RabbitMq& operator=(const RabbitMq&) = delete;

  // amqp://guest:guest@127.0.0.1:PORT/%2f
  std::string url() const;
  void kill();   // SIGKILL
  void start();  // again, with what it had stored

 private:
  TempDir folder_;  // removed last
  std::uint16_t port_ = 0;
  std::uint16_t mapper_port_ = 0;
  std::uint16_t distribution_port_ = 0;
  std::optional<RunningProgram> mapper_;  // of names to ports (epmd), which Erlang needs
  std::optional<RunningProgram> server_;
};

}  // namespace linkherd::tests
