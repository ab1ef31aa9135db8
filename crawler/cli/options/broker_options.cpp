#include "crawler/cli/options/broker_options.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#ifdef LINKHERD_BROKER
#include "crawler/broker/broker_connection.h"
#include "crawler/broker/broker_fetch_backend.h"
#include "crawler/broker/queue_names.h"
#include "crawler/broker/worker.h"
#endif
#include "crawler/cli/options/option.h"
#include "crawler/sources/repository_bounds.h"

namespace linkherd::crawler {

#ifdef LINKHERD_BROKER

namespace {

BrokerAddress address_of(const BrokerOptions& options) {
  BrokerAddress address = BrokerAddress::parse(options.url).value();
  address.ca_file = options.ca_file;
  address.certificate = options.certificate;
  address.key = options.key;
  return address;
}

}  // namespace

std::string refuse_broker_address(const std::string& url) {
  const Result<BrokerAddress> address = BrokerAddress::parse(url);
  return address ? std::string() : address.error().message;
}

std::function<std::unique_ptr<FetchBackend>()> broker_backend(const BrokerOptions& options, bool should_skip_bodies,
                                                              const Clock& clock) {
  if (options.url.empty()) return {};
  return [address = address_of(options), should_skip_bodies, warc_dir = options.warc_dir, &clock] {
    return std::make_unique<BrokerFetchBackend>(
        BrokerFetchOptions{.broker = address, .should_skip_bodies = should_skip_bodies, .warc_dir = warc_dir}, clock);
  };
}

void work_for_broker(const BrokerOptions& options, const CrawlOptions& crawl, const Clock& clock,
                     const std::atomic<StopSignal>& stop) {
  work({.broker = address_of(options), .crawl = crawl, .warc_dir = options.warc_dir}, clock, stop);
}

void require_room_for_plan(const BrokerOptions& options, const PlanHeader& plan, bool replaces) {
  require_room(address_of(options), plan, replaces);
}

bool send_plan(const BrokerOptions& options, PlanHeader& plan, LinkSorter& links, bool replaces,
               const std::atomic<StopSignal>& stop) {
  return publish_plan(address_of(options), plan, links, replaces, stop);
}

std::optional<CollectedPlan> take_plan(const BrokerOptions& options,
                                       const std::function<void(const std::string& reason)>& on_wait,
                                       const std::atomic<StopSignal>& stop) {
  return collect_plan(address_of(options), on_wait, stop);
}

std::optional<PlanHeader> plan_at_broker(const BrokerOptions& options) { return waiting_plan(address_of(options)); }

void drop_plan(const BrokerOptions& options, const std::string& name) {
  try {
    remove_plan(address_of(options), name);
  } catch (const BrokerError& error) {
    spdlog::warn(fmt::format("{}: the plan of the completed run could not be removed", error.what()));
  }
}

std::string name_of(const BrokerOptions& options) {
  const BrokerAddress address = address_of(options);
  return fmt::format("{}:{}/{}", address.host, address.port, address.virtual_host);
}

std::optional<RunStatus> status_of_run(const BrokerOptions& options) { return read_run_status(address_of(options)); }

std::size_t put_dead_letters_back(const BrokerOptions& options) { return requeue_dead_letters(address_of(options)); }

#else

std::string refuse_broker_address(const std::string& /*url*/) {
  return "this linkherd was built without librabbitmq: install librabbitmq-dev and build it again";
}

std::function<std::unique_ptr<FetchBackend>()> broker_backend(const BrokerOptions& /*options*/,
                                                              bool /*should_skip_bodies*/, const Clock& /*clock*/) {
  return {};
}

void work_for_broker(const BrokerOptions& /*options*/, const CrawlOptions& /*crawl*/, const Clock& /*clock*/,
                     const std::atomic<StopSignal>& /*stop*/) {}

void require_room_for_plan(const BrokerOptions& /*options*/, const PlanHeader& /*plan*/, bool /*replaces*/) {}

bool send_plan(const BrokerOptions& /*options*/, PlanHeader& /*plan*/, LinkSorter& /*links*/, bool /*replaces*/,
               const std::atomic<StopSignal>& /*stop*/) {
  return false;
}

std::optional<CollectedPlan> take_plan(const BrokerOptions& /*options*/,
                                       const std::function<void(const std::string& reason)>& /*on_wait*/,
                                       const std::atomic<StopSignal>& /*stop*/) {
  return std::nullopt;
}

std::optional<PlanHeader> plan_at_broker(const BrokerOptions& /*options*/) { return std::nullopt; }

void drop_plan(const BrokerOptions& /*options*/, const std::string& /*name*/) {}

std::string name_of(const BrokerOptions& /*options*/) { return {}; }

std::optional<RunStatus> status_of_run(const BrokerOptions& /*options*/) { return std::nullopt; }

std::size_t put_dead_letters_back(const BrokerOptions& /*options*/) { return 0; }

#endif

std::string refuse_bad_warc_dir(const std::string& folder) {
  if (std::string problem = refuse_no_folder(folder); !problem.empty()) return problem;
  return leads_out(folder) ? fmt::format("{} {}: choose the folder that it points to", folder, leads_out_message)
                           : std::string();
}

}  // namespace linkherd::crawler
