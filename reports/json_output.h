// Writes JSON value by value, so that a report of a million links is never in memory as one text.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include "reports/escape.h"
#include "storage/json_writer.h"

namespace linkherd::reports {

class JsonOutput {
 public:
  explicit JsonOutput(std::ostream& out) : out_(out) {}

  // Begins the next value. Its memory is reused for the value after it.
  storage::JsonWriter& value() {
    text_.clear();
    return json_;
  }
  void flush(std::string_view before, std::string_view after) { out_ << before << escape_json(text_) << after; }
  // Writes the value as the next one of an array, on a line of its own.
  void flush_row() { flush(std::exchange(separator_, ",\n"), {}); }

 private:
  std::ostream& out_;
  std::string text_;
  storage::JsonWriter json_{text_};
  std::string_view separator_ = "\n";
};

}  // namespace linkherd::reports
