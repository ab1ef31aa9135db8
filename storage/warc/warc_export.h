// Exports the snapshots of a run as a WARC file for web archives: WARC 1.1 (ISO 28500:2017), or 1.0 for older tools.
// The same store always gives the same bytes. Numbers in parentheses are sections of the standard.
//
// Each check of a link becomes
//   response  the stored headers and body. Bodies are stored decoded: Content-Encoding, Transfer-Encoding and a
//             different Content-Length are written as X-Orig-…, and Content-Length is that of the record. HTTP versions
//             and reason phrases are not stored, so HTTP/1.1 stands for all. If the body is incomplete or not stored,
//             the record has WARC-Truncated: unspecified (5.13: "only a truncated portion of the original resource may
//             be available"). A record without a payload has no payload digest.
//   revisit   instead, if an earlier record has the same body (6.7.2, identical-payload-digest), or for a 304 response
//             (6.7.3, server-not-modified); with the headers of the response
//   response  for each redirect on the way: status and Location, which is all that is stored; marked as truncated
//   request   for each of these: the GET method and the Host, which is all that is known; marked as truncated
//   metadata  everything the store has about the check, as printed by `linkherd history --format json`. A link without
//             a response has only this record.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>

#include "parser/url/url.h"
#include "storage/checked_links.h"
#include "storage/link_history.h"
#include "storage/link_result.h"
#include "storage/run.h"
#include "storage/snapshot.h"
#include "storage/warc/warc_writer.h"

namespace linkherd::storage {

struct WarcExport {
  std::string software;   // "linkherd/0.1.0"
  std::string file_name;  // file name for warcinfo and the index; empty: standard output
  bool gzip = true;
  bool should_export_all = false;  // true: all stored checks of the links; false: only those of the run
  bool index = false;              // build ExportedWarc::index, which is held in memory
  WarcVersion version = WarcVersion::v1_1;
};

struct ExportedWarc {
  std::string index;            // CDXJ lines of the responses and revisits, sorted by SURT
  std::uint64_t responses = 0;  // with or without body
  std::uint64_t without_body = 0;
};

// Writes the WARC file to `out`. `links` are the links of `run`, and `history` is of the same store.
ExportedWarc write_warc(std::ostream& out, const LinkHistory& history, const CheckedLinks& links, const Run& run,
                        const WarcExport& options);

// Returns the warcinfo record of such a file. `part_of` says what made the file, and when.
NewWarcRecord warc_info(const WarcExport& options, Timestamp date, const std::string& part_of);
// Returns the record of the last response of a check, sent by `url`. `body` is nullptr if the body is not stored.
NewWarcRecord warc_answer(const Snapshot& snapshot, const parser::Url& url, const std::string* body);

// Returns the sort-friendly form of a URL, which web archives use for lookups: "org,example)/path?a=1". Returns a text
// that is not an HTTP URL unchanged.
std::string to_surt(std::string_view url);

}  // namespace linkherd::storage
