#include "storage/warc/warc_export.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <ostream>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "parser/ascii.h"
#include "parser/url/credentials.h"
#include "parser/url/url.h"
#include "storage/record_json.h"
#include "storage/warc/warc_writer.h"

namespace linkherd::storage {
namespace {

// Returns a value for a header field. Stored texts may contain any bytes, including line breaks.
std::string in_one_line(std::string_view text) {
  std::string line(text);
  std::ranges::replace_if(line, parser::is_ascii_control, ' ');
  return line;
}

std::string_view header_of(const Snapshot& snapshot, std::string_view name) {
  const auto found = std::ranges::find(snapshot.headers, name, &ResponseHeader::name);
  return found == snapshot.headers.end() ? std::string_view() : std::string_view(found->value);
}

// Returns the head of the response for a body of `size` decoded bytes.
std::string http_head(const Snapshot& snapshot, std::uint64_t size) {
  std::string head = fmt::format("HTTP/1.1 {} \r\n", snapshot.status);
  const std::string length = std::to_string(size);
  for (const ResponseHeader& header : snapshot.headers) {
    const bool is_length = header.name == "content-length";
    if (is_length && header.value == length) continue;
    if (is_length || header.name == "content-encoding" || header.name == "transfer-encoding") head += "x-orig-";
    head.append(in_one_line(header.name)).append(": ").append(in_one_line(header.value)).append("\r\n");
  }
  return head.append("content-length: ").append(length).append("\r\n\r\n");
}

bool may_have_body(const Snapshot& snapshot) {
  return snapshot.status != 204 && snapshot.status != 304 && header_of(snapshot, "content-length") != "0";
}

std::optional<parser::Url> target_of(std::string_view text) {
  const auto url = parser::Url::parse(text);
  return url && url->is_http() ? std::optional(*url) : std::nullopt;
}

std::uint64_t short_digest(std::string_view hex) {
  constexpr std::size_t digits = 16;
  std::uint64_t number = 0;
  hex = hex.substr(0, digits);
  std::from_chars(hex.data(), hex.data() + hex.size(), number, 16);
  return number;
}

// Example: "20260305102000".
std::string digits_of(Timestamp time) {
  std::string digits;
  for (const char c : format_timestamp(std::chrono::floor<std::chrono::seconds>(time))) {
    if (parser::is_ascii_digit(c)) digits += c;
  }
  return digits;
}

// Returns a response for a redirect. A page that redirects by itself is not stored, so a header that leads to the same
// URL represents it.
std::string redirect_answer(const Redirect& hop) {
  const std::string to = in_one_line(hop.to);
  std::string fields;
  if (hop.kind == parser::RedirectKind::http) {
    fields = fmt::format("location: {}\r\n", to);
  } else {
    fields = fmt::format("refresh: 0; url={}\r\n", to);
    if (hop.is_canonical) fields += fmt::format("link: <{}>; rel=\"canonical\"\r\n", to);
  }
  return fmt::format("HTTP/1.1 {} \r\n{}content-length: 0\r\n\r\n", hop.status, fields);
}

class WarcExporter {
 public:
  WarcExporter(std::ostream& out, const LinkHistory& history, const WarcExport& options)
      : writer_(out, options.version, options.gzip), history_(history), options_(options) {}

  void write_info(const Run& run);
  // Call count() for all links, then counted(), then write() for all links. Bodies that occur twice are remembered from
  // one record to the next.
  void count(const CheckedLink& link);
  void counted();
  void write(const CheckedLink& link);
  ExportedWarc take_result();

 private:
  struct Original {
    std::string uri;
    std::string id;
    Timestamp date;
    std::string payload_digest;
  };
  std::vector<Snapshot> snapshots_of(const CheckedLink& link) const;
  void write_redirects(const Snapshot& snapshot);
  std::string write_answer(const Snapshot& snapshot, const parser::Url& url);
  std::string write_revisit(const Snapshot& snapshot, const parser::Url& url, const Original& original);
  void write_request(const parser::Url& url, Timestamp date, const std::string& address, const std::string& response);
  void add_to_index(const parser::Url& url, const Snapshot& snapshot, bool is_revisit, std::string_view digest,
                    const WarcWriter::Written& written);

  WarcWriter writer_;
  const LinkHistory& history_;
  const WarcExport& options_;
  std::vector<std::uint64_t> digests_;  // of bodies; after counted(), only of bodies that occur more than once
  std::unordered_map<std::string, Original> originals_;  // first records with these bodies, by digest
  std::vector<std::string> index_;
  ExportedWarc result_;
};

void WarcExporter::write_info(const Run& run) {
  writer_.write(warc_info(options_, run.finished_at.value_or(run.started_at),
                          fmt::format("run {} of {}", run.number, format_timestamp(run.started_at))));
}

// Returns the snapshots oldest first, so that the response that a 304 refers to precedes it.
std::vector<Snapshot> WarcExporter::snapshots_of(const CheckedLink& link) const {
  const Snapshot& last = link.state.snapshot;
  if (last.fetched_at == Timestamp{}) return {};
  if (!options_.should_export_all && last.status != 304) return {last};
  std::vector<Snapshot> snapshots = history_.snapshots(link.state.id, SIZE_MAX);
  std::ranges::reverse(snapshots);
  if (options_.should_export_all) return snapshots;
  const auto meant = std::ranges::find_if(snapshots, [&last](const Snapshot& snapshot) {
    return snapshot.status != 304 && snapshot.body_digest == last.body_digest && snapshot.fetched_at < last.fetched_at;
  });
  if (meant == snapshots.end()) return {last};
  return {*meant, last};
}

void WarcExporter::count(const CheckedLink& link) {
  for (const Snapshot& snapshot : snapshots_of(link)) {
    if (!snapshot.body_digest.empty()) digests_.push_back(short_digest(snapshot.body_digest));
  }
}

void WarcExporter::counted() {
  std::ranges::sort(digests_);
  std::vector<std::uint64_t> repeated;
  for (std::size_t i = 1; i < digests_.size(); ++i) {
    if (digests_[i] == digests_[i - 1] && (repeated.empty() || repeated.back() != digests_[i]))
      repeated.push_back(digests_[i]);
  }
  digests_ = std::move(repeated);
}

void WarcExporter::write(const CheckedLink& link) {
  for (const Snapshot& snapshot : snapshots_of(link)) {
    write_redirects(snapshot);
    const std::optional<parser::Url> url = target_of(snapshot.final_url);
    std::string answer;
    if (snapshot.status != 0 && url) answer = write_answer(snapshot, *url);
    NewWarcRecord metadata{.type = "metadata",
                           .target_uri = in_one_line(link.state.url),
                           .date = snapshot.fetched_at,
                           .content_type = "application/json",
                           .fields = {},
                           .block = {}};
    if (!answer.empty()) metadata.fields.emplace_back("WARC-Concurrent-To", answer);
    JsonWriter json(metadata.block);
    json.begin_object();
    json.member("url", link.state.url);
    write_members(json, snapshot);
    json.end_object();
    writer_.write(metadata);
  }
}

void WarcExporter::write_redirects(const Snapshot& snapshot) {
  for (const Redirect& hop : snapshot.redirects) {
    const std::optional<parser::Url> url = target_of(hop.from);
    const bool is_answer = &hop == &snapshot.redirects.back() && hop.status == snapshot.status && url &&
                           url->href() == std::string_view(snapshot.final_url);  // the redirect chain ended in an error
    if (!url || is_answer) continue;
    const auto attempt = std::ranges::find_if(
        snapshot.attempts, [&hop](const Attempt& one) { return one.url == hop.from && one.status == hop.status; });
    NewWarcRecord response{.type = "response",
                           .target_uri = std::string(url->href_without_fragment()),
                           .date = attempt == snapshot.attempts.end() ? snapshot.fetched_at : attempt->at,
                           .content_type = "application/http; msgtype=response",
                           .fields = {{"WARC-Truncated", "unspecified"}},
                           .block = {}};
    response.block = redirect_answer(hop);
    const WarcWriter::Written written = writer_.write(response);
    ++result_.responses;
    Snapshot redirect;
    redirect.fetched_at = response.date;
    redirect.status = hop.status;
    add_to_index(*url, redirect, false, {}, written);
    write_request(*url, response.date, {}, written.id);
  }
}

// Returns the id of the record.
std::string WarcExporter::write_answer(const Snapshot& snapshot, const parser::Url& url) {
  const auto original = originals_.find(snapshot.body_digest);
  if (!snapshot.body_digest.empty() && original != originals_.end())
    return write_revisit(snapshot, url, original->second);
  std::optional<std::string> body;
  if (snapshot.status != 304 && !snapshot.body_digest.empty()) body = history_.body(snapshot.body_digest);
  const NewWarcRecord record = warc_answer(snapshot, url, body ? &*body : nullptr);
  const std::string digest = body ? record.fields.back().second : std::string();
  const WarcWriter::Written written = writer_.write(record);
  ++result_.responses;
  if (!body) ++result_.without_body;
  add_to_index(url, snapshot, false, digest, written);
  write_request(url, snapshot.fetched_at, snapshot.remote_address, written.id);
  if (body && std::ranges::binary_search(digests_, short_digest(snapshot.body_digest)))
    originals_.try_emplace(snapshot.body_digest, Original{record.target_uri, written.id, snapshot.fetched_at, digest});
  return written.id;
}

std::string WarcExporter::write_revisit(const Snapshot& snapshot, const parser::Url& url, const Original& original) {
  const bool is_unmodified = snapshot.status == 304;
  const std::string profile =
      fmt::format("http://netpreserve.org/warc/{}/revisit/{}", enum_name(warc_version_names, options_.version),
                  is_unmodified ? "server-not-modified" : "identical-payload-digest");
  NewWarcRecord record{.type = "revisit",
                       .target_uri = std::string(url.href_without_fragment()),
                       .date = snapshot.fetched_at,
                       .content_type = "application/http; msgtype=response",
                       .fields = {{"WARC-Profile", profile},
                                  {"WARC-Refers-To", original.id},
                                  {"WARC-Refers-To-Target-URI", original.uri},
                                  {"WARC-Refers-To-Date", warc_date(original.date, options_.version)}},
                       .block = http_head(snapshot, is_unmodified ? 0 : snapshot.body_bytes)};
  if (!snapshot.remote_address.empty())
    record.fields.emplace_back("WARC-IP-Address", in_one_line(snapshot.remote_address));
  if (!is_unmodified) record.fields.emplace_back("WARC-Payload-Digest", original.payload_digest);
  const WarcWriter::Written written = writer_.write(record);
  ++result_.responses;
  add_to_index(url, snapshot, true, original.payload_digest, written);
  write_request(url, snapshot.fetched_at, snapshot.remote_address, written.id);
  return written.id;
}

void WarcExporter::write_request(const parser::Url& url, Timestamp date, const std::string& address,
                                 const std::string& response) {
  NewWarcRecord request{.type = "request",
                        .target_uri = std::string(url.href_without_fragment()),
                        .date = date,
                        .content_type = "application/http; msgtype=request",
                        .fields = {{"WARC-Concurrent-To", response}, {"WARC-Truncated", "unspecified"}},
                        .block = {}};
  if (!address.empty()) request.fields.emplace_back("WARC-IP-Address", in_one_line(address));
  const std::string port = url.port() ? fmt::format(":{}", *url.port()) : std::string();
  request.block = fmt::format("GET {}{}{} HTTP/1.1\r\nHost: {}{}\r\n\r\n", url.path(), url.has_query() ? "?" : "",
                              url.query(), url.host(), port);
  writer_.write(request);
}

void WarcExporter::add_to_index(const parser::Url& url, const Snapshot& snapshot, bool is_revisit,
                                std::string_view digest, const WarcWriter::Written& written) {
  if (!options_.index) return;
  const std::string_view type(snapshot.content_type);
  std::string line = to_surt(url.href()) + " " + digits_of(snapshot.fetched_at) + " ";
  JsonWriter json(line);
  json.begin_object();
  json.member("url", url.href_without_fragment());
  if (is_revisit) {
    json.member("mime", "warc/revisit");
  } else if (!type.empty()) {
    json.member("mime", parser::to_ascii_lower(parser::trim_ascii(type.substr(0, type.find(';')))));
  }
  json.member("status", std::to_string(snapshot.status));
  if (!digest.empty()) json.member("digest", digest);
  json.member("length", std::to_string(written.length));
  json.member("offset", std::to_string(written.offset));
  json.member("filename", options_.file_name);
  json.end_object();
  index_.push_back(std::move(line));
}

ExportedWarc WarcExporter::take_result() {
  std::ranges::sort(index_);
  for (const std::string& line : index_) result_.index.append(line).append(1, '\n');
  return std::move(result_);
}

}  // namespace

NewWarcRecord warc_info(const WarcExport& options, Timestamp date, const std::string& part_of) {
  NewWarcRecord info{.type = "warcinfo",
                     .target_uri = {},
                     .date = date,
                     .content_type = "application/warc-fields",
                     .fields = {},
                     .block = {}};
  if (!options.file_name.empty()) info.fields.emplace_back("WARC-Filename", in_one_line(options.file_name));
  const std::string_view version = enum_name(warc_version_names, options.version);
  info.block = fmt::format(
      "software: {}\r\nformat: WARC File Format {}\r\nconformsTo: "
      "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-{}/\r\nisPartOf: {}\r\ndescription: "
      "Link checks. Bodies are decoded: the original Content-Encoding, Transfer-Encoding and Content-Length are in "
      "X-Orig-... fields. Secrets in headers are replaced with ***. Requests and redirects contain only what was "
      "stored of them. A check that found the same as an earlier one has the headers of the earlier one.\r\n",
      options.software, version, version, part_of);
  return info;
}

NewWarcRecord warc_answer(const Snapshot& snapshot, const parser::Url& url, const std::string* body) {
  NewWarcRecord record{.type = "response",
                       .target_uri = std::string(url.href_without_fragment()),
                       .date = snapshot.fetched_at,
                       .content_type = "application/http; msgtype=response",
                       .fields = {},
                       .block = http_head(snapshot, body == nullptr ? 0 : body->size())};
  if (!snapshot.remote_address.empty())
    record.fields.emplace_back("WARC-IP-Address", in_one_line(snapshot.remote_address));
  if (!snapshot.is_body_complete || (body == nullptr && may_have_body(snapshot)))
    record.fields.emplace_back("WARC-Truncated", "unspecified");
  if (body == nullptr) return record;
  record.fields.emplace_back("WARC-Payload-Digest", warc_digest(*body));
  record.block += *body;
  return record;
}

ExportedWarc write_warc(std::ostream& out, const LinkHistory& history, const CheckedLinks& links, const Run& run,
                        const WarcExport& options) {
  WarcExporter exporter(out, history, options);
  links.for_each([&](std::size_t, const CheckedLink& link) { exporter.count(link); });
  exporter.counted();
  exporter.write_info(run);
  links.for_each([&](std::size_t, const CheckedLink& link) { exporter.write(link); });
  return exporter.take_result();
}

std::string to_surt(std::string_view text) {
  const std::optional<parser::Url> url = target_of(text);
  if (!url) return std::string(text);
  std::string_view host = url->host();
  std::string_view rest = host.substr(std::min<std::size_t>(3, host.size()));
  while (!rest.empty() && parser::is_ascii_digit(rest.front())) rest.remove_prefix(1);
  if (host.starts_with("www") && rest.starts_with('.')) host = rest.substr(1);
  std::string key;
  if (url->host_kind() != parser::HostKind::ipv6) {
    while (!host.empty()) {
      const std::size_t dot = host.rfind('.');
      const std::size_t start = dot == std::string_view::npos ? 0 : dot + 1;
      if (!key.empty()) key += ',';
      key += host.substr(start);
      host = host.substr(0, start == 0 ? 0 : dot);
    }
  } else {
    key = host;
  }
  if (url->port()) key += fmt::format(":{}", *url->port());
  std::string path = parser::to_ascii_lower(url->path());
  if (path.size() > 1 && path.ends_with('/')) path.pop_back();
  key.append(1, ')').append(path);
  std::string query = parser::to_ascii_lower(url->query());
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < query.size();) {
    const std::size_t end = std::min(query.find('&', begin), query.size());
    parts.push_back(query.substr(begin, end - begin));
    begin = end + 1;
  }
  std::ranges::sort(parts, {}, [](const std::string& part) {
    const std::size_t name = std::min(part.find('='), part.size());
    return std::pair(part.substr(0, name), part.substr(name));
  });
  char separator = '?';
  for (const std::string& part : parts) key.append(1, std::exchange(separator, '&')).append(part);
  return key;
}

}  // namespace linkherd::storage
