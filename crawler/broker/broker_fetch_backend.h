// Lets workers that are connected through a broker fetch the links of a run. Requests are sent to the broker in
// batches, and pages come back.
//
// The broker has no data that cannot be replaced. If the connection is lost, the run takes a new name and sends all
// requests without a page again. Results for the old name are ignored. A run that was killed continues in the same way:
// its store knows which links are left.
//
// For example, a run has 64 buckets and the domain example.org belongs to bucket 17. Its requests wait in batches of
// ten in the queue linkherd.links.17. A worker that holds the lease of bucket 17 fetches them and publishes pages to
// linkherd.RUN.pages. This class acknowledges a message with pages after all its pages are stored; see
// pages_are_stored(). If the run dies before that, only the store decides which links are sent again.
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
#include "crawler/broker/progress_tracker.h"
#include "crawler/broker/queue_names.h"
#include "crawler/clock/clock.h"
#include "crawler/run/fetch_backend.h"

namespace linkherd::crawler {

struct BrokerFetchOptions {
  BrokerAddress broker;
  std::uint32_t buckets = default_buckets;
  bool should_skip_bodies = false;  // bodies of pages are not kept
  // folder in which workers store bodies (crawler/broker/body_writer.h); empty: none
  std::filesystem::path warc_dir = {};
  // After this time without a page, links in dead letters end without a response. Links whose pages cannot be read are
  // then sent to workers again. Until then dead letters can be requeued.
  std::chrono::seconds dead_letter_wait = std::chrono::minutes(1);
  // After this time without a page, links that workers have taken are sent again. A worker that waits for its hosts is
  // silent too, but hardly ever this long. The first of two results counts.
  std::chrono::seconds max_silence = std::chrono::minutes(15);
};

class BrokerFetchBackend final : public FetchBackend {
 public:
  // Throws BrokerError if the broker cannot be reached or if another run uses this virtual host. `clock` must outlive
  // this object.
  BrokerFetchBackend(BrokerFetchOptions options, const Clock& clock);
  ~BrokerFetchBackend() override;  // deletes the queues of the run

  void restore(const std::vector<storage::HostState>& hosts) override;
  void submit(std::vector<FetchRequest> requests) override;
  void submit(FetchRequest request, std::optional<Timestamp> not_before = std::nullopt) override;
  // Also restores lost connections, for as long as that takes.
  std::optional<AnalyzedPage> pop_for(std::chrono::milliseconds timeout) override;
  void stop(FailureKind why) override;
  void pages_are_stored() override;
  void show(const CrawlProgress& progress) override;
  // Workers detect outages of their own networks.
  ContactCounts contacts() const override { return {}; }
  PoolStatus status() const override;
  // Waits a few seconds for the states of the hosts that were contacted last.
  std::vector<storage::HostState> host_states() override;

 private:
  // `timeout`: how long to wait for a lock that another run seems to hold.
  void connect(std::chrono::seconds timeout);
  void remove_queues();
  void drop_connection(const BrokerError& error);
  void send_leases();
  void poll_broker();
  void give_up_dead_letters();
  bool are_all_links_taken();
  void repeat_lost_links();
  WorkerPage unanswered_page(const FetchRequest& request, std::string evidence) const;
  void update_host(storage::HostState host);
  void send_progress();
  void add(const FetchRequest& request, std::optional<Timestamp> not_before);
  void send(std::uint32_t bucket);
  void flush();
  bool take_delivery(std::chrono::milliseconds timeout);
  void take_pages(const BrokerConsumer::Delivery& delivery);
  void read_body_of(WorkerPage& page) const;
  void take_dead_letter(const BrokerConsumer::Delivery& delivery);
  std::optional<AnalyzedPage> next_page();
  std::optional<AnalyzedPage> next_without_answer();

  const BrokerFetchOptions options_;
  const Clock& clock_;
  std::string run_;  // current name of the run
  std::optional<BrokerPublisher> out_;
  std::optional<BrokerConsumer> in_;
  BrokerConsumer::Subscription pages_ = 0;
  std::optional<BrokerConsumer::Subscription> dead_letters_;  // subscribed only while dead letters are given up
  bool leases_are_sent_ = false;
  bool has_lost_links_ = false;  // true if a message of a worker could not be read
  int repeats_ = 0;
  bool has_unconfirmed_ = false;  // true if something was published and not confirmed yet
  std::chrono::steady_clock::time_point next_try_{}, leases_from_{}, next_poll_{}, last_page_{};

  std::unordered_map<std::string, storage::HostState> hosts_;  // by origin
  std::unordered_set<std::string> origins_without_state_;      // origins whose latest state is not known yet
  struct Batch {
    std::string message;
    std::size_t requests = 0;
  };
  std::vector<Batch> batches_;  // unsent batches by bucket
  std::unordered_map<RequestKey, FetchRequest> outstanding_;
  std::deque<WorkerPage> found_;
  std::optional<std::uint64_t> taken_;     // tag of the latest delivery of pages, until all its pages are popped
  std::optional<std::uint64_t> to_store_;  // tag of the latest delivery whose pages were all popped
  std::optional<FailureKind> stopped_;
  ProgressTracker progress_;
};

}  // namespace linkherd::crawler
