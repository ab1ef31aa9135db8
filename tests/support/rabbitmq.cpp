#include "tests/support/rabbitmq.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <random>
#include <stdexcept>
#include <thread>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace linkherd::tests {
namespace {

constexpr const char* server_program = "/usr/lib/rabbitmq/bin/rabbitmq-server";
constexpr const char* mapper_program = "/usr/bin/epmd";
constexpr const char* session_program = "/usr/bin/setsid";
constexpr auto patience = std::chrono::minutes(4);

bool is_free(std::uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  const bool is_bound = bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  close(socket);
  return is_bound;
}

// A port that nobody uses now, and that the system gives to nobody by itself: below Linux's ephemeral ports.
std::uint16_t free_port() {
  std::random_device random;
  std::uniform_int_distribution<std::uint16_t> ports(10'000, 32'000);
  for (int i = 0; i < 100; ++i) {
    const std::uint16_t port = ports(random);
    if (is_free(port)) return port;
  }
  throw std::runtime_error("there is no free port");
}

// In a session of its own, and killed when the test ends, however that comes: nobody else would.
RunningProgram start_service(const char* program, ProgramOptions options) {
  options.arguments.insert(options.arguments.begin(), {"/usr/bin/setpriv", "--pdeathsig", "KILL", program});
  options.deadline = std::chrono::hours(1);
  return RunningProgram(session_program, options);
}

}  // namespace

bool RabbitMq::is_installed() {
  return std::ranges::all_of(std::array{server_program, mapper_program, session_program},
                             [](const char* program) { return access(program, X_OK) == 0; });
}

RabbitMq::RabbitMq() : port_(free_port()), mapper_port_(free_port()), distribution_port_(free_port()) {
  folder_.write("rabbitmq.conf", fmt::format("listeners.tcp.local = 127.0.0.1:{}\n", port_));
  folder_.write("enabled_plugins", "[].\n");
  ProgramOptions mapper;
  mapper.arguments = {"-port", std::to_string(mapper_port_), "-address", "127.0.0.1"};
  mapper.working_directory = folder_.path();
  mapper_.emplace(start_service(mapper_program, mapper));
  start();
}

RabbitMq::~RabbitMq() { kill(); }

void RabbitMq::start() {
  const std::string folder = folder_.path().string();
  ProgramOptions server;
  server.working_directory = folder_.path();  // dumps are written there
  server.environment = {{"HOME", folder},
                        {"RUNNING_UNDER_SYSTEMD", "true"},  // the script becomes the broker and does not wait for it
                        {"RABBITMQ_NODENAME", fmt::format("linkherd{}@localhost", port_)},
                        {"RABBITMQ_NODE_PORT", std::to_string(port_)},
                        {"RABBITMQ_DIST_PORT", std::to_string(distribution_port_)},
                        {"ERL_EPMD_ADDRESS", "127.0.0.1"},
                        {"ERL_EPMD_PORT", std::to_string(mapper_port_)},
                        {"ERL_CRASH_DUMP", folder + "/erl_crash.dump"},
                        {"RABBITMQ_MNESIA_BASE", folder + "/data"},
                        {"RABBITMQ_LOG_BASE", folder + "/log"},
                        {"RABBITMQ_CONFIG_FILE", folder + "/rabbitmq"},
                        {"RABBITMQ_CONFIG_FILES", folder + "/conf.d/*.conf"},
                        {"RABBITMQ_CONF_ENV_FILE", folder + "/rabbitmq-env.conf"},
                        {"RABBITMQ_ENABLED_PLUGINS_FILE", folder + "/enabled_plugins"},
                        {"RABBITMQ_PID_FILE", folder + "/pid"},
                        {"RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS", "-kernel inet_dist_use_interface {127,0,0,1}"}};
  server_.emplace(start_service(server_program, server));
  const auto end = std::chrono::steady_clock::now() + patience;
  while (server_->output_so_far().find("completed with") == std::string::npos) {
    if (!server_->running() || std::chrono::steady_clock::now() > end)
      throw std::runtime_error("the broker does not start: " + server_->output_so_far() + server_->errors_so_far());
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

void RabbitMq::kill() {
  if (!server_->running()) return;
  ::kill(-server_->pid(), SIGKILL);  // with its helpers
  static_cast<void>(server_->wait());
}

std::string RabbitMq::url() const { return fmt::format("amqp://guest:guest@127.0.0.1:{}/%2f", port_); }

}  // namespace linkherd::tests
