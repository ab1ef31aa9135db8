// What the store keeps as JSON objects with stable snake_case keys, and back: the form that is stored and that reports
// print. Reading ignores unknown keys, and returns an Error for what is malformed; it never throws on foreign bytes.
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
Result<parser::LinkOccurrence> link_occurrence_from_json(const boost::json::value& json);

// As the command line prints it: flat values, and "sources" and "confidence" by field.
boost::json::object to_json(const parser::Metadata& metadata);
Result<parser::Metadata> metadata_from_json(const boost::json::value& json);

boost::json::object to_json(const Verdict& verdict);
Result<Verdict> verdict_from_json(const boost::json::value& json);

boost::json::object to_json(const Redirect& redirect);
boost::json::object to_json(const Attempt& attempt);
boost::json::object to_json(const Snapshot& snapshot);
Result<Snapshot> snapshot_from_json(const boost::json::value& json);

boost::json::object to_json(const LinkRecord& record);
Result<LinkRecord> link_record_from_json(const boost::json::value& json);

boost::json::object to_json(const HostState& host);
Result<HostState> host_state_from_json(const boost::json::value& json);

boost::json::object to_json(const Run& run);
Result<Run> run_from_json(const boost::json::value& json);

boost::json::object to_json(const RunEntry& entry);
Result<RunEntry> run_entry_from_json(const boost::json::value& json);

}  // namespace linkherd::storage
