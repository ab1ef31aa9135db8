// Escapes untrusted text for where it is printed: terminals, logs, and the formats of files.
#pragma once

#include <string>
#include <string_view>

namespace linkherd::reports {

// For terminals and logs: control characters (including escape sequences), bidirectional controls and characters that
// nobody sees become \u{1b}, tabs and line breaks one space, ill-formed UTF-8 U+FFFD. Workflow commands of CI systems
// are escaped too: "::" at the start, also after blanks, becomes "\u{3a}:", and "##[" or "##vso[" anywhere "#\u{23}[".
// All other text is unchanged. Idempotent. The result is always one line.
std::string escape_for_terminal(std::string_view text);

// Whether GitHub Actions would read a line with this text as a command: it begins with "::", also after blanks.
bool begins_command(std::string_view text);

// For messages and log lines: also masks passwords in URLs.
std::string escape_message(std::string_view text);

// Escapes serialised JSON: everything that is unsafe for a terminal or a CI system (C1 controls, DEL, line separators,
// bidirectional controls, invisible characters, "##[") becomes \uXXXX. The values do not change.
std::string escape_json(std::string_view json);
void append_escaped_json(std::string& out, std::string_view json);

// One line for the formats of files, without anything to interpret: white space becomes one blank, none at the ends;
// control characters, bidirectional controls and characters that nobody sees are removed.
std::string one_line(std::string_view text);

// A cell of a CSV file, RFC 4180. An apostrophe stands before what a spreadsheet would take for a formula, also behind
// a semicolon, a tab or a line break, which may separate cells for it. Commands of CI systems are broken up as for
// terminals.
std::string csv_cell(std::string_view text);

// The name of a file as a cell: as it is where the cell says it back byte by byte, else quoted as git quotes names
// ("a\\377\\n.md", in quotation marks), which --files-from reads.
std::string csv_file_cell(std::string_view name);

// The message of a workflow command of GitHub Actions ("::error::message"), or the value of one of its properties.
std::string escape_for_command(std::string_view text, bool is_property = false);

// Text and values of attributes in XML 1.0, without the characters that it cannot hold and commands of CI systems.
std::string escape_for_xml(std::string_view text);

// Text of one line within a line of Markdown (CommonMark, GFM) or at the start of a block, and the target of a link
// there. Nothing in it is a mention, a cross reference, or a command of a CI system.
std::string escape_for_markdown(std::string_view text);
// A link that can be clicked, to a serialised URL.
std::string markdown_link(std::string_view text, std::string_view url);
std::string markdown_destination(std::string_view url);

// The value of a BibTeX field in braces: text, and a URL or DOI, which is percent-encoded instead.
std::string escape_for_bibtex(std::string_view text);
std::string bibtex_url(std::string_view url);

}  // namespace linkherd::reports
