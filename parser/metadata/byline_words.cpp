#include "parser/metadata/byline_words.h"

#include <array>

namespace linkherd::parser {
namespace {

// clang-format off
constexpr std::array<std::string_view, 55> prefixes{
    "view all posts by", "view all articles by", "view more posts by", "more posts by", "all posts by", "posts by",
    "articles by", "published by", "written by", "posted by", "reported by", "article by", "review by", "story by",
    "words by", "text by", "created by", "submitted by", "interview by", "blog by", "post by", "guest post by",
    "authored by", "compiled by", "geschrieben von", "veröffentlicht von", "ein artikel von", "ein beitrag von",
    "publié par", "écrit par", "escrito por", "publicado por", "scritto da", "pubblicato da", "geplaatst door",
    "eingestellt von", "erstellt von", "gepostet von", "verfasst von", "publicada por", "autorin", "autoren",
    "author", "authors", "autor", "auteur", "autore", "byline", "by", "von", "par", "por", "door", "di", "af",
};

constexpr std::array<std::string_view, 10> han_prefixes{
    "原创作者", "本文作者", "文章作者", "作者", "撰文", "记者", "記者", "文/", "文丨", "文|",
};

constexpr std::array<std::string_view, 63> nobody{
    "admin", "administrator", "author", "authors", "autor", "anonymous", "anonym", "unknown", "guest", "none",
    "null", "undefined", "name", "test", "editor", "editors", "staff", "webmaster", "redaction", "redazione",
    "redacción", "redacao", "redação", "user", "username", "root", "default", "na", "writer", "contributor",
    "superuser", "website", "home", "facebook", "twitter", "instagram", "linkedin", "email", "share", "follow",
    "follows", "匿名", "佚名", "未知", "管理员", "noauthor", "publisher", "published", "posted", "anónimo", "anonimo", "von",
    "by", "written", "people", "agencies", "nachrichten", "quelle", "red", "zvg", "pm", "pd",
    "contributorstowikimediaprojects",
};
// clang-format on

}  // namespace

std::span<const std::string_view> byline_prefixes() { return prefixes; }
std::span<const std::string_view> han_byline_prefixes() { return han_prefixes; }
std::span<const std::string_view> nobody_names() { return nobody; }

}  // namespace linkherd::parser
