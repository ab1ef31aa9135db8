// Finds the file with the CA certificates that the system trusts (PEM).
#pragma once

#include <filesystem>
#include <string>

namespace linkherd::crawler {

// Returns `named`, the value of SSL_CERT_FILE, if that file can be read. Otherwise returns the first readable file in
// the usual places of Linux distributions and BSDs below `root`, or an empty string.
std::string find_ca_file(const std::string& named, const std::filesystem::path& root);

// Finds the file for this process: from the environment, or below "/".
std::string find_system_ca_file();

// Returns `configured`, or the file of the system. Logs a warning if the system has none, and if it does not use the
// file of SSL_CERT_FILE. Throws std::runtime_error if `configured` cannot be read.
std::string choose_ca_file(const std::string& configured);

}  // namespace linkherd::crawler
