// Writes JSON value by value, so that a report of a million links is never in memory as one text.
#pragma once

#include <ostream>
#include <string>
#include <string_view>

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

 private:
  std::ostream& out_;
  std::string text_;
  storage::JsonWriter json_{text_};
};

// Writes the values of an array, one per line.
class JsonRows {
 public:
  explicit JsonRows(std::ostream& out) : output_(out) {}

  storage::JsonWriter& value() { return output_.value(); }
  void flush() {
    output_.flush(any_ ? ",\n" : "\n", {});
    any_ = true;
  }

 private:
  JsonOutput output_;
  bool any_ = false;
};

}  // namespace linkherd::reports
