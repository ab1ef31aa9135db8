// The options that name a message broker, and what commands do with it. Without librabbitmq (LINKHERD_BROKER), naming a
// broker is an error.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "crawler/broker/plan_queue.h"
#include "crawler/broker/run_status.h"
#include "crawler/clock/clock.h"
#include "crawler/run/crawl.h"
#include "crawler/run/fetch_backend.h"

namespace linkherd::crawler {

struct BrokerOptions {
  std::string url;  // empty: none
  std::string ca_file;
  std::string certificate;
  std::string key;
  // folder in which workers store bodies and runs read them; empty: bodies pass through the broker
  std::string warc_dir;
};

// Return what is wrong with the value of --broker or --warc-dir, or an empty string.
std::string refuse_broker_address(const std::string& url);
std::string refuse_bad_warc_dir(const std::string& folder);

// Returns a function that creates the fetch backend. It is empty without a broker; links are then fetched in this
// process. `clock` must outlive the backend. `should_skip_bodies`: bodies of pages are not kept.
std::function<std::unique_ptr<FetchBackend>()> broker_backend(const BrokerOptions& options, bool should_skip_bodies,
                                                              const Clock& clock);

// Fetches links for runs until stopped.
void work_for_broker(const BrokerOptions& options, const CrawlOptions& crawl, const Clock& clock,
                     const std::atomic<StopSignal>& stop);

// Returns a name without a password, such as "broker.example:5671/links".
std::string name_of(const BrokerOptions& options);

// Functions for plans at the broker (crawler/broker/plan_queue.h).
void require_room_for_plan(const BrokerOptions& options, const PlanHeader& plan, bool replaces);
bool send_plan(const BrokerOptions& options, PlanHeader& plan, LinkSorter& links, bool replaces,
               const std::atomic<StopSignal>& stop);
std::optional<CollectedPlan> take_plan(const BrokerOptions& options,
                                       const std::function<void(const std::string& reason)>& on_wait,
                                       const std::atomic<StopSignal>& stop);
std::optional<PlanHeader> plan_at_broker(const BrokerOptions& options);
void drop_plan(const BrokerOptions& options, const std::string& name);

// Returns the status of the run, or nullopt if there is none.
std::optional<RunStatus> status_of_run(const BrokerOptions& options);
// Requeues dead letters, so that workers try them again. Returns their number.
std::size_t put_dead_letters_back(const BrokerOptions& options);

}  // namespace linkherd::crawler
