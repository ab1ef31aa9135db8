// The ids of an AsciiDoc document, by Asciidoctor's rules.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace linkherd::parser {

class AsciidocIds {
 public:
  // What the attributes "idprefix" and "idseparator" say.
  struct Style {
    std::string prefix = "_";
    std::string separator = "_";
    bool is_set = false;  // in the document; else what builds it may set another
  };

  // An id as it is written.
  void add(std::string_view id);
  // The title of a section, without an id of its own: that which is made of it, and as GitHub and Antora make it.
  void add_section(std::string_view title, const Style& style);
  // A title or text that cross references may name instead of an id.
  void add_name(std::string_view name);

  std::vector<std::string> finish();

 private:
  void add_numbered(const std::string& id, std::string_view separator);

  std::vector<std::string> ids_;
  std::unordered_map<std::string, std::size_t> counts_;  // how often an id would be there
};

// Returns a text as cross references name it: without the marks of formatting.
std::string asciidoc_name(std::string_view text);

}  // namespace linkherd::parser
