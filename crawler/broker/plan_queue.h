// Plans that wait at a broker until a run collects them. A plan is there once it is complete: one that was cut short is
// no plan. It stays until its run is complete, so that a run that was killed finds it again.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

#include "crawler/broker/broker_connection.h"
#include "crawler/broker/messages.h"
#include "crawler/run/crawl.h"
#include "crawler/run/plan.h"
#include "crawler/run/plan_sorter.h"

namespace linkherd::crawler {

// There is a plan of other inputs or settings at the broker.
class PlanInTheWay : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Somebody else is writing one.
class PlanIsLocked : public PlanInTheWay {
 public:
  using PlanInTheWay::PlanInTheWay;
};

// The plan that is there; nullopt: none. Throws BrokerError.
std::optional<PlanHeader> waiting_plan(const BrokerAddress& address);

// Whether `plan` may take the place of what is there: a plan of the same inputs and settings always, another one where
// `replaces`. Throws PlanInTheWay, and BrokerError.
void require_room(const BrokerAddress& address, const PlanHeader& plan, bool replaces);

// Publishes the links. `plan` gets its name and counts, and is published last. Connections that are lost are made
// again, but for the first one. Throws PlanInTheWay and BrokerError. False where `stop` is set before the end: then
// there is no plan.
bool publish_plan(const BrokerAddress& address, PlanHeader& plan, PlanSorter& links, bool replaces,
                  const std::atomic<StopSignal>& stop);

struct CollectedPlan {
  PlanHeader header;
  Plan plan;
};
// Waits for a plan, and for the end of a run that is there, and reads it; it stays where it is. `on_wait` is called
// with what is waited for, once. Nullopt where `stop` is set. Throws BrokerError where the broker cannot be reached at
// first.
std::optional<CollectedPlan> collect_plan(const BrokerAddress& address,
                                          const std::function<void(const std::string& reason)>& on_wait,
                                          const std::atomic<StopSignal>& stop);

// Unless another plan has taken its place. Throws BrokerError.
void remove_plan(const BrokerAddress& address, const std::string& name);

}  // namespace linkherd::crawler
