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
constexpr const char* control_program = "/usr/lib/rabbitmq/bin/rabbitmqctl";
constexpr const char* mapper_program = "/usr/bin/epmd";
constexpr const char* session_program = "/usr/bin/setsid";
constexpr auto timeout = std::chrono::minutes(4);
// Without this timeout, RabbitMQ retries a dead letter only after three minutes if its target queue was still being
// declared.
constexpr const char* server_arguments =
    "-kernel inet_dist_use_interface {127,0,0,1} -rabbit dead_letter_worker_publisher_confirm_timeout 5000";

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

// Returns an unused port below Linux's ephemeral ports, which the system never assigns by itself.
std::uint16_t free_port() {
  std::random_device random;
  std::uniform_int_distribution<std::uint16_t> ports(10'000, 32'000);
  for (int i = 0; i < 100; ++i) {
    const std::uint16_t port = ports(random);
    if (is_free(port)) return port;
  }
  throw std::runtime_error("there is no free port");
}

std::string name_of_node(std::uint16_t port) { return fmt::format("linkherd{}@localhost", port); }

// Starts the program in a separate session. It is killed when the test process ends for any reason, because nothing
// else would stop it.
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

RabbitMq::RabbitMq(std::size_t nodes) : mapper_port_(free_port()) {
  for (std::size_t i = 0; i < nodes; ++i) {
    Node& node = nodes_.emplace_back();
    node.port = free_port();
    node.distribution_port = free_port();
    node.folder = (folder_.path() / std::to_string(i)).string();
  }
  std::string peers = "cluster_formation.peer_discovery_backend = classic_config\n";
  for (std::size_t i = 0; i < nodes; ++i)
    peers += fmt::format("cluster_formation.classic_config.nodes.{} = {}\n", i + 1, name_of_node(nodes_[i].port));
  for (std::size_t i = 0; i < nodes; ++i) {
    // Distributes the queue leaders over all nodes, not only over those with client connections.
    folder_.write(fmt::format("{}/rabbitmq.conf", i),
                  fmt::format("listeners.tcp.local = 127.0.0.1:{}\nqueue_leader_locator = balanced\n{}", nodes_[i].port,
                              nodes > 1 ? peers : ""));
    folder_.write(fmt::format("{}/enabled_plugins", i), "[].\n");
  }
  ProgramOptions mapper;
  mapper.arguments = {"-port", std::to_string(mapper_port_), "-address", "127.0.0.1"};
  mapper.working_directory = folder_.path();
  mapper_.emplace(start_service(mapper_program, mapper));
  for (std::size_t i = 0; i < nodes; ++i) start(i);  // the other nodes join the first one
}

RabbitMq::~RabbitMq() {
  for (std::size_t i = 0; i < nodes_.size(); ++i) kill(i);
}

std::map<std::string, std::string> RabbitMq::environment_of(const Node& node) const {
  return {{"HOME", folder_.path().string()},  // contains the cookie that the nodes share
          {"RUNNING_UNDER_SYSTEMD", "true"},  // makes the script exec the broker instead of waiting for it
          {"RABBITMQ_NODENAME", name_of_node(node.port)},
          {"RABBITMQ_NODE_PORT", std::to_string(node.port)},
          {"RABBITMQ_DIST_PORT", std::to_string(node.distribution_port)},
          {"ERL_EPMD_ADDRESS", "127.0.0.1"},
          {"ERL_EPMD_PORT", std::to_string(mapper_port_)},
          {"ERL_CRASH_DUMP", node.folder + "/erl_crash.dump"},
          {"RABBITMQ_MNESIA_BASE", node.folder + "/data"},
          {"RABBITMQ_LOG_BASE", node.folder + "/log"},
          {"RABBITMQ_CONFIG_FILE", node.folder + "/rabbitmq"},
          {"RABBITMQ_CONFIG_FILES", node.folder + "/conf.d/*.conf"},
          {"RABBITMQ_CONF_ENV_FILE", node.folder + "/rabbitmq-env.conf"},
          {"RABBITMQ_ENABLED_PLUGINS_FILE", node.folder + "/enabled_plugins"},
          {"RABBITMQ_PID_FILE", node.folder + "/pid"},
          {"RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS", server_arguments}};
}

void RabbitMq::start(std::size_t number) {
  Node& node = nodes_[number];
  ProgramOptions server;
  server.working_directory = node.folder;  // crash dumps are written there
  server.environment = environment_of(node);
  node.server.emplace(start_service(server_program, server));
  const auto end = std::chrono::steady_clock::now() + timeout;
  while (node.server->stdout_so_far().find("completed with") == std::string::npos) {
    if (!node.server->running() || std::chrono::steady_clock::now() > end)
      throw std::runtime_error("the broker does not start: " + node.server->stdout_so_far() +
                               node.server->stderr_so_far());
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

void RabbitMq::kill(std::size_t number) {
  std::optional<RunningProgram>& server = nodes_[number].server;
  if (!server || !server->running()) return;
  ::kill(-server->pid(), SIGKILL);  // the whole process group, including helpers
  static_cast<void>(server->wait());
}

void RabbitMq::set_disk_alarm(bool on, std::size_t number) {
  const Node& node = nodes_[number];
  ProgramOptions control;
  control.arguments = {"-n", name_of_node(node.port), "set_disk_free_limit", on ? "1000000GB" : "50MB"};
  control.environment = environment_of(node);
  control.working_directory = node.folder;
  control.deadline = timeout;
  const ProgramResult result = run_program(control_program, control);
  if (result.exit_code != 0) throw std::runtime_error("the broker's limit cannot be set: " + result.out + result.err);
}

std::string RabbitMq::url(std::size_t node) const {
  return fmt::format("amqp://guest:guest@127.0.0.1:{}/%2f", nodes_[node].port);
}

}  // namespace linkherd::tests
