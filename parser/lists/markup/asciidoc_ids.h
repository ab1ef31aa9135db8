// Collects the ids of an AsciiDoc document by the rules of Asciidoctor.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace linkherd::parser {

class AsciidocIds {
 public:
  // The values of the attributes "idprefix" and "idseparator".
  struct Style {
    std::string prefix = "_";
    std::string separator = "_";
    bool is_set = false;  // the document sets the attributes; otherwise its build may set other values
  };

  // Adds an explicit id.
  void add(std::string_view id);
  // Adds the generated ids of a section that has no explicit id: in the given style, and in the styles of GitHub and
  // Antora.
  void add_section(std::string_view title, const Style& style);
  // Adds a title or text that cross references may name instead of an id.
  void add_name(std::string_view name);

  std::vector<std::string> finish();

 private:
  void add_numbered(const std::string& id, std::string_view separator);

  std::vector<std::string> ids_;
  std::unordered_map<std::string, std::size_t> counts_;  // number of uses of each id before numbering
};

// Returns a text in the form in which cross references name it, without formatting marks.
std::string asciidoc_name(std::string_view text);

}  // namespace linkherd::parser
