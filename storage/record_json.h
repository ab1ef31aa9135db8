// Converts stored types to JSON objects with stable snake_case keys. Output, the state file and the PDF process use
// them; the last two are also read. Reading ignores unknown keys and returns an Error for malformed data; it never
// throws on untrusted bytes. write_members() writes an object without its braces, for objects with additional members.
#pragma once

#include <boost/json/value.hpp>

#include "parser/result.h"
#include "storage/json_writer.h"
#include "storage/link_result.h"
#include "storage/link_state.h"
#include "storage/run.h"
#include "storage/snapshot.h"

namespace linkherd::storage {

// Rounds a confidence to six decimals, on writing and on reading. Boost.JSON's parser may change the last bit, but the
// value must be stable.
double six_decimals(double number);

void write_json(JsonWriter& json, const parser::LinkOccurrence& occurrence);

// As printed by the command line: flat values, with "sources" and "confidence" by field.
void write_json(JsonWriter& json, const parser::Metadata& metadata);
void write_members(JsonWriter& json, const parser::Metadata& metadata);
Result<parser::Metadata> metadata_from_json(const boost::json::value& json);

void write_json(JsonWriter& json, const Verdict& verdict);
void write_members(JsonWriter& json, const Verdict& verdict);

void write_json(JsonWriter& json, const Redirect& redirect);
void write_json(JsonWriter& json, const Attempt& attempt);
void write_json(JsonWriter& json, const Certificate& certificate);
void write_json(JsonWriter& json, const Fact& fact);
void write_json(JsonWriter& json, const PlainAnswer& answer);
void write_json(JsonWriter& json, const Snapshot& snapshot);
void write_members(JsonWriter& json, const Snapshot& snapshot);

void write_json(JsonWriter& json, const ArchivedCopy& copy);
void write_json(JsonWriter& json, const Relocation& relocation);

void write_json(JsonWriter& json, const Run& run);
void write_members(JsonWriter& json, const Run& run);
Result<Run> run_from_json(const boost::json::value& json);

}  // namespace linkherd::storage
