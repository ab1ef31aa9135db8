#include "crawler/browser/browser_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

namespace linkherd::crawler {

namespace fs = std::filesystem;
using std::chrono::steady_clock;
using storage::FileDescriptor;

namespace {

// Chromium reads commands from descriptor 3 and writes to descriptor 4.
constexpr int command_descriptor = 3;
constexpr int answer_descriptor = 4;
constexpr const char* certificate_program = "certutil";  // of NSS
constexpr std::chrono::seconds max_certutil_time{10};
constexpr rlim_t max_process_data = rlim_t{1} << 30;  // writable memory of each process of the browser

// Switches off everything that a user needs and a check does not, above all traffic of the browser's own.
constexpr std::array fixed_arguments{
    "--headless",
    "--remote-debugging-pipe",
    "--no-startup-window",
    "--no-first-run",
    "--no-default-browser-check",
    "--proxy-bypass-list=<-loopback>",  // even loopback addresses go through the proxy
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--disable-quic",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-features=HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,Translate,OptimizationHints,MediaRouter,"
    "DialMediaRouteProvider,AsyncDns,DnsOverHttpsUpgrade,AutofillServerCommunication,"
    "CertificateTransparencyComponentUpdater,NetworkTimeServiceQuerying,InterestFeedContentSuggestions,"
    // Each page has a context of its own, which cannot use a process in advance, and a window, whose address bar would
    // have a process.
    "SpareRendererForSitePerProcess,WebUIOmniboxPopup,WebUIOmniboxAimPopup",
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-extensions-with-background-pages",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-dev-shm-usage",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-file-system",
    "--disable-gpu",
    "--disable-notifications",
    "--disable-print-preview",
    "--disable-sync",
    "--deny-permission-prompts",
    "--metrics-recording-only",
    "--mute-audio",
    "--no-pings",
    "--password-store=basic",
    "--js-flags=--max-old-space-size=512",
};

std::string text_of_error(int number) { return std::generic_category().message(number); }

// Owns the lists of posix_spawn().
struct SpawnSettings {
  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};

  SpawnSettings() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    sigset_t defaults;
    sigset_t blocked;
    sigemptyset(&blocked);
    sigemptyset(&defaults);
    for (const int signal : {SIGPIPE, SIGXFSZ, SIGHUP, SIGUSR1, SIGUSR2}) sigaddset(&defaults, signal);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setsigmask(&attributes, &blocked);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
};

// Starts a program that uses `folder` as the home of its user, with its messages in the file "messages" there. Returns
// an error number.
Result<pid_t> spawn(std::vector<std::string> arguments, const fs::path& folder, SpawnSettings& settings) {
  const std::string messages = folder / "messages";
  posix_spawn_file_actions_addopen(&settings.actions, STDERR_FILENO, messages.c_str(), O_WRONLY | O_CREAT | O_APPEND,
                                   S_IRUSR | S_IWUSR);
  posix_spawn_file_actions_addclosefrom_np(&settings.actions, answer_descriptor + 1);
  const char* const path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): nothing here sets the environment
  std::vector<std::string> environment{fmt::format("PATH={}", path == nullptr ? "/usr/bin:/bin" : path),
                                       "HOME=" + folder.string(), "TMPDIR=" + folder.string(), "LANG=C.UTF-8"};
  pid_t child = 0;
  const int error = posix_spawnp(&child, arguments.front().c_str(), &settings.actions, &settings.attributes,
                                 pointers_to(arguments).data(), pointers_to(environment).data());
  if (error != 0) return Error{text_of_error(error)};
  return child;
}

// Lets the browser trust the authorities of a PEM file, which it reads from the NSS database of its user.
Result<void> add_authorities(const std::string& ca_file, const fs::path& folder) {
  constexpr std::string_view begin = "-----BEGIN CERTIFICATE-----";
  constexpr std::string_view end = "-----END CERTIFICATE-----";
  const auto run_certutil = [&folder](std::vector<std::string> arguments) -> Result<void> {
    arguments.insert(arguments.begin(), certificate_program);
    SpawnSettings settings;
    const Result<pid_t> child = spawn(std::move(arguments), folder, settings);
    const Error error{fmt::format("the browser cannot use --ca-file: {} {}", certificate_program,
                                  child ? "failed" : "(package libnss3-tools) cannot be started")};
    if (!child) return error;
    ChildProcess process(*child);
    if (!process.ends_by(steady_clock::now() + max_certutil_time) || !process.ended_well()) return error;
    return {};
  };
  std::ifstream file(ca_file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const fs::path database = folder / ".pki" / "nssdb";
  fs::create_directories(database);
  const std::string name = "sql:" + database.string();
  if (Result<void> made = run_certutil({"-N", "-d", name, "--empty-password"}); !made) return made;
  int count = 0;
  for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at + 1)) {
    const std::size_t last = text.find(end, at);
    if (last == std::string::npos) break;
    const std::string label = fmt::format("authority-{}", ++count);
    const fs::path certificate = folder / label;
    std::ofstream(certificate, std::ios::binary) << text.substr(at, last + end.size() - at) << '\n';
    Result<void> added = run_certutil({"-A", "-d", name, "-t", "C,,", "-n", label, "-i", certificate.string()});
    if (!added) return added;
  }
  return {};
}

}  // namespace

std::vector<std::string> browser_arguments(const BrowserCommand& command, const fs::path& folder) {
  std::vector<std::string> arguments(fixed_arguments.begin(), fixed_arguments.end());
  arguments.push_back(fmt::format("--user-data-dir={}", (folder / "profile").string()));
  arguments.push_back(fmt::format("--proxy-server=http://127.0.0.1:{}", command.proxy_port));
  if (!command.has_sandbox) arguments.emplace_back("--no-sandbox");
  if (!command.verifies_certificates) arguments.emplace_back("--ignore-certificate-errors");
  return arguments;
}

PrivateFolder::PrivateFolder() {
  std::string pattern = (fs::temp_directory_path() / "linkherd-browser-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr)
    throw std::system_error(errno, std::generic_category(), "cannot create " + pattern);
  path_ = pattern;
}

PrivateFolder::~PrivateFolder() {
  // A process that was just killed may still create a file, so that the first attempt fails.
  constexpr int max_attempts = 40;
  constexpr std::chrono::milliseconds interval{25};
  for (int attempt = 0; attempt < max_attempts; ++attempt) {
    std::error_code error;
    fs::remove_all(path_, error);
    if (!error && !fs::exists(path_, error)) return;
    std::this_thread::sleep_for(interval);
  }
}

Result<std::unique_ptr<BrowserProcess>> BrowserProcess::start(const BrowserCommand& command) {
  if (command.has_sandbox && geteuid() == 0) {
    return Error{
        "the browser has no sandbox if root runs it; run linkherd as another user, or allow this with "
        "--browser-no-sandbox"};
  }
  std::unique_ptr<BrowserProcess> process(new BrowserProcess);  // NOLINT: the constructor is private
  const fs::path& folder = process->folder_.path();
  if (!command.ca_file.empty()) {
    const Result<void> added = add_authorities(command.ca_file, folder);
    if (!added) return added.error();
  }
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw std::system_error(errno, std::generic_category(), "socketpair");
  FileDescriptor ours(ends[0]);
  // A number above those of the child, because dup2() must not overwrite its own source.
  const FileDescriptor first(ends[1]);
  const FileDescriptor theirs(fcntl(first.number(), F_DUPFD_CLOEXEC, answer_descriptor + 1));
  if (!theirs.is_open()) throw std::system_error(errno, std::generic_category(), "fcntl");

  SpawnSettings settings;
  posix_spawn_file_actions_adddup2(&settings.actions, theirs.number(), command_descriptor);
  posix_spawn_file_actions_adddup2(&settings.actions, theirs.number(), answer_descriptor);
  std::vector<std::string> arguments = browser_arguments(command, folder);
  arguments.insert(arguments.begin(), command.program);
  const Result<pid_t> child = spawn(std::move(arguments), folder, settings);
  if (!child) {
    return Error{fmt::format("the browser \"{}\" cannot be started: {}; install Chromium, or name it with --browser",
                             command.program, child.error().message)};
  }
  process->child_ = std::make_unique<ChildProcess>(*child);
  process->socket_ = std::move(ours);
  // A page that allocates without end kills only its own process.
  const rlimit data{max_process_data, max_process_data};
  prlimit(*child, RLIMIT_DATA, &data, nullptr);
  return process;
}

std::string BrowserProcess::last_message() const {
  constexpr std::streamsize max_read = 65536;
  std::ifstream file(folder_.path() / "messages", std::ios::binary);
  std::string text(static_cast<std::size_t>(max_read), '\0');
  file.read(text.data(), max_read);
  text.resize(static_cast<std::size_t>(file.gcount()));
  while (text.ends_with('\n')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace linkherd::crawler
