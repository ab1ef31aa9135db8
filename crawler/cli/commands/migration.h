// Converts the configurations of other link checkers in a repository to settings of linkherd.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace linkherd::crawler {

struct Migration {
  struct Value {
    std::string text;    // in the form of the command line
    std::string source;  // the file that contains the setting
  };
  std::vector<std::string> files;                    // files that were read
  std::map<std::string, std::vector<Value>> values;  // by setting, such as "max_retries"
  // Settings and values by host, as for [hosts."example.com"].
  std::map<std::string, std::map<std::string, std::string>> hosts;
  // Settings that cannot be converted, one per line, such as "lychee.toml: accept: …".
  std::vector<std::string> notes;
};

// Reads lychee.toml, .lycheeignore, markdown-link-check's JSON, and html-proofer's options if they are literal values.
// Runs no code and takes no secrets. The values are not validated. Throws CLI::ParseError for a file that cannot be
// read or has a different format than its name says.
Migration read_other_configurations(const std::filesystem::path& root);

}  // namespace linkherd::crawler
