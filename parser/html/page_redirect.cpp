#include "parser/html/page_redirect.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "parser/ascii.h"
#include "parser/html/html_document.h"
#include "parser/html/html_tokenizer.h"
#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

constexpr int max_delay = 5;                // seconds
constexpr std::size_t max_own_text = 300;   // letters: longer than "Redirecting… Click here if nothing happens."
constexpr std::size_t wide_letter = 3;      // weight of a CJK character: Chinese needs a third of the letters
constexpr std::size_t max_attributes = 64;  // per tag

std::optional<Url> web_url(std::string_view text, const Url& base) {
  Result<Url> url = Url::parse(text, base);
  if (!url || !url->is_http()) return std::nullopt;
  return std::move(*url);
}

std::string_view skip_spaces(std::string_view text) {
  while (!text.empty() && is_ascii_space(text.front())) text.remove_prefix(1);
  return text;
}

// Implements the step of the standard that is labelled "URL": returns "/new" for "url = '/new' ...".
std::string_view refresh_address(std::string_view text) {
  std::string_view rest = text;
  if (starts_ignoring_case(rest, "url")) {
    rest = skip_spaces(rest.substr(3));
    if (!rest.starts_with('=')) return text;
    rest = skip_spaces(rest.substr(1));
  }
  if (rest.empty() || (rest.front() != '"' && rest.front() != '\'')) return rest;
  return rest.substr(1, rest.find(rest.front(), 1) - 1);
}

// The contents of a page's tags. They are collected without building a tree.
struct PageSurvey {
  bool has_refresh = false;
  bool has_content = false;          // pictures, forms and the like: the page is more than a notice
  bool has_external_script = false;  // an external script may do anything
  std::string scripts;               // inline scripts, one after the other
  std::string_view base;
  std::string_view onload;
};

void survey_tag(const HtmlToken& tag, PageSurvey& page) {
  const auto value_of = [&tag](std::string_view name) {
    const HtmlAttribute* attribute = tag.attribute(name);
    return attribute == nullptr ? std::string_view() : attribute->value;
  };
  switch (tag.id) {
    case GUMBO_TAG_META:
      page.has_refresh = page.has_refresh || equals_ignoring_case(trim_ascii(value_of("http-equiv")), "refresh");
      break;
    case GUMBO_TAG_BASE:
      if (page.base.empty()) page.base = value_of("href");
      break;
    case GUMBO_TAG_BODY: page.onload = value_of("onload"); break;
    default: break;
  }
}

// Returns true for modules and for the JavaScript types of the MIME Sniffing Standard that are in use.
bool is_javascript(std::string_view type) {
  constexpr std::array<std::string_view, 8> types{"",
                                                  "module",
                                                  "text/javascript",
                                                  "application/javascript",
                                                  "application/x-javascript",
                                                  "text/ecmascript",
                                                  "application/ecmascript",
                                                  "text/jscript"};
  return is_one_of(types, type);
}

bool is_content(GumboTag tag) {
  switch (tag) {
    case GUMBO_TAG_IMG:
    case GUMBO_TAG_CANVAS:
    case GUMBO_TAG_FORM:
    case GUMBO_TAG_INPUT:
    case GUMBO_TAG_BUTTON:
    case GUMBO_TAG_IFRAME:
    case GUMBO_TAG_VIDEO:
    case GUMBO_TAG_AUDIO:
    case GUMBO_TAG_OBJECT:
    case GUMBO_TAG_EMBED:
    case GUMBO_TAG_SVG:
    case GUMBO_TAG_TEMPLATE: return true;  // their scripts do not run
    default: return false;
  }
}

// `tokens` has just returned the start tag `script`.
void survey_script(const HtmlToken& script, HtmlTokenizer& tokens, PageSurvey& page) {
  const HtmlAttribute* const type = script.attribute("type");
  const bool is_known_type = type == nullptr || is_javascript(to_ascii_lower(trim_ascii(type->value)));
  const bool is_script = is_known_type && script.attribute("nomodule") == nullptr;
  const bool is_external = script.attribute("src") != nullptr;
  const std::string_view text = tokens.raw_text().value_or("");
  if (!is_script) return;
  if (is_external) {
    page.has_external_script = true;
  } else {
    page.scripts.append(text).append(1, '\n');
  }
}

bool has_raw_text(GumboTag tag) {
  switch (tag) {
    case GUMBO_TAG_STYLE:
    case GUMBO_TAG_TITLE:
    case GUMBO_TAG_NOSCRIPT:  // its content is raw text in a browser that runs scripts
    case GUMBO_TAG_IFRAME:
    case GUMBO_TAG_NOEMBED:
    case GUMBO_TAG_NOFRAMES:
    case GUMBO_TAG_TEXTAREA:
    case GUMBO_TAG_XMP: return true;
    default: return false;
  }
}

std::size_t count_visible(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) {
    if (is_ascii_space(c) || is_continuation_byte(c)) continue;
    count += static_cast<unsigned char>(c) < 0xE0 ? 1 : wide_letter;
  }
  return count;
}

// Returns nullopt if the page has text of its own. On most pages this is known after a few lines.
std::optional<PageSurvey> survey(std::string_view utf8) {
  PageSurvey page;
  std::size_t text = 0;
  HtmlTokenizer tokens(utf8, HtmlTokenizer::Unclosed::to_end_of_text, max_attributes);
  while (const HtmlToken* token = tokens.next()) {
    if (token->kind == HtmlToken::Kind::text) {
      text += count_visible(token->source);
      if (text > max_own_text) return std::nullopt;
    } else if (token->kind == HtmlToken::Kind::start_tag) {
      survey_tag(*token, page);
      page.has_content = page.has_content || is_content(token->id);
      if (token->id == GUMBO_TAG_SCRIPT) {
        survey_script(*token, tokens, page);
      } else if (has_raw_text(token->id)) {
        tokens.raw_text();
      }
    }
  }
  return page;
}

std::string canonical_of(const HtmlDocument& document) {
  for (const HtmlElement link : document.by_name("link")) {
    if (equals_ignoring_case(trim_ascii(link.attribute("rel").value_or("")), "canonical"))
      return std::string(link.attribute("href").value_or(""));
  }
  return {};
}

// Returns true if `url` is inside `folder`, as "/docs/latest/" is inside "/docs/". A redirect to the current start page
// of a folder is not permanent.
bool is_inside(const Url& folder, const Url& url) {
  return folder.origin() == url.origin() && folder.path().ends_with('/') && url.path().starts_with(folder.path());
}

bool is_same_page(const Url& one, const Url& other) {
  return one.href_without_fragment() == other.href_without_fragment();
}

struct Refresh {
  Url to;
  bool is_instant = false;
};

// Returns nullopt if the delay is too long or the target cannot be fetched.
std::optional<Refresh> parse_refresh(std::string_view value, const Url& base) {
  const std::optional<RefreshValue> refresh = read_refresh(value);
  if (!refresh || refresh->seconds > max_delay) return std::nullopt;
  std::optional<Url> to = web_url(refresh->address, base);
  if (!to) return std::nullopt;
  return Refresh{std::move(*to), refresh->seconds == 0};
}

// Returns true if the page should be checked itself instead of its target. A page with content that waits some seconds
// may be meant to be read: a slide, or a notice that the site has moved.
bool should_survey(const PageSurvey& page, const Refresh& refresh) { return page.has_content && !refresh.is_instant; }

std::optional<Refresh> first_meta_refresh(const HtmlDocument& document, const Url& base) {
  for (const HtmlElement meta : document.by_name("meta")) {
    if (!equals_ignoring_case(trim_ascii(meta.attribute("http-equiv").value_or("")), "refresh")) continue;
    if (auto found = parse_refresh(meta.attribute("content").value_or(""), base)) return found;
  }
  return std::nullopt;
}

// Reads the refresh from the document tree, not from the tokens: there, character references are decoded and <noscript>
// is left out.
std::optional<PageRedirect> find_refresh(std::string_view utf8, const PageSurvey& page, const Url& url, const Url& base,
                                         std::string_view header, std::string_view canonical) {
  const HtmlDocument document = HtmlDocument::parse(utf8);
  std::optional<Refresh> found = parse_refresh(header, url);
  const RedirectKind kind = found ? RedirectKind::refresh_header : RedirectKind::meta_refresh;
  if (!found) found = first_meta_refresh(document, base);
  if (!found || should_survey(page, *found) || is_same_page(url, found->to)) return std::nullopt;
  const std::string stated = canonical.empty() ? canonical_of(document) : std::string(canonical);
  const std::optional<Url> address = stated.empty() ? std::nullopt : web_url(stated, base);
  const bool is_permanent =
      found->is_instant && address && is_same_page(*address, found->to) && !is_inside(url, found->to);
  return PageRedirect{std::move(found->to), kind, is_permanent};
}

}  // namespace

std::optional<RefreshValue> read_refresh(std::string_view value) {
  std::string_view rest = skip_spaces(value);
  if (rest.empty() || (!is_ascii_digit(rest.front()) && rest.front() != '.')) return std::nullopt;
  int seconds = 0;
  for (; !rest.empty() && is_ascii_digit(rest.front()); rest.remove_prefix(1))
    seconds = std::min(max_refresh_seconds, seconds * 10 + (rest.front() - '0'));
  while (!rest.empty() && (is_ascii_digit(rest.front()) || rest.front() == '.')) rest.remove_prefix(1);
  if (rest.empty() || (rest.front() != ';' && rest.front() != ',' && !is_ascii_space(rest.front())))
    return std::nullopt;
  rest = skip_spaces(rest);
  if (!rest.empty() && (rest.front() == ';' || rest.front() == ',')) rest = skip_spaces(rest.substr(1));
  const std::string_view address = rest.empty() ? rest : trim_ascii_end(refresh_address(rest));
  if (address.empty()) return std::nullopt;
  return RefreshValue{seconds, address};
}

std::optional<PageRedirect> find_page_redirect(std::string_view utf8, const Url& url, std::string_view refresh,
                                               std::string_view canonical) {
  const std::optional<PageSurvey> page = survey(utf8);
  if (!page) return std::nullopt;
  const std::optional<Url> stated_base = page->base.empty() ? std::nullopt : web_url(page->base, url);
  const Url& base = stated_base ? *stated_base : url;
  if (!refresh.empty() || page->has_refresh) {
    if (auto found = find_refresh(utf8, *page, url, base, refresh, canonical)) return found;
  }
  if (page->has_external_script || page->has_content) return std::nullopt;
  const std::optional<std::string> target = find_script_redirect(page->scripts + std::string(page->onload));
  std::optional<Url> to = target ? web_url(*target, base) : std::nullopt;
  if (!to || is_same_page(url, *to)) return std::nullopt;
  return PageRedirect{std::move(*to), RedirectKind::script, false};
}

}  // namespace linkherd::parser
