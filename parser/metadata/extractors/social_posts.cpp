// Extracts the author and the text of a post in a social network. Its title has both: 'Jane Doe on X: "Fish" / X'.
#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "parser/ascii.h"
#include "parser/metadata/authors.h"
#include "parser/metadata/page.h"
#include "parser/metadata/text_values.h"
#include "parser/url/host.h"

namespace linkherd::parser {
namespace {

constexpr std::array<std::string_view, 5> networks{"X", "Twitter", "Instagram", "Threads", "TikTok"};
constexpr std::array<std::string_view, 6> network_hosts{"x.com",       "twitter.com", "instagram.com",
                                                        "threads.net", "threads.com", "tiktok.com"};

// The word between the name and the network, by language: "Jane Doe auf X: …".
constexpr std::array<std::string_view, 16> words_before_network{"on", "auf", "sur", "en", "su", "no", "em", "op",
                                                                "på", "w",   "na",  "в",  "у",  "di", "pe", "στο"};

// Titles that begin with the network: "X 上的 Jane Doe：“…”".
struct NetworkFirst {
  std::string_view after_network;
  std::string_view after_name;
};
constexpr std::array<NetworkFirst, 4> forms_with_network_first{
    {{" 上的 ", "："}, {"ユーザーの", "さん:"}, {"의 ", "님 :"}, {"'te ", ":"}}};

struct Post {
  std::string_view author;
  std::string_view text;  // empty if the title has only the author
};

// Returns the text of a post without the quotation marks, the name of the network and the address of the post.
std::string_view without_frame(std::string_view text) {
  static constexpr std::array<std::string_view, 11> ends{" / X", " / Twitter", " | TikTok", " | Threads", "\"", "”",
                                                         "“",    "»",          "」",        " ",          "|"};
  static constexpr std::array<std::string_view, 7> beginnings{"\"", "“", "„", "«", "「", "”", " "};
  for (bool is_cut = true; is_cut;) {
    is_cut = false;
    for (const std::string_view end : ends) {
      if (!text.ends_with(end)) continue;
      text.remove_suffix(end.size());
      is_cut = true;
    }
    for (const std::string_view begin : beginnings) {
      if (!text.starts_with(begin)) continue;
      text.remove_prefix(begin.size());
      is_cut = true;
    }
    const std::size_t word = text.rfind(' ') + 1;  // 0 if the text has one word
    if (text.substr(word).starts_with("https://t.co/")) {
      text = text.substr(0, word);
      is_cut = true;
    }
  }
  return text;
}

// Reads 'Jane Doe on X: "Fish"' and "Jane Doe (@jane) on Threads".
Post post_after_name(std::string_view title, std::string_view network) {
  constexpr std::size_t max_name_bytes = 120;
  for (std::size_t at = title.find(network); at != std::string_view::npos; at = title.find(network, at + 1)) {
    if (at < 4 || at > max_name_bytes || title[at - 1] != ' ') continue;
    const std::string_view before = title.substr(0, at - 1);
    const std::size_t word = before.rfind(' ');
    if (word == std::string_view::npos || !is_one_of(words_before_network, before.substr(word + 1))) continue;
    const std::string_view name = before.substr(0, word);
    std::string_view rest = title.substr(at + network.size());
    if (rest.empty()) return {name, {}};
    if (rest.starts_with(' ')) rest.remove_prefix(1);
    if (rest.starts_with(": ") || rest.starts_with("| ")) return {name, rest.substr(2)};
  }
  return {};
}

// Reads "X 上的 Jane Doe：“Fish”".
Post post_after_network(std::string_view title, std::string_view network) {
  if (!title.starts_with(network)) return {};
  const std::string_view rest = title.substr(network.size());
  for (const NetworkFirst& form : forms_with_network_first) {
    if (!rest.starts_with(form.after_network)) continue;
    const std::size_t end = rest.find(form.after_name);
    if (end == std::string_view::npos) continue;
    return {rest.substr(form.after_network.size(), end - form.after_network.size()),
            rest.substr(end + form.after_name.size())};
  }
  return {};
}

// Reads "Jane Doe | Fish and chips | Instagram".
Post post_between_bars(std::string_view title) {
  constexpr std::string_view end = " | Instagram";
  const std::size_t bar = title.find(" | ");
  if (!title.ends_with(end) || bar + end.size() >= title.size()) return {};
  return {title.substr(0, bar), title.substr(bar + 3, title.size() - end.size() - bar - 3)};
}

// Returns true if the text of a post is quoted. A title without an address must have this form.
bool is_quoted(std::string_view text) {
  return std::ranges::any_of(std::array<std::string_view, 5>{"\"", "“", "„", "«", "「"},
                             [&](std::string_view mark) { return trim_ascii(text).starts_with(mark); });
}

Post find_post(std::string_view title) {
  for (const std::string_view network : networks) {
    if (const Post post = post_after_name(title, network); !post.author.empty()) return post;
    if (const Post post = post_after_network(title, network); !post.author.empty()) return post;
  }
  return post_between_bars(title);
}

// Removes the account from "Jane Doe (@jane)".
std::string_view without_account(std::string_view name) { return trim_ascii(name.substr(0, name.find("(@"))); }

// Returns the account in the address of a post: "jane" in /@jane/video/1 and /jane/status/1.
std::string_view account_in_address(std::string_view path) {
  const std::size_t end = path.find('/', 1);
  if (end == std::string_view::npos) return {};
  const std::string_view first = path.substr(1, end - 1);
  const std::string_view second = path.substr(end);
  if (first.starts_with('@')) return first.substr(1);
  return second.starts_with("/status/") && first != "i" ? first : std::string_view();
}

std::string description_of(const Candidates& candidates) {
  const auto found = std::ranges::find(candidates.description, "meta:og:description", &Candidate<std::string>::source);
  return found == candidates.description.end() ? std::string() : found->value;
}

bool is_of_network(const Page& page) {
  return std::ranges::any_of(network_hosts, [&](std::string_view host) { return is_within_domain(page.host(), host); });
}

}  // namespace

void extract_social_posts(const Page& page, Candidates& candidates) {
  constexpr double trust = 0.9;
  constexpr double trust_of_account = 0.5;
  // An article may have a quotation as its title: 'Minister on X: "We fish"'.
  if (page.url != nullptr && !is_of_network(page)) return;
  const std::string account = clean_name(account_in_address(page.path()));
  CandidateList<std::string> found;
  bool has_author = false;
  for (const Candidate<std::string>& candidate : candidates.titles) {
    const Post post = find_post(candidate.value);
    if (page.url == nullptr && !is_quoted(post.text)) continue;
    // "Fish on TikTok" may be the title of a list.
    if (post.text.empty() && account.empty()) continue;
    std::string author = clean_name(without_account(post.author));
    if (author.empty()) continue;
    std::string text(without_frame(post.text));
    if (post.text.empty()) text = clean_value(without_frame(description_of(candidates)), max_title);
    if (!has_author) add(candidates.authors, {std::move(author)}, "title:post", trust);
    has_author = true;
    if (!text.empty()) add(found, std::move(text), "title:post", trust);
  }
  for (Candidate<std::string>& title : found) add(candidates.titles, std::move(title.value), title.source, title.trust);
  if (!has_author && !account.empty()) add(candidates.authors, {account}, "url:account", trust_of_account);
}

}  // namespace linkherd::parser
