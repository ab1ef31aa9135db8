// Maps statuses to verdicts: the first row that contains the status applies.
// Only 404 and 410 are dead. A refused request (most of 4xx) says nothing about the page, so it is `blocked`. A
// failing server (5xx, 408, 421, 425) is `unreachable` and gets a strike.
#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>

#include <fmt/format.h>

#include "crawler/classify/rules.h"
#include "parser/url/credentials.h"

namespace linkherd::crawler {

namespace {

using storage::Health;
namespace reason = storage::reason;

struct StatusMeaning {
  int first;
  int last;
  Health health;
  std::string_view reason;  // empty: http_NNN
  std::string_view words;
};

constexpr std::array meanings{
    StatusMeaning{100, 199, Health::unreachable, "", "an interim answer and no other"},
    StatusMeaning{200, 299, Health::alive, reason::ok, ""},
    StatusMeaning{300, 300, Health::alive, reason::ok, "several choices"},
    StatusMeaning{301, 303, Health::blocked, reason::bad_redirect, "a redirect without a target"},
    StatusMeaning{304, 304, Health::alive, reason::not_modified, "unchanged"},
    StatusMeaning{307, 308, Health::blocked, reason::bad_redirect, "a redirect without a target"},
    StatusMeaning{300, 399, Health::blocked, "", "an answer that means nothing to a browser"},
    StatusMeaning{401, 401, Health::blocked, reason::login_required, "a login is asked for"},
    StatusMeaning{402, 402, Health::blocked, "", "a payment is asked for"},
    StatusMeaning{404, 404, Health::dead, "", "no such page"},
    StatusMeaning{407, 407, Health::blocked, "", "a proxy asks for a login"},
    StatusMeaning{408, 408, Health::unreachable, "", "the server gave up waiting for the request"},
    StatusMeaning{410, 410, Health::dead, "", "the page is gone for good"},
    StatusMeaning{412, 412, Health::blocked, "", "refused as a risk"},
    StatusMeaning{421, 421, Health::unreachable, "", "the request came to the wrong server"},
    StatusMeaning{425, 425, Health::unreachable, "", "the server asks for a later retry"},
    StatusMeaning{429, 429, Health::blocked, reason::rate_limited, "too many requests"},
    StatusMeaning{451, 451, Health::blocked, "", "withheld for legal reasons"},
    StatusMeaning{400, 499, Health::blocked, "", "the request was refused"},
    // A captive portal in the network of the site: one in our own network would answer for all sites.
    StatusMeaning{511, 511, Health::blocked, "", "a network asks for a login"},
    StatusMeaning{500, 599, Health::unreachable, "", "the server failed"},
    StatusMeaning{600, 999, Health::blocked, "", "the request was refused"},  // 999 is used by LinkedIn
};

bool was_conditional(const FetchResult& result) {
  return result.request.validators() != nullptr &&
         result.request.validators()->url == parser::mask_password(result.final_url.href_without_fragment());
}

storage::Verdict moved(const FetchResult& result) {
  const bool permanent = std::ranges::all_of(result.redirects, &storage::Redirect::permanent);
  const std::string_view kind = result.redirects.size() == 1 ? (permanent ? "permanent" : "temporary")
                                                             : (permanent ? "all permanent" : "not all permanent");
  return {.health = Health::redirected,
          .reason = std::string(permanent ? reason::moved_permanently : reason::moved_temporarily),
          .rule = "status",
          .evidence = fmt::format("{}, {}.", answer_phrase(result), kind),
          .confidence = 1.0};
}

storage::Verdict there(const FetchResult& result, const StatusMeaning& meaning) {
  storage::Verdict verdict{.health = Health::alive,
                           .reason = std::string(meaning.reason),
                           .rule = "status",
                           .evidence = answer_phrase(result),
                           .confidence = 1.0};
  if (meaning.reason == reason::not_modified && !was_conditional(result)) {
    // There is no stored snapshot to compare with, but the page exists.
    verdict.reason = reason::ok;
    verdict.confidence = 0.5;
    verdict.evidence += ", although the request was not conditional";
  }
  if (!result.answer.body_complete && result.answer.detail.empty())
    verdict.evidence += ", with a body that was cut off";
  verdict.evidence += '.';
  return verdict;
}

storage::Verdict verdict_of(const FetchResult& result, const StatusMeaning& meaning) {
  if (meaning.health == Health::alive) return was_moved(result) ? moved(result) : there(result, meaning);
  storage::Verdict verdict{
      .health = meaning.health,
      .reason = meaning.reason.empty() ? storage::http_reason(result.answer.status) : std::string(meaning.reason),
      .rule = "status",
      .evidence = fmt::format("{}: {}", answer_phrase(result), meaning.words),
      .confidence = 1.0};
  if (result.answer.retry_at) {
    const Timestamp whole_second = std::chrono::ceil<std::chrono::seconds>(*result.answer.retry_at);
    verdict.evidence += fmt::format("; not again before {}", format_timestamp(whole_second));
  }
  verdict.evidence += '.';
  return verdict;
}

}  // namespace

std::optional<storage::Verdict> by_status(const FetchResult& result) {
  const auto* meaning = std::ranges::find_if(meanings, [&](const StatusMeaning& row) {
    return row.first <= result.answer.status && result.answer.status <= row.last;
  });
  if (meaning == meanings.end()) return std::nullopt;
  storage::Verdict verdict = verdict_of(result, *meaning);
  if (!result.answer.detail.empty()) {
    verdict.evidence += fmt::format(" Its headers could not be read to their end: {}.", result.answer.detail);
  }
  return verdict;
}

}  // namespace linkherd::crawler
