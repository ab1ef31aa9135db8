// The options by which commands find a message broker, and what they do with it. Only with
// librabbitmq (LINKHERD_BROKER): without it a broker that is named is refused.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <CLI/App.hpp>

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
  std::string warc_dir;  // where workers leave bodies, and runs find them; empty: these pass the broker
};

CLI::Option* add_broker_options(CLI::App& app, BrokerOptions& options);
// Of those who pass pages on: a worker and its run. After add_broker_options().
void add_warc_dir_option(CLI::App& app, BrokerOptions& options);

// Where the links of a run are fetched: empty without a broker, which means in this process. The clock outlives it.
// `should_skip_bodies`: nobody keeps those of pages.
std::function<std::unique_ptr<FetchBackend>()> broker_backend(const BrokerOptions& options, bool should_skip_bodies,
                                                              const Clock& clock);

// Fetches links for runs, until stopped.
void work_for_broker(const BrokerOptions& options, const CrawlOptions& crawl, const Clock& clock,
                     const std::atomic<StopSignal>& stop);

// "broker.example:5671/links": without a password.
std::string name_of(const BrokerOptions& options);

// Plans at the broker (crawler/broker/plan_queue.h).
void require_room_for_plan(const BrokerOptions& options, const PlanHeader& plan, bool replaces);
bool send_plan(const BrokerOptions& options, PlanHeader& plan, PlanSorter& links, bool replaces,
               const std::atomic<StopSignal>& stop);
std::optional<CollectedPlan> take_plan(const BrokerOptions& options,
                                       const std::function<void(const std::string& reason)>& on_wait,
                                       const std::atomic<StopSignal>& stop);
std::optional<PlanHeader> plan_at_broker(const BrokerOptions& options);
void drop_plan(const BrokerOptions& options, const std::string& name);

// How the run stands; nullopt where there is none.
std::optional<RunStatus> status_of_run(const BrokerOptions& options);
// Workers try them again. Returns how many.
std::size_t put_dead_letters_back(const BrokerOptions& options);

}  // namespace linkherd::crawler
