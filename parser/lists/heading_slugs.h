// The anchors that sites make of a Markdown heading, and those that its author names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace linkherd::parser {

// A heading as its reader found it.
struct HeadingTexts {
  std::string_view text;   // white space collapsed, with the alternative texts of images
  std::string_view plain;  // white space kept, without images: GitHub's slugs are made of this
};

// Returns GitHub's slug: lower case, no punctuation, "-" for each space, CJK kept.
std::string github_slug(std::string_view heading);

// Returns the slugs of Hugo (github, github-ascii, blackfriday), which are made of the source of a heading: its links
// have their targets in them.
std::vector<std::string> hugo_slugs(std::string_view source);

// Returns the slug of kramdown without its GFM parser: letters and digits of ASCII in the source of a heading.
std::string kramdown_slug(std::string_view source);

// Returns the other slugs of a heading's text: those of GitLab, MkDocs, docutils (Sphinx), MyST, Pandoc, kramdown,
// VitePress, Hugo and mdBook. Each site has some of them, and which is not known. Without a suffix for repeated
// headings.
std::vector<std::string> other_slugs(const HeadingTexts& heading);

// Returns the id that Asciidoctor makes of the title of a section: word characters in lower case after `prefix`, and
// `separator`, which may be empty, for what is between them. Without the number of a repeated one.
std::string asciidoctor_id(std::string_view title, std::string_view prefix, std::string_view separator);

// Returns the names in attribute lists: "{#id}", "{ #id .class }", "{: #id key=value }" of kramdown, Pandoc,
// Python-Markdown and others; and that of a label of MyST, "(name)=", if it is the whole text.
std::vector<std::string> named_anchors(std::string_view text);

// Returns the heading without an attribute list at its end.
std::string_view without_attributes(std::string_view heading);

// Returns the text in lower case, code point by code point, as slugs are made.
std::string lower_case(std::string_view text);

// Returns the name of a file in lower case and in NFC: what some file systems take for one name is equal.
std::string normalised_name(std::string_view name);

}  // namespace linkherd::parser
