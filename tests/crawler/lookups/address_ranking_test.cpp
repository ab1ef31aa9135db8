// Tests the ranking of addresses: pages of each kind of move are first, and the figures for real moves if the
// collection of moves is available.
#include "crawler/lookups/address_ranking.h"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "parser/url/url.h"

using namespace linkherd;
using namespace linkherd::crawler;

namespace {

struct Move {
  std::string old_url;
  std::string new_url;
};

parser::Url url_of(std::string_view text) {
  CAPTURE(text);
  auto url = parser::Url::parse(text);
  REQUIRE(url.has_value());
  return *url;
}

std::vector<ListedAddress> listing_of(const std::vector<std::string>& urls) {
  std::vector<ListedAddress> listing;
  listing.reserve(urls.size());
  for (const std::string& url : urls) listing.push_back({url_of(url), ""});
  return listing;
}

std::string first_of(const MovedPage& page, const std::vector<ListedAddress>& listing) {
  const AddressRanking ranking = rank_addresses(page, listing, 5);
  REQUIRE_FALSE(ranking.best.empty());
  return std::string(listing[ranking.best[0].index].url.href());
}

// The last two segments of a path.
std::vector<std::string> names_of(const parser::Url& url) {
  std::vector<std::string> segments;
  std::istringstream path{std::string(url.path())};
  for (std::string segment; std::getline(path, segment, '/');) {
    if (!segment.empty()) segments.push_back(segment);
  }
  if (segments.size() > 2) segments.erase(segments.begin(), segments.end() - 2);
  return segments;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  std::erase_if(words, [](const std::string& word) { return word.size() < 3; });
  return words;
}

// Makes listings of 100 addresses, which contain the new address of a move: its folders, its neighbours with the names
// of other pages, pages with a word of its own name, and pages of other folders.
class ListingMaker {
 public:
  explicit ListingMaker(const std::vector<Move>& moves) : moves_(moves) {
    for (const Move& move : moves) {
      for (std::string& name : names_of(url_of(move.new_url))) names_.push_back(std::move(name));
    }
  }

  std::vector<ListedAddress> make(const Move& move) {
    random_.seed(static_cast<unsigned>(move.old_url.size() * 7919 + static_cast<unsigned char>(move.new_url.back())));
    const parser::Url target = url_of(move.new_url);
    const std::string origin = target.origin();
    std::string path(target.path());
    if (path.ends_with('/')) path.pop_back();
    const std::string folder = path.substr(0, path.rfind('/') + 1);
    std::vector<std::string> urls{move.new_url};
    if (path.empty()) urls[0] = origin + "/";
    const auto add = [&](const std::string& url) {
      if (parser::Url::parse(url).has_value() && url != move.new_url && url != move.new_url + "/" &&
          url + "/" != move.new_url)
        urls.push_back(url);
    };
    for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
      add(origin + path.substr(0, slash + 1));
    add(origin + "/");
    while (urls.size() < 60) add(origin + (folder.empty() ? "/" : folder) + pick(names_));
    while (urls.size() < 85) add(origin + std::string(url_of(pick_move(target).new_url).path()));
    const std::vector<std::string> own =
        words_of(path.substr(path.rfind('/') == std::string::npos ? 0 : path.rfind('/')));
    while (urls.size() < 100) {
      const std::vector<std::string> other = words_of(pick(names_));
      add(origin + (folder.empty() ? "/" : folder) + (other.empty() ? "more" : pick(other)) + "-" +
          (own.empty() ? "guide" : pick(own)));
    }
    std::shuffle(urls.begin(), urls.end(), random_);
    return listing_of(urls);
  }

 private:
  template <class T>
  const T& pick(const std::vector<T>& values) {
    return values[random_() % values.size()];
  }
  const Move& pick_move(const parser::Url& target) {
    for (;;) {
      const Move& move = pick(moves_);
      if (url_of(move.new_url).host() != target.host()) return move;
    }
  }

  const std::vector<Move>& moves_;
  std::vector<std::string> names_;
  std::mt19937 random_;
};

struct Figures {
  double first = 0;
  double first_five = 0;
  double confident = 0;
  double right_if_confident = 0;
};

Figures measure(const std::vector<Move>& moves) {
  ListingMaker maker(moves);
  std::size_t first = 0;
  std::size_t first_five = 0;
  std::size_t confident = 0;
  std::size_t right = 0;
  for (const Move& move : moves) {
    const std::vector<ListedAddress> listing = maker.make(move);
    const AddressRanking ranking = rank_addresses({url_of(move.old_url), "", {}}, listing, 5);
    const std::string target(url_of(move.new_url).href());
    bool is_first = false;
    for (std::size_t i = 0; i < ranking.best.size(); ++i) {
      if (listing[ranking.best[i].index].url.href() != target) continue;
      is_first = i == 0;
      ++first_five;
    }
    first += is_first ? 1 : 0;
    confident += ranking.is_confident ? 1 : 0;
    right += is_first && ranking.is_confident ? 1 : 0;
  }
  const auto share = [](std::size_t part, std::size_t all) {
    return static_cast<double>(part) / static_cast<double>(std::max<std::size_t>(all, 1));
  };
  return {share(first, moves.size()), share(first_five, moves.size()), share(confident, moves.size()),
          share(right, confident)};
}

const std::vector<Move> made_moves{
    {"https://bakery.example.org/sourdough-starter", "https://bakery.example.org/recipes/sourdough-starter/"},
    {"https://bakery.example.org/recipes/rye/sourdough", "https://bakery.example.org/sourdough"},
    {"https://maps.example.org/2014/08/17/contour-lines/", "https://maps.example.org/contour-lines.html"},
    {"https://maps.example.org/blog/2013/05/17/projection-basics/", "https://maps.example.org/projection-basics/"},
    {"https://docs.example.net/v1/pipeline/stages.html", "https://docs.example.net/v2/pipeline/stages.html"},
    {"https://docs.example.net/1.4/operators", "https://docs.example.net/latest/operators/"},
    {"https://tides.example.com/en/almanac/", "https://tides.example.com/almanac/"},
    {"https://tides.example.com/harbour-times.aspx", "https://tides.example.com/harbour-times"},
    {"https://tides.example.com/Harbour_Depths.html", "https://tides.example.com/harbour-depths"},
    {"https://quilt.example.com/show.php?pattern=88213", "https://quilt.example.com/patterns/88213-log-cabin"},
    {"https://quilt.example.com/forum/t/binding-corners/50193", "https://quilt.example.com/d/50193-binding-corners"},
    {"https://loom.example.com/GettingStarted/", "https://loom.example.com/guide/getting-started/"},
    {"https://loom.example.com/articles/warp-and-weft", "https://loom.example.com/articles/warp-and-weft-explained"},
    {"https://loom.example.com/products/shuttle/", "https://loom.example.com/platform/tools/shuttle"},
    {"https://www.kiln-notes.example/glaze-chemistry/", "https://kiln-notes.example.net/glaze-chemistry/"},
    {"https://kiln.example.io/manual/firing-schedules", "https://docs.kiln.example.io/firing-schedules"},
    {"https://kiln.example.io/", "https://new-kiln.example.net/"},
    {"https://press.example.org/%E6%B4%BB%E5%AD%97%E5%8D%B0%E5%88%B7",
     "https://press.example.org/zh/%E6%B4%BB%E5%AD%97%E5%8D%B0%E5%88%B7.html"},
    {"https://press.example.org/type/garamond/index.html", "https://press.example.org/faces/garamond/"},
    {"https://press.example.org/papers/kerning-tables.pdf",
     "https://press.example.org/library/2016/kerning-tables.pdf"},
};

}  // namespace

TEST_CASE("rank_addresses: the new address of a made move is first") {
  ListingMaker maker(made_moves);
  for (const Move& move : made_moves) {
    CAPTURE(move.old_url);
    const std::vector<ListedAddress> listing = maker.make(move);
    CHECK(first_of({url_of(move.old_url), "", {}}, listing) == url_of(move.new_url).href());
  }
}

TEST_CASE("rank_addresses: the title and the texts of links find an address without common words") {
  const auto listing = [] {
    std::vector<ListedAddress> addresses;
    for (const auto& [url, text] : std::vector<std::pair<std::string, std::string>>{
             {"https://orchard.example.org/p/71", "Pruning in winter"},
             {"https://orchard.example.org/p/72", "Grafting old apple trees"},
             {"https://orchard.example.org/p/73", "Pests of the pear"},
             {"https://orchard.example.org/about", "About the orchard"}}) {
      addresses.push_back({url_of(url), text});
    }
    return addresses;
  }();
  const parser::Url old = url_of("https://orchard.example.org/old/g.html");
  CHECK(first_of({old, "Grafting old apple trees | The orchard", {}}, listing) == "https://orchard.example.org/p/72");
  CHECK(first_of({old, "", {"pear pests"}}, listing) == "https://orchard.example.org/p/73");
}

TEST_CASE("rank_addresses: equal scores are not confident, and a single good address is") {
  const MovedPage page{url_of("https://atlas.example.org/old/river-deltas.html"), "", {}};
  CHECK(rank_addresses(page, listing_of({"https://atlas.example.org/world/river-deltas"}), 5).is_confident);
  CHECK_FALSE(
      rank_addresses(
          page, listing_of({"https://atlas.example.org/a/river-deltas", "https://atlas.example.org/b/river-deltas"}), 5)
          .is_confident);
  CHECK_FALSE(rank_addresses(page, listing_of({"https://atlas.example.org/contact"}), 5).is_confident);
  CHECK(rank_addresses(page, {}, 5).best.empty());
}

TEST_CASE("rank_addresses: spellings of one address count once") {
  const MovedPage page{url_of("https://atlas.example.org/old/river-deltas.html"), "", {}};
  const AddressRanking ranking =
      rank_addresses(page,
                     listing_of({"https://atlas.example.org/world/river-deltas/",
                                 "http://www.atlas.example.org/world/river-deltas/index.html"}),
                     5);
  CHECK(ranking.best.size() == 1);
  CHECK(ranking.best[0].index == 0);
}

TEST_CASE("rank_addresses: hostile addresses are read in bounded time") {
  std::vector<std::string> urls{"https://a.example/" + std::string(200'000, '/'),
                                "https://a.example/?" + std::string(500'000, '1'),
                                "https://a.example/" + std::string(500'000, 'x'), "https://a.example/%FF%FE%00%80/"};
  for (int i = 0; i < 20'000; ++i) urls.push_back("https://a.example/alike/alike-" + std::to_string(i));
  const MovedPage page{url_of("https://a.example/alike/" + std::string(300'000, 'y')), std::string(300'000, 'z'), {}};
  CHECK(rank_addresses(page, listing_of(urls), 5).best.size() == 5);
}

TEST_CASE("rank_addresses: the best addresses of a long listing are found") {
  const std::vector<std::string> right{"https://a.example/docs/setting-up-a-loom", "https://a.example/p/48213",
                                       "https://a.example/kb/warp_and_weft.html"};
  std::vector<std::string> urls;
  urls.reserve(6'000);
  for (int i = 0; i < 5'000; ++i) urls.push_back("https://a.example/docs/part-" + std::to_string(i * 37));
  urls.insert(urls.begin() + 2'500, right.begin(), right.end());
  const std::vector<ListedAddress> listing = listing_of(urls);
  const AddressRanker ranker(listing);
  const std::vector<std::string> old{"https://a.example/old/loom-setup", "https://a.example/show?id=48213",
                                     "https://a.example/WarpWeft.aspx"};
  for (std::size_t i = 0; i < old.size(); ++i) {
    CAPTURE(old[i]);
    const AddressRanking ranking = ranker.rank({url_of(old[i]), "", {}}, 5);
    REQUIRE_FALSE(ranking.best.empty());
    CHECK(listing[ranking.best[0].index].url.href() == right[i]);
  }
  CHECK(ranker.rank({url_of("https://a.example/zzz"), "", {}}, 5).best.size() <= 5);
}

// At least 50 % first, 66 % among the first five, and 85 % right where the ranking is confident.
TEST_CASE("rank_addresses: real moves") {
  std::ifstream file(LINKHERD_MOVES);
  if (!file) {
    MESSAGE("skipped: the collection of moves is not available");
    return;
  }
  std::vector<Move> moves;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string kind;
    Move move;
    REQUIRE(std::getline(fields, kind, '\t'));
    REQUIRE(std::getline(fields, move.old_url, '\t'));
    REQUIRE(std::getline(fields, move.new_url, '\t'));
    if (parser::Url::parse(move.old_url).has_value() && parser::Url::parse(move.new_url).has_value())
      moves.push_back(move);
  }
  REQUIRE(moves.size() > 100);
  const Figures figures = measure(moves);
  MESSAGE("first ", figures.first, ", among five ", figures.first_five, ", confident ", figures.confident,
          ", right if confident ", figures.right_if_confident);
  CHECK(figures.first >= 0.5);
  CHECK(figures.first_five >= 0.66);
  CHECK(figures.right_if_confident >= 0.85);
}
