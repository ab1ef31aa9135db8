// What the configurations of other link checkers in a repository say, as settings of linkherd.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace linkherd::crawler {

struct Migration {
  struct Value {
    std::string text;    // as on the command line
    std::string source;  // the file that says so
  };
  std::vector<std::string> files;                    // that were read
  std::map<std::string, std::vector<Value>> values;  // by setting: "max_retries"
  // Of [hosts."example.com"]: the settings and their values.
  std::map<std::string, std::map<std::string, std::string>> hosts;
  // What is not taken over, a line each: "lychee.toml: accept: …".
  std::vector<std::string> notes;
};

// Reads lychee.toml, .lycheeignore, markdown-link-check's JSON and, as far as they stand there plainly, html-proofer's
// options. Nothing is run. Secrets are not taken over. Values are not checked. Throws CLI::ParseError for a file that
// cannot be read or is not what its name says.
Migration read_other_configurations(const std::filesystem::path& root);

}  // namespace linkherd::crawler
