// Runs one Chromium with a fresh profile in a private temporary folder.
//
// The browser ends when its socket is closed, so it does not outlive linkherd even if linkherd is killed. It gets no
// variable of linkherd's environment except PATH.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "crawler/browser/browser_options.h"
#include "crawler/notify/child_process.h"
#include "parser/result.h"
#include "storage/file_descriptor.h"

namespace linkherd::crawler {

struct BrowserCommand {
  std::string program;
  std::uint16_t proxy_port = 0;  // of the proxy on 127.0.0.1 for all traffic
  bool has_sandbox = true;
  bool verifies_certificates = true;
  std::string ca_file{};  // PEM, additional authorities; may be empty
};

// Returns the arguments of the browser, without its name.
std::vector<std::string> browser_arguments(const BrowserCommand& command, const std::filesystem::path& folder);

// A folder below the system's temporary folder that only this user can read. The destructor removes it.
class PrivateFolder {
 public:
  PrivateFolder();  // throws std::system_error
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

class BrowserProcess {
 public:
  // The error says why the program cannot be started. Throws std::system_error if the machine has no resources left.
  static Result<std::unique_ptr<BrowserProcess>> start(const BrowserCommand& command);
  ~BrowserProcess() = default;  // kills all processes of the browser
  BrowserProcess(const BrowserProcess&) = delete;
  BrowserProcess& operator=(const BrowserProcess&) = delete;

  storage::FileDescriptor take_socket() { return std::move(socket_); }
  // Returns the last line that the browser wrote to its standard error; empty if there is none.
  std::string last_message() const;

 private:
  BrowserProcess() = default;

  PrivateFolder folder_;  // declared first, so that it is removed after the processes have ended
  std::unique_ptr<ChildProcess> child_;
  storage::FileDescriptor socket_;
};

}  // namespace linkherd::crawler
