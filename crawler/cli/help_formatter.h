// Formats the text of --help, --help-all and `linkherd help`: examples, and groups of options that fit the terminal.
// Each option has its values, limits and default. CLI::Option::option_text() holds the values or limits of an option.
#pragma once

#include <memory>
#include <string>

#include <CLI/App.hpp>  // declares FormatterBase with what its header needs

namespace linkherd::crawler {

std::shared_ptr<CLI::FormatterBase> make_help_formatter();

// Returns the description of an option, followed in brackets by its values or limits, its default and what it requires.
// `with_conflicts`: also lists options that it cannot be combined with.
std::string describe_option(const CLI::Option& option, bool with_conflicts);

}  // namespace linkherd::crawler
