// Escapes foreign text for terminals, logs and JSON output.
#pragma once

#include <string>
#include <string_view>

namespace linkherd::reports {

// For a terminal or a log: control characters (also escape sequences) and bidirectional overrides as \u{1b}, tabs and
// line breaks as one space, ill-formed UTF-8 as U+FFFD. Commands of CI systems are escaped in the same way: "::" at the
// beginning, also behind blanks, becomes "\u{3a}:", and "##[" or "##vso[" anywhere "#\u{23}[". All other text is
// unchanged; escaping twice has no further effect. The result is always one line.
std::string escape_for_terminal(std::string_view text);

// The same for messages and log lines, which also mask passwords in URLs.
std::string escape_message(std::string_view text);

// JSON text as it is serialised, with everything that is not for a terminal or a CI system (C1 controls, DEL, line
// separators, bidirectional controls, "##[") as \uXXXX: the values are the same.
std::string escape_json(std::string_view json);

}  // namespace linkherd::reports
