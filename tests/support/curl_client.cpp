#include "tests/support/curl_client.h"

#include <memory>

#include <curl/curl.h>

namespace linkherd::tests {
namespace {

struct Body {
  std::string* text;
  std::size_t max_bytes;
};

std::size_t on_body(char* bytes, std::size_t size, std::size_t count, void* body_pointer) {
  auto& body = *static_cast<Body*>(body_pointer);
  body.text->append(bytes, size * count);
  return body.text->size() > body.max_bytes ? 0 : size * count;
}

std::size_t on_header(char* bytes, std::size_t size, std::size_t count, void* head) {
  static_cast<std::string*>(head)->append(bytes, size * count);
  return size * count;
}

class List {
 public:
  ~List() { curl_slist_free_all(list_); }
  List() = default;
  List(const List&) = delete;
  List& operator=(const List&) = delete;
  void add(const std::string& text) { list_ = curl_slist_append(list_, text.c_str()); }
  curl_slist* get() const { return list_; }

 private:
  curl_slist* list_ = nullptr;
};

}  // namespace

ClientResponse get(const SmallInternet& internet, const ClientRequest& request) {
  struct Cleanup {
    void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
  };
  const std::unique_ptr<CURL, Cleanup> handle(curl_easy_init());
  ClientResponse answer;
  Body body{&answer.body, request.max_bytes};
  List headers;
  for (const std::string& header : request.headers) headers.add(header);
  List ways;
  ways.add(":80:" + request.address + ":" + std::to_string(internet.http_port()));
  ways.add(":443:" + request.address + ":" + std::to_string(internet.https_port()));
  CURL* const curl = handle.get();
  curl_easy_setopt(curl, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
  curl_easy_setopt(curl, CURLOPT_CONNECT_TO, ways.get());
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(curl, CURLOPT_NOBODY, request.head ? 1L : 0L);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(request.timeout.count()));
  curl_easy_setopt(curl, CURLOPT_CAINFO, internet.ca_file().c_str());
  curl_easy_setopt(curl, CURLOPT_CAPATH, nullptr);
  curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &body);
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, on_header);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, &answer.head);
  answer.curl_code = curl_easy_perform(curl);
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &answer.status);
  curl_easy_getinfo(curl, CURLINFO_SSL_VERIFYRESULT, &answer.verify_result);
  return answer;
}

}  // namespace linkherd::tests
