// The snapshots of a run as a WARC 1.1 file (ISO 28500:2017), or one of version 1.0 for older tools, for web archives.
// The same store gives the same bytes.
//
// A look at a link becomes
//   response  with the headers and the body that are stored. Bodies are stored decoded: Content-Encoding,
//             Transfer-Encoding and another Content-Length are written as X-Orig-…, and Content-Length is that of the
//             record. HTTP versions and reason phrases are not stored: HTTP/1.1 stands for them.
//             A body that was cut, and one that is not stored, are marked WARC-Truncated: unspecified (5.13: "only a
//             truncated portion of the original resource may be available"); such a record has no payload digest where
//             it has no payload.
//   revisit   where an earlier record has the same body (6.7.2, identical-payload-digest), and of an answer 304
//             (6.7.3, server-not-modified), with the response's headers
//   resource  where the store has a body without headers, as older programs wrote it (6.4)
//   response  of each redirect on the way: its status and Location, all that is stored, so truncated as well
//   request   of each of these: the method GET and the Host, all that is known, so truncated as well
//   metadata  all that the store says of the check, as `linkherd history --format json` prints it: also of links
//             without an answer, for which it stands alone
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>

#include "parser/url/url.h"
#include "storage/checked_links.h"
#include "storage/run.h"
#include "storage/snapshot.h"
#include "storage/store.h"
#include "storage/warc/warc_writer.h"

namespace linkherd::storage {

struct WarcExport {
  std::string software;   // "linkherd/0.1.0"
  std::string file_name;  // for warcinfo and the index; empty: stdout
  bool gzip = true;
  bool should_export_all = false;  // that the store has of the links; false: that of the run
  bool index = false;              // make ExportedWarc::index, which stands in memory
  WarcVersion version = WarcVersion::v1_1;
};

struct ExportedWarc {
  std::string index;            // CDXJ: the responses, resources and revisits, sorted by their SURT
  std::uint64_t responses = 0;  // with or without body
  std::uint64_t without_body = 0;
};

// `links`: those of `run` in `store`.
ExportedWarc write_warc(std::ostream& out, const Store& store, const CheckedLinks& links, const Run& run,
                        const WarcExport& options);

// The warcinfo record of such a file; `part_of`: what made it, and when.
NewWarcRecord warc_info(const WarcExport& options, Timestamp date, const std::string& part_of);
// The record of the answer at the end of a look, from `url`: a response, or a resource where no headers are known.
// `body`: null where it is not stored.
NewWarcRecord warc_answer(const Snapshot& snapshot, const parser::Url& url, const std::string* body);

// The sort-friendly form of a URL by which web archives look pages up: "org,example)/path?a=1". A text that is no http
// URL stays as it is.
std::string surt(std::string_view url);

}  // namespace linkherd::storage
