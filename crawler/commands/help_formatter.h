// The text of --help and of `linkherd help`: two columns that fit the terminal, with the values that an option takes,
// its limits and its default. --help shows common options, --help-all shows all. CLI::Option::option_text() holds the
// values or limits of an option.
#pragma once

#include <memory>
#include <string>

#include <CLI/App.hpp>  // declares FormatterBase with what its header needs

namespace linkherd::crawler {

std::shared_ptr<CLI::FormatterBase> make_help_formatter();

// What an option is for, and in brackets its values or limits, its default, and what it goes together with.
std::string words_of_option(const CLI::Option& option);

}  // namespace linkherd::crawler
