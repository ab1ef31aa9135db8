// The settings of the browser that checks pages which need one.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "parser/timestamp.h"

namespace linkherd::crawler {

struct BrowserOptions {
  std::string program = "chromium";                   // a path, or a name that is searched for in PATH
  int tabs = 2;                                       // pages at the same time
  Duration start_timeout = std::chrono::seconds(20);  // of the browser itself
  Duration page_timeout = std::chrono::seconds(20);
  std::size_t max_page_traffic = std::size_t{20} << 20;  // bytes that a page may load, with everything in it
  bool loads_images = false;                             // also fonts and media
  bool has_sandbox = true;
};

}  // namespace linkherd::crawler
