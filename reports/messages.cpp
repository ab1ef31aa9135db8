#include "reports/messages.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <unicode/uchar.h>

#include "parser/ascii.h"
#include "parser/nearest_name.h"
#include "parser/url/percent_encoding.h"
#include "parser/url/unicode_host.h"
#include "parser/url/url.h"
#include "parser/utf8.h"

namespace linkherd::reports {
namespace {

namespace reason = storage::reason;
using storage::CheckedLink;
using storage::Health;

struct ReasonMessage {
  std::string_view reason;
  std::string_view words;
  std::string_view advice;
};

constexpr std::string_view replace_it = "find the new address or remove the link";
constexpr std::string_view replace_host = "the host name no longer exists: replace or remove the link";
constexpr std::string_view open_it = "open it in a browser to make sure";
constexpr std::string_view write_owner = "tell the owner of the site; the page exists without a valid certificate";
constexpr std::string_view correct_host = "correct the host name, or tell the owner of the site";
constexpr std::string_view update_server = "tell the owner of the site: browsers refuse it";
constexpr std::string_view repair_it = "correct the address or remove the link";
constexpr std::string_view run_again = "run the same command again";

// One row for every value of storage::reason; checked by a test.
constexpr std::array<ReasonMessage, 65> reason_messages{{
    {reason::ok, "the page exists", ""},
    {reason::not_modified, "unchanged since the last run", ""},
    {reason::moved_permanently, "moved permanently", "update to the new address"},
    {reason::moved_temporarily, "redirected temporarily", ""},
    {reason::redirect_loop, "redirect loop", open_it},
    {reason::too_many_redirects, "too many redirects", open_it},
    {reason::bad_redirect, "redirects to an unusable address", open_it},
    {reason::dns_not_found, "no such host", replace_host},
    {reason::dns_no_address, "the host name has no address", replace_host},
    {reason::dns_failed, "DNS lookup failed", ""},
    {reason::dns_timeout, "no DNS server answered", ""},
    {reason::connection_refused, "connection refused", ""},
    {reason::connection_reset, "connection reset", ""},
    {reason::network_unreachable, "host unreachable", ""},
    {reason::timeout, "timed out", ""},
    {reason::bad_response, "the response is not HTTP", open_it},
    {reason::headers_too_large, "response headers are too large", open_it},
    {reason::proxy_failed, "the proxy cannot reach the host", ""},
    {reason::proxy_refused, "the proxy denies access", "check it from a network without the proxy"},
    {reason::needs_tor, "reachable only through Tor", "use a Tor proxy (--proxy) or remove the link"},
    {reason::private_address, "an address in a private network", "use --allow-private or remove the link"},
    {reason::tls_expired, "certificate expired", write_owner},
    {reason::tls_not_yet_valid, "certificate not yet valid", write_owner},
    {reason::tls_self_signed, "self-signed certificate", write_owner},
    {reason::tls_untrusted, "certificate from an unknown authority", write_owner},
    {reason::tls_wrong_host, "certificate for another host", correct_host},
    {reason::tls_revoked, "certificate revoked", write_owner},
    {reason::tls_weak, "certificate with a weak key or signature", write_owner},
    {reason::tls_invalid, "certificate not valid", write_owner},
    {reason::tls_old_protocol, "outdated TLS version", update_server},
    {reason::tls_handshake, "TLS handshake failed", open_it},
    {reason::not_found, "the site says that the page does not exist", replace_it},
    {reason::soft_404, "a \"not found\" page with a success status", replace_it},
    {reason::doubtful_404, "gone (status 404)", open_it},
    {reason::parked, "the domain is parked or for sale", replace_it},
    {reason::other_content, "not the page that the entry describes",
     "open it in a browser: correct or remove the entry"},
    {reason::vantage, "dead from one location, alive from another", open_it},
    {reason::content_changed, "another page than before", "open it in a browser: accept or remove the link"},
    {reason::rate_limited, "too many requests", "check it again later"},
    {reason::captcha, "requires a captcha", open_it},
    {reason::challenge, "requires a browser", open_it},
    {reason::login_required, "requires a login", open_it},
    {reason::geo_blocked, "blocked in this country", "open it from another country to make sure"},
    {reason::maintenance, "under maintenance", "check it again later"},
    {reason::unconfirmed, "failed once; the run ended before the second check", run_again},
    {reason::interrupted, "not checked before the interruption", run_again},
    {reason::deadline, "not checked before the deadline", run_again},
    {reason::outage, "your network was down", run_again},
    {reason::host_unavailable, "not checked, because the host does not answer", "check it again later"},
    {reason::host_unresponsive, "the host does not answer",
     "replace the link, or remove it if the host is gone for good"},
    {reason::robots_disallowed, "disallowed by robots.txt", open_it},
    {reason::crawler_trap, "one of an endless series of pages", open_it},
    {reason::unsupported_scheme, "not a web address", ""},
    {reason::placeholder, "placeholder address", ""},
    {reason::empty_target, "no target", ""},
    {reason::relative_link, "relative link without a base", "use --base-url"},
    {reason::invalid_url, "not a valid URL", repair_it},
    {reason::invalid_mail_address, "not a valid mail address", repair_it},
    {reason::file_not_found, "no such file", "correct the path or remove the link"},
    {reason::outside_root, "points outside the repository or folder", "allow that folder with --root-dir"},
    {reason::anchor_not_found, "no such anchor, heading or text", "correct the part after the \"#\""},
    {reason::offline, "not checked in an offline run", ""},
    {reason::not_in_archive, "not in the archive", "check it without --offline and --from-warc"},
    {reason::excluded, "excluded by your patterns", ""},
    {reason::ignored, "ignored by a comment", ""},
}};

struct StatusPhrase {
  int status;
  std::string_view phrase;
};

// From RFC 9110 and related RFCs. 999 is used by LinkedIn, 52x by Cloudflare.
constexpr std::array<StatusPhrase, 43> status_phrases{{
    {200, "OK"},
    {202, "Accepted"},
    {204, "No Content"},
    {300, "Multiple Choices"},
    {304, "Not Modified"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {402, "Payment Required"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {407, "Proxy Authentication Required"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {416, "Range Not Satisfiable"},
    {418, "I'm a Teapot"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Content"},
    {425, "Too Early"},
    {426, "Upgrade Required"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {451, "Unavailable For Legal Reasons"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {511, "Network Authentication Required"},
    {520, "Unknown Error"},
    {521, "Web Server Is Down"},
    {522, "Connection Timed Out"},
    {523, "Origin Is Unreachable"},
    {525, "TLS Handshake Failed"},
    {530, "Origin Error"},
    {999, "Request Denied"},
}};

// Returns 404 for "http_404", and nullopt for other reasons.
std::optional<int> status_of(std::string_view word) {
  constexpr std::string_view prefix = "http_";
  if (!word.starts_with(prefix)) return std::nullopt;
  word.remove_prefix(prefix.size());
  int status = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), status);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return status;
}

const ReasonMessage* find_message(std::string_view word) {
  const auto* found = std::ranges::find(reason_messages, word, &ReasonMessage::reason);
  return found == reason_messages.end() ? nullptr : found;
}

// Returns true if a deep link redirects to a front page; its page is then usually gone.
bool ends_on_front_page(const storage::LinkResult& result) {
  const auto from = parser::Url::parse(result.url);
  const auto to = parser::Url::parse(result.page.final_url);
  return from.has_value() && to.has_value() && from->path().size() > 1 && to->path() == "/" && !to->has_query();
}

std::string without_full_stop(std::string sentence) {
  if (sentence.ends_with('.')) sentence.pop_back();
  return sentence;
}

std::string_view describe_source(storage::RelocationSource source) {
  switch (source) {
    case storage::RelocationSource::host_rule: return "found by a rule for the host";
    case storage::RelocationSource::other_pages: return "found because other pages of the host moved the same way";
    case storage::RelocationSource::old_page: return "found in the last good copy of the page";
    case storage::RelocationSource::entry: return "found in the same entry of the list";
    case storage::RelocationSource::github: return "found with GitHub's API";
    case storage::RelocationSource::not_found_page: return "found on the page that is at the old address now";
    case storage::RelocationSource::archive: return "found in a web archive";
    case storage::RelocationSource::sitemap: return "found in the site's sitemap";
    case storage::RelocationSource::home: return "found on the site's home page";
    case storage::RelocationSource::feed: return "found in the site's feed";
    case storage::RelocationSource::folder: break;
  }
  return "found on a page above the old address";
}

// Converts "No answer from the host in 3 runs." to "no answer from the host in 3 runs".
std::string as_clause(std::string sentence) {
  sentence = without_full_stop(std::move(sentence));
  if (!sentence.empty()) sentence.front() = parser::ascii_lower(sentence.front());
  return sentence;
}

// Returns the evidence of a bad certificate without its last part. Returns `words` if there is no evidence.
std::string describe_ending_certificate(const CheckedLink& link, std::string words) {
  const std::string& evidence = link.result.verdict.evidence;
  if (!evidence.empty()) return as_clause(evidence.substr(0, evidence.rfind("; ")));
  const std::optional<storage::Certificate>& certificate = link.state.snapshot.certificate;
  if (link.result.verdict.reason == reason::tls_expired && certificate && certificate->expires)
    return fmt::format("{} on {}", words, day(*certificate->expires));
  return words;
}

// Decodes the escapes of visible non-ASCII characters. `run` consists of bytes that were all escaped.
void append_readable(std::string& out, std::string_view run, std::string_view escapes) {
  for (std::size_t at = 0; at < run.size();) {
    const CodePoint point = decode_utf8(run, at);
    if (point.valid && u_isgraph(static_cast<UChar32>(point.value)) != 0) {
      append_utf8(out, point.value);
    } else {
      out += escapes.substr(3 * at, std::size_t{3} * point.length);
    }
    at += point.length;
  }
}

std::string with_readable_escapes(std::string_view written) {
  std::string out;
  for (std::size_t at = 0; at < written.size();) {
    std::string run;
    const std::size_t start = at;
    for (int byte = parser::escaped_byte(written, at); byte >= 0x80; byte = parser::escaped_byte(written, at)) {
      run += static_cast<char>(byte);
      at += 3;
    }
    append_readable(out, run, written.substr(start, at - start));
    if (at < written.size() && run.empty()) out += written[at++];
  }
  return out;
}

}  // namespace

std::string_view link_url(const storage::CheckedLink& link) {
  if (!link.state.url.empty() || link.result.occurrences.empty()) return link.state.url;
  const parser::LinkOccurrence& first = link.result.occurrences.front();
  const std::string_view href = first.href;
  return href.empty() ? std::string_view(first.url) : href.substr(0, href.find('#'));
}

std::string format_location(const parser::LinkOccurrence& occurrence) {
  return fmt::format("{}:{}:{}", occurrence.file, occurrence.line, occurrence.column);
}

std::string capitalised(std::string text) {
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z') text.front() = static_cast<char>(text.front() - 32);
  return text;
}

std::string counted(std::size_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

std::string format_size(std::uint64_t bytes) {
  static constexpr std::array<std::string_view, 4> units = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return counted(bytes, "byte");
  double size = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; size >= 1024 && unit + 1 < units.size(); ++unit) size /= 1024;
  return fmt::format("{:.1f} {}", size, units[unit]);
}

std::string describe_inputs(const std::vector<std::string>& inputs) {
  constexpr std::size_t max_named = 4;
  if (inputs.empty()) return "inputs listed in a file";
  if (inputs.size() == 1 && inputs.front() == ".") return "this folder";
  const std::size_t named = inputs.size() > max_named ? max_named - 1 : inputs.size();
  std::string text;
  for (std::size_t i = 0; i < named; ++i) text += (i == 0 ? "" : ", ") + inputs[i];
  if (named < inputs.size()) text += fmt::format(" and {} more", inputs.size() - named);
  return text;
}

std::string day(Timestamp time) { return format_timestamp(time).substr(0, 10); }

std::string minute(Timestamp time) {
  const std::string text = format_timestamp(time);
  return fmt::format("{} {} UTC", text.substr(0, 10), text.substr(11, 5));
}

std::string describe_ending(const EndingCertificate& certificate, Timestamp now) {
  constexpr std::string_view incomplete = "the server omits its intermediate certificate; browsers look it up";
  if (!certificate.is_ending) return std::string(incomplete);
  if (certificate.is_chain_incomplete) {
    EndingCertificate ending = certificate;
    ending.is_chain_incomplete = false;
    return fmt::format("{}; {}", describe_ending(ending, now), incomplete);
  }
  const std::string date = day(certificate.expires);
  if (certificate.expires <= now) return fmt::format("the certificate expired on {}", date);
  const auto days = std::chrono::duration_cast<std::chrono::days>(certificate.expires - now).count();
  return fmt::format("the certificate expires on {}, in {}", date,
                     days == 0 ? "less than a day" : counted(static_cast<std::size_t>(days), "day"));
}

std::string describe_reason(const storage::Verdict& verdict) {
  if (const std::optional<int> status = status_of(verdict.reason)) {
    const auto* found = std::ranges::find(status_phrases, *status, &StatusPhrase::status);
    if (found == status_phrases.end()) return fmt::format("HTTP status {}", *status);
    return fmt::format("{} {}", *status, found->phrase);
  }
  const ReasonMessage* message = find_message(verdict.reason);
  if (message == nullptr) return verdict.reason;
  // Both results of `vantage` are certain.
  const bool is_doubtful = verdict.health == Health::suspect && verdict.reason != reason::vantage;
  return std::string(is_doubtful ? "probably " : "").append(message->words);
}

std::string advice(const storage::LinkResult& result) {
  const storage::Verdict& verdict = result.verdict;
  switch (verdict.health) {
    case Health::alive: return "";
    case Health::redirected:
      if (verdict.reason != reason::moved_permanently) return "";
      if (ends_on_front_page(result)) return std::string(front_page_advice);
      break;
    case Health::unreachable: return "";  // no advice until it is dead
    default: break;
  }
  const ReasonMessage* message = find_message(verdict.reason);
  if (message != nullptr && !message->advice.empty()) return std::string(message->advice);
  if (verdict.health == Health::blocked || verdict.health == Health::suspect) return std::string(open_it);
  return std::string(verdict.health == Health::dead ? replace_it : std::string_view());
}

std::string explained(const CheckedLink& link) {
  const storage::Verdict& verdict = link.result.verdict;
  // Only the evidence has the number of runs, which is known for the host.
  const bool is_from_host_state = verdict.reason == reason::host_unresponsive ||
                                  (verdict.health == Health::deferred && verdict.reason == reason::rate_limited) ||
                                  verdict.reason == reason::host_unavailable;
  if (is_from_host_state && !verdict.evidence.empty()) return as_clause(verdict.evidence);
  std::string words = describe_reason(verdict);
  const bool is_explained_by_evidence = verdict.reason == reason::other_content ||
                                        verdict.reason == reason::content_changed ||
                                        verdict.reason == reason::doubtful_404 || verdict.reason == reason::vantage ||
                                        storage::is_broken_by_change(verdict);
  if (is_explained_by_evidence && !verdict.evidence.empty()) words += ": " + without_full_stop(verdict.evidence);
  if (verdict.reason == reason::file_not_found || verdict.reason == reason::anchor_not_found) {
    const std::string_view suggestion = parser::find_suggestion(verdict.evidence);
    if (!suggestion.empty()) words.append("; ").append(suggestion);
  }
  if (verdict.health == storage::Health::insecure) words = describe_ending_certificate(link, std::move(words));
  if (verdict.rule == "strikes" && link.state.first_failed) {
    words += fmt::format(", in {} since {}", counted(static_cast<std::size_t>(link.state.strikes), "run"),
                         day(*link.state.first_failed));
  }
  return words;
}

std::string_view describe_before(const LinkChange& change) {
  if (!change.before) return "new in your files";
  switch (*change.before) {
    case Health::alive: return "was alive";
    case Health::redirected: return "was alive, redirected";
    case Health::dead: return "was dead";
    case Health::insecure: return "had a bad certificate";
    case Health::suspect: return "was suspect";
    case Health::unreachable: return "gave no answer before";
    case Health::blocked: return "denied access before";
    case Health::deferred: return "was not checked before";
    case Health::skipped: break;
  }
  return "was skipped before";
}

std::string_view describe_change(Change change) {
  switch (change) {
    case Change::broken: return "newly broken";
    case Change::drifted: return "became another page";
    case Change::suspect: return "newly suspect";
    case Change::recovered: return "works again";
    case Change::moved: return "newly moved";
    case Change::still: return "still broken or suspect";
    case Change::inconclusive: return "not verified this time";
    case Change::added: return "new in your files";
    case Change::same: break;
  }
  return "as before";
}

std::string describe_changes(const Changes& changes) {
  std::string text = "first notification: ";
  if (const storage::Run& since = *changes.since; since.number > 0)
    text = fmt::format("since run {} from {}: ", since.number, day(since.finished_at.value_or(since.started_at)));
  const char* separator = "";
  const auto add = [&text, &separator](std::size_t number, std::string_view noun) {
    if (number == 0) return;
    text += fmt::format("{}{} {}", std::exchange(separator, ", "), number, noun);
  };
  for (const auto& [change, name] : change_names) {
    const bool is_short = changes.is_since_notification && !is_news(change);
    if (is_short && change == Change::still) add(changes.count(change), "still broken or suspect, reported before");
    if (change != Change::same && !is_short) add(changes.count(change), describe_change(change));
  }
  if (changes.is_since_notification) {
    add(changes.certificates,
        changes.certificates == 1 ? "certificate that expires soon" : "certificates that expire soon");
    add(changes.duplicates, "newly listed more than once");
    return *separator == '\0' ? text + "nothing changed" : text;
  }
  add(changes.removed, "no longer in your files");
  add(changes.duplicates, "newly listed more than once");
  return *separator == '\0' ? text + "nothing changed" : text;
}

std::string describe_facts(const storage::Snapshot& snapshot) {
  std::string texts;
  for (const storage::Fact& fact : snapshot.facts) texts += (texts.empty() ? "" : "; ") + fact.text;
  return texts;
}

const storage::ArchivedCopy* suggested_copy(const CheckedLink& link) {
  const std::optional<storage::ArchivedCopy>& copy = link.state.archived_copy;
  return link.result.verdict.health == Health::dead && copy && !copy->url.empty() ? &*copy : nullptr;
}

const storage::Relocation* suggested_relocation(const CheckedLink& link) {
  const std::optional<storage::Relocation>& relocation = link.state.relocation;
  const bool is_found = relocation && !relocation->url.empty();
  return link.result.verdict.health == Health::dead && is_found ? &*relocation : nullptr;
}

std::string_view describe_level(storage::RelocationLevel level) {
  switch (level) {
    case storage::RelocationLevel::possibly: return "possibly moved to";
    case storage::RelocationLevel::project: return "the project is now at";
    case storage::RelocationLevel::newer: return "newer version at";
    case storage::RelocationLevel::probably: return "probably moved to";
    case storage::RelocationLevel::sure: break;
  }
  return "moved to";
}

std::string describe_evidence(const storage::Relocation& relocation) {
  constexpr std::size_t max_bytes = 300;
  std::string text = without_full_stop(std::string(truncate_utf8(relocation.evidence, max_bytes)));
  return text.append(text.empty() ? "" : "; ").append(describe_source(relocation.source));
}

std::string describe_relocation(const storage::Relocation& relocation) {
  std::string url = readable_url(relocation.url);
  for (const std::string_view scheme : {"https://", "http://"}) {
    if (url.starts_with(scheme)) url.erase(0, scheme.size());
  }
  return fmt::format("{} {}: {}", describe_level(relocation.level), url, describe_evidence(relocation));
}

std::string readable_url(std::string_view written) {
  std::string text = with_readable_escapes(written);
  if (!parser::contains_ignoring_case(written, "xn--")) return text;
  const Result<parser::Url> url = parser::Url::parse(written);
  if (url.has_error()) return text;
  const parser::UnicodeHost host = parser::unicode_host(*url);
  const std::size_t at = parser::to_ascii_lower(text).find(url->host());
  if (at == std::string::npos || host.has_mixed_scripts || host.imitates_ascii) return text;
  return text.replace(at, url->host().size(), host.text);
}

bool differs_only_in_capital(std::string_view words, std::string_view name) {
  return words.size() == name.size() && !words.empty() &&
         parser::ascii_lower(words.front()) == parser::ascii_lower(name.front()) && words.substr(1) == name.substr(1);
}

std::string describe_metadata(const Summary& counts) {
  return fmt::format("Metadata of {}: {}, {}, {}", counted(counts.pages, "page"), counted(counts.titles, "title"),
                     counted(counts.authors, "author"), counted(counts.dates, "date"));
}

std::string describe_browser_checks(const Summary& counts) {
  return fmt::format("{} {} checked with a browser", counted(counts.from_browser, "page"),
                     counts.from_browser == 1 ? "was" : "were");
}

std::string describe_pace(const storage::PaceBound& bound) {
  const Duration paused = bound.pauses ? bound.pauses->waited : Duration{};
  const bool is_paused_only = bound.pauses && bound.min_duration() - paused < std::chrono::seconds(1);
  std::string words =
      fmt::format("{}, {}: ", bound.host, whole_seconds(is_paused_only ? paused : bound.min_duration()));
  if (bound.pauses) {
    if (bound.pauses->status != 0) words += fmt::format("{}, ", bound.pauses->status);
    words += bound.pauses->is_host_time ? "asked to wait" : "paused";
  }
  if (is_paused_only) return words;
  if (bound.pauses) words += fmt::format(" {}; ", whole_seconds(paused));
  const double interval = std::chrono::duration<double>(bound.interval).count();
  const std::string rate =
      interval > 1 ? fmt::format("one per {:.3g} s", interval) : fmt::format("{:.3g} per second", 1 / interval);
  return fmt::format("{}{} links at {}{}", words, bound.links, rate,
                     bound.is_crawl_delay ? ", as its robots.txt asks" : "");
}

std::string whole_seconds(Duration duration) {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(duration);
  return seconds < std::chrono::minutes(2) ? fmt::format("{} s", seconds.count()) : format_duration(seconds);
}

std::string describe_layer(DuplicateLayer layer, bool is_certain) {
  std::string_view words;
  switch (layer) {
    case DuplicateLayer::address: words = "same address"; break;
    case DuplicateLayer::equivalent: words = "equivalent address"; break;
    case DuplicateLayer::redirect: words = "same page after redirects"; break;
    case DuplicateLayer::canonical: words = "same canonical address"; break;
    case DuplicateLayer::content: words = "same content"; break;
    case DuplicateLayer::near: words = "nearly the same text"; break;
  }
  return fmt::format("{}{}", words, is_certain ? "" : ", possibly");
}

}  // namespace linkherd::reports
