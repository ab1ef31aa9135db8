// Escapes untrusted text for its destination: terminals, logs and file formats.
#pragma once

#include <string>
#include <string_view>

namespace linkherd::reports {

// Escapes text for terminals and logs. The result is always one line, and escaping it again changes nothing.
//
// - Control characters (including escape sequences), bidirectional controls and invisible characters become escapes
//   such as \u{1b}.
// - Tabs and line breaks become one space. Ill-formed UTF-8 becomes U+FFFD.
// - Workflow commands of CI systems are broken: "::" at the start, also after blanks, becomes "\u{3a}:". "##[" and
//   "##vso[" anywhere become "#\u{23}[" and "#\u{23}vso[".
std::string escape_for_terminal(std::string_view text);

// Returns true if GitHub Actions would take a line with this text for a command: it begins with "::", also after
// blanks.
bool begins_command(std::string_view text);

// Like escape_for_terminal(), for messages and log lines. It also masks passwords in URLs.
std::string escape_message(std::string_view text);

// Escapes serialised JSON. Everything that is unsafe for a terminal or a CI system becomes \uXXXX: C1 controls, DEL,
// line separators, bidirectional controls, invisible characters and "##[". The values do not change.
std::string escape_json(std::string_view json);
void append_escaped_json(std::string& out, std::string_view json);

// Returns one line that file formats do not interpret. White space becomes one blank, and is removed at the ends.
// Control characters, bidirectional controls and invisible characters are removed.
std::string one_line(std::string_view text);

// Returns a cell of a CSV file (RFC 4180). An apostrophe precedes text that a spreadsheet would take for a formula,
// also after a semicolon, a tab or a line break, which may separate cells there. Commands of CI systems are broken as
// for terminals.
std::string csv_cell(std::string_view text);

// Returns a file name as a CSV cell. The name is unchanged if the cell preserves it byte by byte. Otherwise it is
// quoted as git quotes names ("a\\377\\n.md", in quotation marks), a form that --files-from reads.
std::string csv_file_cell(std::string_view name);

// Escapes the message of a workflow command of GitHub Actions ("::error::message"), or the value of a property.
std::string escape_for_command(std::string_view text, bool is_property = false);

// Escapes text and attribute values for XML 1.0. Removes characters that XML cannot represent, and breaks commands of
// CI systems.
std::string escape_for_xml(std::string_view text);

// Escapes text of one line, within a line of Markdown (CommonMark, GFM), at the start of a block, or in a link target.
// The result contains no mention, no cross reference and no command of a CI system.
std::string escape_for_markdown(std::string_view text);
// Returns a clickable link to a serialised URL.
std::string markdown_link(std::string_view text, std::string_view url);
std::string markdown_destination(std::string_view url);

// Escapes the value of a BibTeX field in braces. A URL or DOI is percent-encoded instead.
std::string escape_for_bibtex(std::string_view text);
std::string bibtex_url(std::string_view url);

}  // namespace linkherd::reports
