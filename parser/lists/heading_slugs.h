// Computes the anchors that sites generate from a heading, and finds the anchors that its author names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace linkherd::parser {

// Returns GitHub's slug: lower case, without punctuation, "-" for each space. CJK characters are kept.
std::string github_slug(std::string_view heading);

// Returns Hugo's slugs of the types github, github-ascii and blackfriday. Hugo derives them from the source of a
// heading, so they contain the targets of its links.
std::vector<std::string> hugo_slugs(std::string_view source);

// Returns the slug of kramdown without its GFM parser. It consists of the ASCII letters and digits in the source of a
// heading.
std::string kramdown_slug(std::string_view source);

// Returns the slugs of GitLab, MkDocs, docutils (Sphinx), MyST, Pandoc, kramdown, VitePress, Hugo and mdBook. All of
// them are returned because it is unknown which program builds a site. Repeated headings get no suffix. `plain` has the
// original white space and no images; `with_images` has collapsed white space and the alternative texts of images.
std::vector<std::string> site_generator_slugs(std::string_view plain, std::string_view with_images);

// Returns the id that Asciidoctor generates for a section title: `prefix`, then the word characters of the title in
// lower case. `separator`, which may be empty, replaces the characters between words. A repeated title gets no number.
std::string asciidoctor_id(std::string_view title, std::string_view prefix, std::string_view separator);

constexpr std::size_t max_attribute_list_bytes = 200;

// Returns the names in attribute lists of kramdown, Pandoc, Python-Markdown and others: "{#id}", "{ #id .class }" and
// "{: #id key=value }". Also returns the name of a MyST label, "(name)=", if the label is the whole text.
std::vector<std::string> find_named_anchors(std::string_view text);

// Removes an attribute list from the end of a heading.
std::string_view strip_attributes(std::string_view heading);

// Converts a text to lower case, code point by code point, as programs do for slugs.
std::string to_lower_case(std::string_view text);

// Returns a file name in lower case and in NFC. Names that some file systems treat as the same become equal.
std::string normalise_file_name(std::string_view name);

}  // namespace linkherd::parser
