#include "crawler/run/earlier_answers.h"

#include <string>

#include <doctest/doctest.h>

#include "parser/url/url.h"

using namespace linkherd;
using namespace linkherd::crawler;

namespace {

storage::LinkState state_of(const std::string& url, int status) {
  storage::LinkState state;
  state.url = state.snapshot.final_url = url;
  state.snapshot.status = status;
  return state;
}

std::size_t add_to(LinkTable& links, const std::string& url) {
  return links.find_or_add(storage::LinkId::of(parser::Url::parse(url).value()), url, std::nullopt);
}

}  // namespace

TEST_CASE("a host has answered if any of its links got a status") {
  EarlierAnswers answers;
  answers.add(state_of("https://silent.cn/1", 0));
  answers.add(state_of("https://broken.cn/1", 503));
  CHECK_FALSE(answers.has_answered("https://silent.cn/2"));
  CHECK(answers.has_answered("https://broken.cn/2"));
  CHECK_FALSE(answers.was_alive_before("https://broken.cn/2"));
}

TEST_CASE("a host was alive before only if none of its links is reused in this run") {
  EarlierAnswers answers;
  storage::LinkState alive = state_of("https://a.cn/1", 200);
  alive.last_alive = Timestamp{};
  answers.add(alive);
  answers.add(state_of("https://a.cn/2", 404));
  CHECK(answers.was_alive_before("https://a.cn/3"));
  answers.add_reused(alive.snapshot);
  CHECK_FALSE(answers.was_alive_before("https://a.cn/3"));
  CHECK(answers.has_answered("https://a.cn/3"));
}

TEST_CASE("an answer in the history of a link counts for the host that sent it") {
  const std::vector<storage::Snapshot> history{state_of("https://old.cn/", 200).snapshot,
                                               state_of("https://gone.cn/", 0).snapshot};
  CHECK(EarlierAnswers::has_answered(history, "https://old.cn/x"));
  CHECK_FALSE(EarlierAnswers::has_answered(history, "https://gone.cn/x"));
}

TEST_CASE("a page was alive in this run as another link or as the target of a redirect") {
  LinkTable links;
  const std::size_t page = add_to(links, "https://a.cn/page"), other = add_to(links, "https://a.cn/other");
  AlivePages alive;
  CHECK_FALSE(alive.contains(links, other, "https://a.cn/page"));
  alive.add(page, state_of("https://a.cn/page", 200).snapshot);
  CHECK(alive.contains(links, other, "https://a.cn/page"));
  CHECK_FALSE(alive.contains(links, page, "https://a.cn/page"));  // the link itself
  CHECK_FALSE(alive.contains(links, other, "https://a.cn/target#part"));
  storage::Snapshot moved = state_of("https://a.cn/target", 200).snapshot;
  moved.redirects.push_back({.from = "https://a.cn/page", .status = 302, .to = "https://a.cn/target"});
  alive.add(page, moved);
  CHECK(alive.contains(links, other, "https://a.cn/target#part"));
}
