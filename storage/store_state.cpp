#include "storage/store_state.h"

#include <utility>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "storage/json_fields.h"
#include "storage/record_json.h"

namespace linkherd::storage {

std::string encode_state(const StoreState& state) {
  boost::json::object json{{"sequence", state.sequence}, {"published", state.published}};
  if (state.run) json["run"] = to_json(*state.run);
  return boost::json::serialize(json) + '\n';
}

StoreState decode_state(std::string_view text) {
  boost::system::error_code problem;
  const boost::json::value json = boost::json::parse(text, problem);
  if (problem) return {};
  JsonFields fields(json, "state");
  StoreState state;
  state.run = fields.noun<Run>("run", run_from_json);
  state.sequence = fields.whole<std::uint64_t>("sequence");
  state.published = fields.whole<std::uint64_t>("published");
  const Result<StoreState> read = fields.finish(std::move(state));
  return read.has_value() ? *read : StoreState();
}

}  // namespace linkherd::storage
