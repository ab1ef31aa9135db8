#include "crawler/run/earlier_answers.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>

#include "parser/url/url.h"
#include "storage/link_id.h"

namespace linkherd::crawler {
namespace {

std::size_t hash_of_host(const std::string& url) {
  const Result<parser::Url> parsed = parser::Url::parse(url);
  return parsed ? std::hash<std::string_view>()(parsed->host()) : 0;
}

std::size_t hash_of_page(std::string_view url) { return std::hash<std::string_view>()(url.substr(0, url.find('#'))); }

}  // namespace

void EarlierAnswers::add(const storage::LinkState& state) {
  constexpr std::size_t max_hosts = 1'000'000;
  const storage::Snapshot& last = state.snapshot;
  if (hosts_.size() >= max_hosts) return;
  const auto note = [&](const std::string& url) {
    Answer& answer = hosts_[hash_of_host(url)];
    answer = std::max(answer, state.last_alive ? Answer::was_alive : Answer::answered);
  };
  if (state.last_alive || last.status != 0 || !last.redirects.empty()) note(state.url);
  if (last.status != 0) note(last.final_url);
}

void EarlierAnswers::add_reused(const storage::Snapshot& snapshot) {
  hosts_[hash_of_host(snapshot.final_url)] = Answer::is_reused;
}

bool EarlierAnswers::has_answered(const std::string& url) const { return hosts_.contains(hash_of_host(url)); }

bool EarlierAnswers::was_alive_before(const std::string& url) const {
  const auto known = hosts_.find(hash_of_host(url));
  return known != hosts_.end() && known->second == Answer::was_alive;
}

bool EarlierAnswers::has_answered(const std::vector<storage::Snapshot>& history, const std::string& url) {
  return std::ranges::any_of(history, [host = hash_of_host(url)](const storage::Snapshot& one) {
    return one.status != 0 && hash_of_host(one.final_url) == host;
  });
}

void AlivePages::add(std::size_t index, const storage::Snapshot& snapshot) {
  links_.resize(std::max(links_.size(), index + 1));
  links_[index] = true;
  if (!snapshot.redirects.empty()) redirect_targets_.insert(hash_of_page(snapshot.final_url));
}

bool AlivePages::contains(const LinkTable& links, std::size_t index, const std::string& url) const {
  if (redirect_targets_.contains(hash_of_page(url))) return true;
  const auto parsed = parser::Url::parse(url);
  const std::optional<std::size_t> other = parsed ? links.find(storage::LinkId::of(*parsed)) : std::nullopt;
  return other && *other != index && *other < links_.size() && links_[*other];
}

}  // namespace linkherd::crawler
