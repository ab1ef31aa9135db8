// The nouns of the store as JSON objects with stable snake_case keys, and back: the form in which they are stored, and
// which reports print. Reading ignores keys it does not know and gives an Error, never a throw, for what is malformed:
// the store is foreign bytes too.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "parser/result.h"
#include "storage/host_state.h"
#include "storage/link_record.h"
#include "storage/run.h"
#include "storage/snapshot.h"

namespace linkherd::storage {

boost::json::object to_json(const parser::LinkOccurrence& occurrence);
boost::json::object to_json(
    const parser::Metadata& metadata);  // flat values, "sources" and "confidence" by field: the contract's form
boost::json::object to_json(const Verdict& verdict);
boost::json::object to_json(const Redirect& redirect);
boost::json::object to_json(const Attempt& attempt);
boost::json::object to_json(const Snapshot& snapshot);
boost::json::object to_json(const LinkRecord& record);
boost::json::object to_json(const HostState& host);
boost::json::object to_json(const Run& run);
boost::json::object to_json(const RunEntry& entry);

Result<parser::LinkOccurrence> link_occurrence_from_json(const boost::json::value& json);
Result<parser::Metadata> metadata_from_json(const boost::json::value& json);
Result<Verdict> verdict_from_json(const boost::json::value& json);
Result<Snapshot> snapshot_from_json(const boost::json::value& json);
Result<LinkRecord> link_record_from_json(const boost::json::value& json);
Result<HostState> host_state_from_json(const boost::json::value& json);
Result<Run> run_from_json(const boost::json::value& json);
Result<RunEntry> run_entry_from_json(const boost::json::value& json);

}  // namespace linkherd::storage
