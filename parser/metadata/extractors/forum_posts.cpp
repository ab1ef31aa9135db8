// Extracts the author of the first post of a forum thread, by the markup of forum software and by links to profiles.
#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parser/ascii.h"
#include "parser/metadata/authors.h"
#include "parser/metadata/page.h"
#include "parser/metadata/page_regions.h"
#include "parser/metadata/text_values.h"

namespace linkherd::parser {
namespace {

// A class that forum software gives to the name of a poster, or to a block that begins with the name.
struct PosterClass {
  std::string_view name;
  std::string_view inside;  // the element in the block that has the name; empty: the block itself
};

constexpr std::array poster_classes{
    PosterClass{"bigusername", ""},              // vBulletin 3
    PosterClass{"username_container", "a"},      // vBulletin 4
    PosterClass{"postprofile", "a"},             // phpBB
    PosterClass{"postauthor", ""},               // phpBB 2
    PosterClass{"poster", "a"},                  // SMF
    PosterClass{"postleft", "dt"},               // FluxBB, PunBB
    PosterClass{"author_information", "a"},      // MyBB
    PosterClass{"message-userDetails", "a"},     // XenForo 2
    PosterClass{"messageAuthor", "a"},           // WoltLab
    PosterClass{"cAuthorPane_author", "a"},      // Invision
    PosterClass{"ipsComment_author", "a"},       // Invision
    PosterClass{"PostUser-name", ""},            // Flarum
    PosterClass{"bbp-author-name", ""},          // bbPress
    PosterClass{"post-author-block-name", "a"},  // Asgaros
    PosterClass{"person-listing", ""},           // Lemmy
    PosterClass{"authi", "a"},                   // Discuz
    PosterClass{"qa-q-view-who-data", ""},       // Question2Answer
    PosterClass{"Username", ""},                 // Vanilla
    PosterClass{"username", ""},
    PosterClass{"user-name", ""},
    PosterClass{"userName", ""},
    PosterClass{"postername", ""},
    PosterClass{"poster-name", ""},
    PosterClass{"poster_name", ""},
    PosterClass{"topic-author", ""},
};
constexpr auto poster_class_names = [] {
  std::array<std::string_view, poster_classes.size()> names{};
  std::ranges::transform(poster_classes, names.begin(), &PosterClass::name);
  return names;
}();

// Parts of the addresses of user profiles.
constexpr std::array<std::string_view, 12> profile_parts{"member.php?",
                                                         "memberlist.php?mode=viewprofile",
                                                         "action=profile",
                                                         "profile.php?",
                                                         "/members/",
                                                         "/member/",
                                                         "/user/",
                                                         "/users/",
                                                         "/u/",
                                                         "/profile/",
                                                         "/profiles/",
                                                         "/people/"};

// Words of host names and of paths of forums.
constexpr std::array<std::string_view, 10> host_words{"forum", "forums",     "foro",        "community", "discuss",
                                                      "board", "discussion", "discussions", "boards",    "bbs"};
constexpr std::array<std::string_view, 16> path_words{
    "forum", "forums",    "foro",      "foros",      "forumdisplay", "thread",    "threads",  "showthread",
    "topic", "viewtopic", "showtopic", "viewthread", "discussion",   "questions", "question", "bbs"};
constexpr std::array<std::string_view, 2> path_beginnings{"/t/", "/d/"};  // Discourse, Flarum

// Returns the name of a poster in a text. Empty for a command or a label, such as "Log in".
std::string poster_in(HtmlElement element) {
  constexpr std::size_t max_bytes = 60;
  constexpr std::size_t max_words = 3;
  static constexpr std::array<std::string_view, 24> no_posters{
      "login",      "signin", "signup", "register", "profile",   "members",     "member",      "users",
      "user",       "reply",  "quote",  "report",   "moderator", "moderators",  "viewprofile", "threadstarter",
      "memberlist", "logout", "help",   "search",   "userlist",  "topicauthor", "activity",    "badges"};
  std::string name = clean_name(element.short_text(max_bytes).value_or(""));
  if (name.empty() || count_words(name) > max_words || is_one_of(no_posters, extract_letters(name))) return {};
  return name;
}

std::string poster_in_block(const std::vector<HtmlElement>& elements, std::size_t index, std::string_view inside) {
  constexpr std::size_t max_inside = 20;
  if (inside.empty()) return poster_in(elements[index]);
  for (std::size_t i = index + 1; i < elements.size() && i <= index + max_inside; ++i) {
    if (!is_inside(elements[i], elements[index])) break;
    if (elements[i].name() != inside) continue;
    if (std::string name = poster_in(elements[i]); !name.empty()) return name;
  }
  return {};
}

std::string marked_poster(const std::vector<HtmlElement>& elements, std::size_t index) {
  const HtmlElement element = elements[index];
  if (!element.has_any_class(poster_class_names)) return {};
  const auto* known =
      std::ranges::find_if(poster_classes, [&](const PosterClass& one) { return element.has_class(one.name); });
  return known == poster_classes.end() ? std::string() : poster_in_block(elements, index, known->inside);
}

bool links_to_profile(HtmlElement element) {
  const auto href = element.attribute("href");
  return href && std::ranges::any_of(profile_parts,
                                     [&](std::string_view part) { return href->find(part) != std::string_view::npos; });
}

}  // namespace

bool is_forum(const Page& page) {
  return has_word(page.host(), [](std::string_view word) { return is_one_of(host_words, word); }) ||
         has_word(page.path(), [](std::string_view word) { return is_one_of(path_words, word); }) ||
         std::ranges::any_of(path_beginnings, [&](std::string_view begin) { return page.path().starts_with(begin); });
}

void extract_forum_posts(const Page& page, Candidates& candidates) {
  constexpr double marked = 0.62;  // more than an element called author, which may be a badge of the software
  constexpr double linked = 0.35;
  if (!is_forum(page)) return;
  const auto& elements = page.document.elements();
  std::string linked_name;
  const std::size_t end = page.searched_elements().size();
  for (std::size_t i = 0; i < end; ++i) {
    // Visitors and the latest members are named before the headline.
    if (page.regions.has_headline() && !page.regions.is_after_headline(i)) continue;
    const std::string name = marked_poster(elements, i);
    if (!name.empty() && !page.regions.is_secondary(elements[i])) {
      add(candidates.authors, {name}, "forum:post", marked);
      return;
    }
    const bool may_be_link = linked_name.empty() && elements[i].node()->v.element.tag == GUMBO_TAG_A;
    if (may_be_link && links_to_profile(elements[i]) && !page.regions.is_secondary(elements[i]))
      linked_name = poster_in(elements[i]);
  }
  if (!linked_name.empty()) add(candidates.authors, {linked_name}, "forum:link", linked);
}

}  // namespace linkherd::parser
