// The links of a run are fetched by workers behind a broker: requests go there in batches, and pages come back. The
// broker keeps nothing that matters: where the connection is lost, all requests without a page are sent again under a
// new name, and what workers do for the old one counts no more. So it is with a run that was killed, whose store says
// which links are left.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "crawler/broker/broker_connection.h"
#include "crawler/broker/messages.h"
#include "crawler/broker/queue_names.h"
#include "crawler/clock/clock.h"
#include "crawler/run/fetch_backend.h"

namespace linkherd::crawler {

struct BrokerFetchOptions {
  BrokerAddress broker;
  std::uint32_t buckets = default_buckets;
  bool should_skip_bodies = false;      // nobody keeps those of pages
  std::filesystem::path warc_dir = {};  // where workers leave bodies (crawler/broker/body_writer.h); empty: nowhere
  // When no page has come for so long, the links of dead letters end without a look, and those whose pages cannot be
  // read are given out again. Until then dead letters can be put back.
  std::chrono::seconds dead_letter_wait = std::chrono::minutes(1);
  // When no page has come for so long, links that workers took are given out again. A worker that waits for hosts is
  // silent too, but hardly for so long; of two answers the first counts.
  std::chrono::seconds max_silence = std::chrono::minutes(15);
};

class BrokerFetchBackend final : public FetchBackend {
 public:
  // Throws BrokerError where the broker cannot be reached, or has another run in this virtual host. The clock outlives
  // this.
  BrokerFetchBackend(BrokerFetchOptions options, const Clock& clock);
  ~BrokerFetchBackend() override;  // deletes the queues of the run

  void restore(const std::vector<storage::HostState>& hosts) override;
  void submit(std::vector<FetchRequest> requests) override;
  void submit(FetchRequest request, std::optional<Timestamp> not_before = std::nullopt) override;
  // Lost connections are made again, for as long as it takes.
  std::optional<AnalyzedPage> pop_for(std::chrono::milliseconds timeout) override;
  void stop(FailureKind why) override;
  void pages_are_stored() override;
  void show(const CrawlProgress& progress) override;
  // Workers watch their own networks.
  ContactCounts contacts() const override { return {}; }
  PoolStatus status() const override;
  // Waits a few seconds for what workers know of the hosts that were asked last.
  std::vector<storage::HostState> host_states() override;

 private:
  // `timeout`: with a lock that another run seems to have.
  void connect(std::chrono::seconds timeout);
  void remove_queues();
  void lose(const BrokerError& error);
  void send_leases();
  void poll_broker();
  void give_up_dead_letters();
  bool are_all_links_taken();
  void repeat_lost_links();
  FoundPage unanswered_page(const FetchRequest& request, std::string evidence) const;
  void know(storage::HostState host);
  void send_progress();
  void add(const FetchRequest& request, std::optional<Timestamp> not_before);
  void send(std::uint32_t bucket);
  void flush();
  bool take_delivery(std::chrono::milliseconds timeout);
  void take_pages(const BrokerConsumer::Delivery& delivery);
  void read_body_of(FoundPage& page) const;
  void take_dead_letter(const BrokerConsumer::Delivery& delivery);
  std::optional<AnalyzedPage> next_page();
  std::optional<AnalyzedPage> next_without_answer();

  const BrokerFetchOptions options_;
  const Clock& clock_;
  const Timestamp started_at_;
  std::string run_;  // its name now
  std::optional<BrokerPublisher> out_;
  std::optional<BrokerConsumer> in_;
  BrokerConsumer::Subscription pages_ = 0;
  std::optional<BrokerConsumer::Subscription> dead_letters_;  // only while they are given up
  bool leases_are_sent_ = false;
  bool has_lost_links_ = false;  // a message of a worker cannot be read
  int repeats_ = 0;
  bool has_news_ = false;  // something was published, and not confirmed yet
  std::chrono::steady_clock::time_point next_try_{}, leases_from_{}, next_poll_{}, last_page_{}, next_progress_{};

  std::unordered_map<std::string, storage::HostState> hosts_;  // by origin
  std::unordered_map<std::string, Timestamp> waiting_;         // of these, those that want a pause, and until when
  std::unordered_set<std::string> asked_;                      // origins of which the latest state is not known yet
  struct Batch {
    std::string message;
    std::size_t requests = 0;
  };
  std::vector<Batch> batches_;  // by bucket: not yet sent
  std::unordered_map<RequestKey, FetchRequest> outstanding_;
  std::deque<FoundPage> found_;
  std::optional<std::uint64_t> taken_;     // the latest delivery of pages, until they are popped
  std::optional<std::uint64_t> to_store_;  // the latest delivery all of whose pages were popped
  std::optional<FailureKind> stopped_;
  std::size_t planned_ = 0, done_ = 0;
  struct Mark {
    std::chrono::steady_clock::time_point at;
    std::size_t done = 0;
  };
  std::deque<Mark> marks_;  // of the last minute
};

}  // namespace linkherd::crawler
