// The pending fetches of one host, by how far they are: started, unstarted, or deferred to a start time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "crawler/fetch/http/fetch_request.h"
#include "parser/timestamp.h"

namespace linkherd::crawler {

// A FIFO queue that can also give its last item. It is a vector with a head index, because most hosts have one link and
// a std::deque takes 600 bytes before it holds anything.
template <class T>
class Fifo {
 public:
  bool empty() const { return head_ == items_.size(); }
  std::size_t size() const { return items_.size() - head_; }
  void push(T item) { items_.push_back(std::move(item)); }
  T pop();
  T pop_last();
  T pop_at(std::size_t index);  // the first item moves to that index

 private:
  void let_go();

  std::vector<T> items_;
  std::size_t head_ = 0;
};

template <class T>
T Fifo<T>::pop() {
  T item = std::move(items_[head_++]);
  let_go();
  return item;
}

template <class T>
T Fifo<T>::pop_last() {
  T item = std::move(items_.back());
  items_.pop_back();
  let_go();
  return item;
}

template <class T>
T Fifo<T>::pop_at(std::size_t index) {
  std::swap(items_[head_], items_[head_ + index]);
  return pop();
}

template <class T>
void Fifo<T>::let_go() {
  if (empty()) {
    items_.clear();
    items_.shrink_to_fit();  // most hosts never get another item
    head_ = 0;
  } else if (head_ >= 64 && head_ >= items_.size() / 2) {
    items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(head_));
    head_ = 0;
  }
}

class PendingFetches {
 public:
  std::size_t size() const { return started_.size() + fresh_.size() + deferred_.size(); }
  bool has_started() const { return !started_.empty(); }
  std::size_t fresh_count() const { return fresh_.size(); }
  // Returns the first deferred fetch, whose `not_before` is its start time, or null.
  const FetchState* first_deferred() const { return deferred_.empty() ? nullptr : deferred_.front().fetch.get(); }

  void push(std::unique_ptr<FetchState> fetch);
  void push(FetchRequest request) { fresh_.push(std::move(request)); }

  // The fetch must exist. A deferred fetch loses its start time.
  std::unique_ptr<FetchState> pop_started() { return started_.pop(); }
  std::unique_ptr<FetchState> pop_deferred();
  std::unique_ptr<FetchState> pop_fresh() { return start(fresh_.pop()); }
  std::unique_ptr<FetchState> pop_last_fresh() { return start(fresh_.pop_last()); }
  std::unique_ptr<FetchState> pop_fresh_at(std::size_t index) { return start(fresh_.pop_at(index)); }
  void drain(std::vector<std::unique_ptr<FetchState>>& into, std::size_t max_count);

 private:
  struct Deferred {
    std::uint64_t order = 0;  // breaks ties: the one pushed first starts first
    std::unique_ptr<FetchState> fetch;
  };
  static bool is_later(const Deferred& a, const Deferred& b);
  static std::unique_ptr<FetchState> start(FetchRequest request) {
    return std::make_unique<FetchState>(std::move(request));
  }

  // Started links with a redirect hop or an immediate retry, and follow-ups such as soft-404 probes, which started
  // links wait for.
  Fifo<std::unique_ptr<FetchState>> started_;
  Fifo<FetchRequest> fresh_;        // unstarted links
  std::vector<Deferred> deferred_;  // a heap by start time, earliest first
  std::uint64_t deferrals_ = 0;
};

}  // namespace linkherd::crawler
