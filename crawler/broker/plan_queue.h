// Stores plans at a broker until a run collects them. A plan becomes visible once it is complete; an interrupted one is
// ignored. It stays at the broker until its run is complete, so that a run that was killed finds it again.
//
// For example, a plan of 300 000 links has 120 pieces of about 1 MiB. publish_plan() locks linkherd.plan.lock, deletes
// the old plan and sends the pieces 0 to 119 to linkherd.plan.pieces. After the broker has confirmed them, it sends the
// PlanHeader {plan "0a1b2c3d4e5f6071", pieces 120} to linkherd.plan. collect_plan() reads the header and then all 120
// pieces, but acknowledges none of them. When its connection ends, the broker therefore puts them back. Pieces of
// another plan are dropped.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>

#include "crawler/broker/broker_connection.h"
#include "crawler/broker/messages.h"
#include "crawler/run/crawl.h"
#include "crawler/run/link_sorter.h"
#include "crawler/run/link_table.h"

namespace linkherd::crawler {

// Returns the plan at the broker, or nullopt if there is none. Throws BrokerError.
std::optional<PlanHeader> waiting_plan(const BrokerAddress& address);

// Checks that `plan` may replace the plan at the broker. That is always allowed if inputs and settings are the same,
// otherwise only if `replaces`. Throws std::runtime_error if it may not, and BrokerError.
void require_room(const BrokerAddress& address, const PlanHeader& plan, bool replaces);

// Publishes the links, then `plan`, which gets its name and counts. Restores lost connections, but not if the first
// connection fails. Returns false if `stop` is set before the end; no plan is published then. Throws
// std::runtime_error if the broker has another plan, or if another process is writing one; and BrokerError.
bool publish_plan(const BrokerAddress& address, PlanHeader& plan, LinkSorter& links, bool replaces,
                  const std::atomic<StopSignal>& stop);

struct CollectedPlan {
  PlanHeader header;
  LinkTable plan;
};
// Waits for a plan and for the end of any other run, and reads the plan, which stays at the broker. Calls `on_wait`
// whenever the reason to wait changes. Returns nullopt if `stop` is set. Throws BrokerError if the first connection
// fails.
std::optional<CollectedPlan> collect_plan(const BrokerAddress& address,
                                          const std::function<void(const std::string& reason)>& on_wait,
                                          const std::atomic<StopSignal>& stop);

// Removes the plan unless another one has replaced it. Throws BrokerError.
void remove_plan(const BrokerAddress& address, const std::string& name);

}  // namespace linkherd::crawler
