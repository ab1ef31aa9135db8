#include "reports/cause.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "parser/ascii.h"
#include "reports/messages.h"
#include "reports/summary.h"

namespace linkherd::reports {
namespace {

namespace reason = storage::reason;
using storage::Health;

enum class BrokenKind : std::uint8_t { not_found, host, file, address, certificate, redirects, unresponsive };

struct BrokenCause {
  BrokenKind kind;
  std::string_view name;
  std::string_view advice;
  bool is_self_explanatory;
};

constexpr std::array<BrokenCause, 7> broken_causes{{
    {BrokenKind::not_found, "404 or 410", "find the new address, or remove the entry", true},
    {BrokenKind::host, "No such host", "the name no longer exists: replace or remove the link", true},
    {BrokenKind::file, "Files and anchors", "correct the path, or the part after the \"#\"", false},
    {BrokenKind::address, "Not a valid address", "correct or remove it", true},
    {BrokenKind::certificate, "Invalid certificate", "tell the owner of the site; the page exists", false},
    {BrokenKind::redirects, "Redirects to nowhere", "open it in a browser to make sure", false},
    {BrokenKind::unresponsive, "No answer in several runs",
     "replace the link, or remove it if the host is gone for good", false},
}};

struct KindOfReason {
  std::string_view reason;
  BrokenKind kind;
};

// A reason that is not listed here is a cause of its own.
constexpr std::array<KindOfReason, 12> kinds_of_reasons{{
    {"http_404", BrokenKind::not_found},
    {"http_410", BrokenKind::not_found},
    {reason::dns_not_found, BrokenKind::host},
    {reason::dns_no_address, BrokenKind::host},
    {reason::file_not_found, BrokenKind::file},
    {reason::anchor_not_found, BrokenKind::file},
    {reason::invalid_url, BrokenKind::address},
    {reason::invalid_mail_address, BrokenKind::address},
    {reason::redirect_loop, BrokenKind::redirects},
    {reason::too_many_redirects, BrokenKind::redirects},
    {reason::bad_redirect, BrokenKind::redirects},
    {reason::host_unresponsive, BrokenKind::unresponsive},
}};

const BrokenCause* broken_cause(const storage::Verdict& verdict) {
  const auto of_kind = [](BrokenKind kind) { return &*std::ranges::find(broken_causes, kind, &BrokenCause::kind); };
  if (verdict.health == Health::insecure) return of_kind(BrokenKind::certificate);
  if (verdict.health != Health::dead) return nullptr;
  if (verdict.rule == "strikes") return of_kind(BrokenKind::unresponsive);
  const auto* row = std::ranges::find(kinds_of_reasons, verdict.reason, &KindOfReason::reason);
  return row == kinds_of_reasons.end() ? nullptr : of_kind(row->kind);
}

}  // namespace

Cause cause_of(const storage::LinkResult& result) {
  const storage::Verdict& verdict = result.verdict;
  if (const BrokenCause* known = broken_cause(verdict))
    return {std::string(known->name), std::string(known->advice), known->is_self_explanatory, false,
            is_broken_locally(verdict)};
  std::string what_to_do = advice(result);
  std::string name = capitalised(describe_reason(verdict));
  if (what_to_do == front_page_advice) name = "Moved to the front page";
  return {std::move(name), std::move(what_to_do), false, verdict.health == Health::suspect, false};
}

}  // namespace linkherd::reports
