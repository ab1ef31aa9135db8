// Extracts the authors and dates of JSON-LD, from the node that describes this page (an article, a video, the web page
// itself). Also reads pubDate and upDate of Baidu's vocabulary.
#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

#include "parser/ascii.h"
#include "parser/metadata/authors.h"
#include "parser/metadata/embedded_json.h"
#include "parser/metadata/identifiers.h"
#include "parser/metadata/page.h"
#include "parser/metadata/text_values.h"

namespace linkherd::parser {
namespace {

namespace json = boost::json;

constexpr std::size_t max_json_ld_nodes = 2000;

// Returns how much a node of this type is trusted as a description of the page.
double trust_of_type(std::string_view type) {
  if (const std::size_t slash = type.find_last_of("/#:"); slash != std::string_view::npos)
    type.remove_prefix(slash + 1);
  static constexpr std::array<std::string_view, 12> others{"CreativeWork",
                                                           "Recipe",
                                                           "HowTo",
                                                           "Review",
                                                           "BlogPosting",
                                                           "Report",
                                                           "LiveBlogPosting",
                                                           "SocialMediaPosting",
                                                           "DiscussionForumPosting",
                                                           "TechArticle",
                                                           "Book",
                                                           "PodcastEpisode"};
  if (type.ends_with("Article") || is_one_of(others, type)) return 0.9;
  if (type == "VideoObject" || type == "AudioObject" || type == "ImageGallery" || type == "MediaObject") return 0.6;
  if (type.ends_with("Page") || type == "QAPage") return 0.7;
  return 0.0;
}

bool has_type(const json::object& node, std::string_view wanted) {
  const json::value* type = node.if_contains("@type");
  if (type == nullptr) return false;
  if (const auto* list = type->if_array()) {
    return std::ranges::any_of(*list, [&](const json::value& one) { return text_of(&one).ends_with(wanted); });
  }
  return text_of(type).ends_with(wanted);
}

double trust_of(const json::object& node) {
  const json::value* type = node.if_contains("@type");
  if (type == nullptr) return 0.0;
  if (const auto* list = type->if_array()) {
    double best = 0.0;
    for (const json::value& one : *list) best = std::max(best, trust_of_type(text_of(&one)));
    return best;
  }
  return trust_of_type(text_of(type));
}

// Returns the nodes that may describe the page: the top level, @graph, and the main entity. Other nodes are parts of
// lists or comments.
std::vector<const json::object*> top_nodes(const json::value& root) {
  std::vector<const json::object*> nodes;
  std::vector<const json::value*> waiting{&root};
  for (std::size_t next = 0; next < waiting.size() && nodes.size() < max_json_ld_nodes; ++next) {
    if (const auto* list = waiting[next]->if_array()) {
      for (const json::value& item : *list) {
        if (waiting.size() < max_json_ld_nodes) waiting.push_back(&item);
      }
    } else if (const auto* object = waiting[next]->if_object()) {
      nodes.push_back(object);
      for (const char* key : {"@graph", "mainEntity", "mainEntityOfPage"}) {
        if (const json::value* inner = object->if_contains(key)) waiting.push_back(inner);
      }
    }
  }
  return nodes;
}

std::string text_at(const json::object& node, std::string_view key) {
  const json::value* value = node.if_contains(json::string_view(key.data(), key.size()));
  if (value != nullptr && value->is_array() && !value->get_array().empty()) value = &value->get_array().front();
  return text_of(value);
}

class Reader {
 public:
  Reader(const Page& page, Candidates& candidates) : page_(page), candidates_(candidates) {}

  void read(const json::value& root) {
    const std::vector<const json::object*> nodes = top_nodes(root);
    for (const json::object* node : nodes) {
      const std::string id = text_at(*node, "@id");
      const std::string name = text_at(*node, "name");
      if (!id.empty() && !name.empty()) names_by_id_.emplace(id, name);
    }
    // A page of questions and answers has one question; the questions of other pages are parts of their text.
    const auto is_question = [](const json::object* node) { return has_type(*node, "Question"); };
    const bool is_thread =
        std::ranges::any_of(nodes, [](const json::object* node) { return has_type(*node, "QAPage"); }) &&
        std::ranges::count_if(nodes, is_question) == 1;
    for (const json::object* node : nodes) {
      const bool describes_thread = is_thread && is_question(node);
      // The page of a thread has the author and the date of the site.
      const double share = is_thread && !describes_thread ? share_of_thread_page : 1.0;
      read_node(*node, describes_thread ? trust_of_question : trust_of(*node) * share);
    }
  }

 private:
  static constexpr double trust_of_question = 0.9;
  static constexpr double share_of_thread_page = 0.5;

  void read_node(const json::object& node, double trust);
  void read_text(const json::object& node, std::string_view key, CandidateList<std::string>& list, std::size_t max,
                 double trust);
  void read_date(const json::object& node, std::string_view key, CandidateList<WrittenDate>& list, double trust);
  void read_authors(const json::object& node, double trust);
  void read_identifiers(const json::object& node, double trust);
  struct AuthorNames {
    std::vector<std::string> people;
    std::vector<std::string> organizations;
  };
  AuthorNames author_names(const json::value& author) const;
  bool is_about_other_page(const json::object& node) const;

  const Page& page_;
  Candidates& candidates_;
  std::map<std::string, std::string> names_by_id_;
};

// Returns true if the node has the URL of another page.
bool Reader::is_about_other_page(const json::object& node) const {
  if (page_.url == nullptr) return false;
  std::string written = text_at(node, "url");
  if (written.empty()) written = text_at(node, "mainEntityOfPage");
  if (written.find("://") == std::string::npos) return false;
  const auto url = Url::parse(written);
  if (!url) return true;
  const auto bare = [](std::string_view path) { return path.ends_with('/') ? path.substr(0, path.size() - 1) : path; };
  return bare(url->path()) != bare(page_.path());
}

void Reader::read_text(const json::object& node, std::string_view key, CandidateList<std::string>& list,
                       std::size_t max, double trust) {
  if (std::string text = clean_value(text_at(node, key), max); !text.empty()) {
    add(list, std::move(text), "json_ld", trust);
  }
}

void Reader::read_date(const json::object& node, std::string_view key, CandidateList<WrittenDate>& list, double trust) {
  const auto date = parse_written_date(text_at(node, key), page_.day_order);
  if (date && is_plausible_mark(*date, page_.now)) add(list, *date, "json_ld", trust);
}

Reader::AuthorNames Reader::author_names(const json::value& author) const {
  AuthorNames found;
  std::vector<const json::value*> waiting{&author};
  for (std::size_t next = 0; next < waiting.size() && waiting.size() < max_json_ld_nodes; ++next) {
    const json::value& one = *waiting[next];
    if (const auto* list = one.if_array()) {
      for (const json::value& item : *list) waiting.push_back(&item);
    } else if (const auto* object = one.if_object()) {
      std::string name = text_at(*object, "name");
      if (name.empty()) name = text_at(*object, "@value");
      if (name.empty()) name = text_at(*object, "givenName") + " " + text_at(*object, "familyName");
      // A list of authors or of names, or an object with the name.
      const json::value* inner = object->if_contains("@list");
      if (inner == nullptr) inner = object->if_contains("name");
      if (inner != nullptr && inner->is_structured()) {
        waiting.push_back(inner);
        continue;
      }
      if (name == " ") {
        const auto known = names_by_id_.find(text_at(*object, "@id"));
        name = known == names_by_id_.end() ? std::string() : known->second;
      }
      add_names(has_type(*object, "Organization") ? found.organizations : found.people, names_in_byline(name, {}));
    } else {
      add_names(found.people, names_in_byline(text_of(&one), {}));
    }
  }
  return found;
}

void Reader::read_authors(const json::object& node, double trust) {
  for (const char* key : {"author", "creator"}) {
    const json::value* author = node.if_contains(key);
    if (author == nullptr) continue;
    AuthorNames found = author_names(*author);
    // A publisher is credited if no person is named. It is trusted less than a visible byline.
    constexpr double share_of_organizations = 0.5;
    const bool named = !found.people.empty();
    std::vector<std::string>& names = named ? found.people : found.organizations;
    if (!names.empty()) {
      add(candidates_.authors, std::move(names), "json_ld", named ? trust : trust * share_of_organizations);
      // Newspapers credit themselves if there is no personal author.
      candidates_.authors.back().may_be_publisher = has_type(node, "NewsArticle");
      return;
    }
  }
}

// Reads "identifier", which is a text, a PropertyValue, or a list of them.
void Reader::read_identifiers(const json::object& node, double trust) {
  const auto read_one = [&](const json::value& one) {
    const json::object* property = one.if_object();
    const std::string text = property == nullptr ? text_of(&one) : text_at(*property, "value");
    if (std::string doi = parse_doi(text); !doi.empty())
      add(candidates_.doi, std::move(doi), "json_ld", trust);
    else if (std::string id = parse_arxiv_id(text); !id.empty() && contains_ignoring_case(text, "arxiv"))
      add(candidates_.arxiv, std::move(id), "json_ld", trust);
  };
  if (const json::value* identifier = node.if_contains("identifier")) {
    constexpr std::size_t max_values = 20;
    const json::array* list = identifier->if_array();
    if (list == nullptr) read_one(*identifier);
    for (std::size_t i = 0; list != nullptr && i < std::min(list->size(), max_values); ++i) read_one((*list)[i]);
  }
  if (std::string isbn = parse_isbn(text_at(node, "isbn")); !isbn.empty())
    add(candidates_.isbn, std::move(isbn), "json_ld", trust);
}

void Reader::read_node(const json::object& node, double trust) {
  if (text_at(node, "@context").find("cambrian.jsonld") != std::string::npos) {
    read_text(node, "title", candidates_.titles, max_title, 0.7);
    read_date(node, "pubDate", candidates_.published, 0.93);
    read_date(node, "upDate", candidates_.modified, 0.93);
    return;
  }
  if (has_type(node, "WebSite")) read_text(node, "name", candidates_.site_name, 200, 0.7);
  if (trust == 0.0) return;
  const bool is_page = has_type(node, "Page");
  if (is_about_other_page(node)) trust *= 0.6;
  read_text(node, "headline", candidates_.titles, max_title, trust * 0.95);
  read_text(node, "name", candidates_.titles, max_title, trust * 0.8);
  read_text(node, "description", candidates_.description, max_description, trust * 0.7);
  read_text(node, "inLanguage", candidates_.language, 40, trust * 0.8);
  read_date(node, "datePublished", candidates_.published, trust);
  read_date(node, "uploadDate", candidates_.published, trust);
  // A post is published when it is created.
  const bool is_post = has_type(node, "Question") || has_type(node, "DiscussionForumPosting");
  read_date(node, "dateCreated", candidates_.published, is_post ? trust : trust * 0.7);
  read_date(node, "dateModified", candidates_.modified, trust);
  read_authors(node, is_page ? trust * 0.8 : trust);
  read_identifiers(node, trust);
  if (const json::value* publisher = node.if_contains("publisher")) {
    if (const auto* object = publisher->if_object()) read_text(*object, "name", candidates_.site_name, 200, 0.8);
  }
}

}  // namespace

void extract_json_ld(const Page& page, Candidates& candidates) {
  for (const EmbeddedScript& script : page.document.scripts()) {
    if (script.type != "application/ld+json") continue;
    json::value root;
    if (parse_embedded_json(script.text, root)) Reader(page, candidates).read(root);
  }
}

}  // namespace linkherd::parser
