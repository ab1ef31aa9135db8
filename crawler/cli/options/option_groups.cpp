#include "crawler/cli/options/option_groups.h"

#include <algorithm>
#include <array>
#include <sstream>

namespace linkherd::crawler {
namespace {

// Names of options without dashes, separated by spaces. The help prints options in this order.
struct OptionGroup {
  std::string_view name;
  std::string_view common;
  std::string_view others;
};

constexpr std::array<OptionGroup, 9> option_groups{{
    {"Options", "", ""},
    {"Input", "files-from recursive offline config",
     "base-url no-git input-format skip-missing fail-if-empty include-verbatim include-wikilinks root-dir site-url "
     "index-files fallback-extensions follow max-pages depth from-warc at"},
    {"Selection", "exclude exclude-path include-fragments",
     "include scheme only remap include-mail tracking-rules shard"},
    {"Network",
     "timeout max-concurrency host-request-interval max-retries robots user-agent header allow-private proxy",
     "host-concurrency connect-timeout link-timeout low-speed-time max-stalled retry-wait-time max-retry-after "
     "max-redirects max-body threads method retry-as site-apis github-api archive-url header-for basic-auth cookie-jar "
     "insecure ca-file client-cert client-key min-tls http2 ipv4 ipv6 resolver dns-server connect-to"},
    {"Failing", "fail-on deadline", "strikes strike-interval confirm-wait outage-share max-deferred shutdown-timeout"},
    {"Output", "format output section suggest verbose quiet",
     "all changes group-by duplicates cert-days harvest audit lang color bom no-progress metrics log-file"},
    {"Memory", "store no-store max-cache-age", "vantage keep-runs keep-days max-store-size bodies wait-lock now"},
    {"CI", "changed-since changes-only github-token", "notify webhook webhook-format webhook-secret-file"},
    {"Several machines", "", "broker broker-ca-file broker-cert broker-key warc-dir"},
}};

std::vector<std::string> words_in(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(std::move(word));
  return words;
}

bool has_word(std::string_view text, const CLI::Option& option) {
  return std::ranges::any_of(words_in(text), [&option](const std::string& word) { return option.check_lname(word); });
}

bool is_grouped(const CLI::Option& option) {
  return std::ranges::any_of(option_groups, [&option](const OptionGroup& group) {
    return has_word(group.common, option) || has_word(group.others, option);
  });
}

}  // namespace

const std::vector<std::string_view>& option_group_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all(option_groups.size());
    std::ranges::transform(option_groups, all.begin(), &OptionGroup::name);
    return all;
  }();
  return names;
}

std::vector<const CLI::Option*> options_in(const CLI::App& command, std::string_view group) {
  const auto* const found = std::ranges::find(option_groups, group, &OptionGroup::name);
  if (found == option_groups.end()) return {};
  if (found == option_groups.begin()) {
    return command.get_options([](const CLI::Option* option) {
      const bool is_shown = !option->get_positional() && !option->get_group().empty();
      return is_shown && !option->check_lname("help") && !option->check_lname("help-all") && !is_grouped(*option);
    });
  }
  std::vector<const CLI::Option*> options;
  for (const std::string_view part : {found->common, found->others}) {
    for (const std::string& name : words_in(part)) {
      if (const CLI::Option* option = command.get_option_no_throw("--" + name)) options.push_back(option);
    }
  }
  return options;
}

bool is_common(const CLI::Option& option) {
  return std::ranges::none_of(option_groups,
                              [&option](const OptionGroup& group) { return has_word(group.others, option); });
}

std::vector<std::string> grouped_option_names() {
  std::vector<std::string> names;
  for (const OptionGroup& group : option_groups) {
    for (const std::string_view part : {group.common, group.others}) {
      for (std::string& name : words_in(part)) names.push_back(std::move(name));
    }
  }
  return names;
}

}  // namespace linkherd::crawler
