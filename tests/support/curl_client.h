// Sends one synchronous request with libcurl, to test the scripted servers themselves.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "tests/support/small_internet.h"

namespace linkherd::tests {

struct ClientRequest {
  std::string url;
  std::vector<std::string> headers;  // "Name: value"
  bool head = false;
  std::chrono::milliseconds timeout = std::chrono::seconds(30);
  std::size_t max_bytes = 1 << 20;    // of the body; the client disconnects after them
  std::string address = "127.0.0.1";  // to connect to, at the ports of the SmallInternet
};

struct ClientResponse {
  int curl_code = 0;  // CURLcode
  long status = 0;
  long verify_result = 0;  // X509_V_ERR_*
  std::string head;
  std::string body;
};

ClientResponse get(const SmallInternet& internet, const ClientRequest& request);
inline ClientResponse get(const SmallInternet& internet, const std::string& url) {
  ClientRequest request;
  request.url = url;
  return get(internet, request);
}

}  // namespace linkherd::tests
