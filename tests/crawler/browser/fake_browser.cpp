// A fake Chromium for tests. Its own name, such as "chromium-hangs", says how it behaves. It writes what a test wants
// to know beside itself, into files whose names begin with its own: NAME.home, NAME.child, NAME.starts and NAME.visits.
// It shows the page in NAME.page, a JSON object with "url", "html" and "status", or else a page of its own.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include <boost/json/src.hpp>  // a copy of its own, without sanitizers
#include <unistd.h>

namespace {

namespace json = boost::json;

constexpr int command_descriptor = 3;
constexpr int answer_descriptor = 4;

// Ends the program if linkherd has gone.
void write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(answer_descriptor, bytes.data(), bytes.size());
    if (written <= 0) std::exit(EXIT_SUCCESS);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void send(const json::object& message) {
  std::string text = json::serialize(message);
  text.push_back('\0');
  write_all(text);
}

json::object shown_page(const std::string& own_path) {
  std::ifstream in(own_path + ".page");
  std::stringstream text;
  text << in.rdbuf();
  if (!in) return {{"url", "http://a.test/end"}, {"html", "<p>fake page</p>"}, {"status", 203}};
  return json::parse(text.str()).as_object();
}

// Returns another text each time, as for a page that never stops changing.
std::string restless_sample() {
  static int samples = 0;
  return "complete " + std::to_string(++samples);
}

json::object result_of(std::string_view method, const json::object& params, const json::object& page,
                       std::string_view behaviour) {
  if (method == "Browser.getVersion") {
    return {{"product", behaviour == "firefox" ? "Firefox/150" : "HeadlessChrome/156.0"}, {"userAgent", "Fake/1.0"}};
  }
  if (method == "Target.createBrowserContext") return {{"browserContextId", "context"}};
  if (method == "Target.createTarget") return {{"targetId", "target"}};
  if (method == "Target.attachToTarget") return {{"sessionId", "session"}};
  if (method == "Page.createIsolatedWorld") return {{"executionContextId", 7}};
  if (method != "Runtime.evaluate") return {};
  const bool reads_page = params.at("expression").as_string().find("outerHTML") != json::string::npos;
  const json::object value = reads_page
                                 ? json::object{{"url", page.at("url")}, {"html", page.at("html")}}
                                 : json::object{{"sample", behaviour == "restless" ? restless_sample() : "complete 0"}};
  return {{"result", {{"type", "object"}, {"value", value}}}};
}

void send_response_event(const json::object& page) {
  const json::object response{{"status", page.at("status")}, {"headers", {{"Content-Type", "text/html"}}}};
  send({{"method", "Network.responseReceived"},
        {"sessionId", "session"},
        {"params", {{"type", "Document"}, {"frameId", "target"}, {"response", response}}}});
}

void serve(const std::string& own_path, std::string_view behaviour) {
  std::string text;
  char c = 0;
  while (read(command_descriptor, &c, 1) == 1) {
    if (c != '\0') {
      text.push_back(c);
      continue;
    }
    const json::object message = json::parse(text).as_object();
    text.clear();
    const std::string_view method = message.at("method").as_string();
    const json::object& params = message.at("params").as_object();
    const bool is_page_command = method.starts_with("Page.") || method.starts_with("Runtime.");
    if (behaviour == "hangs" || (behaviour == "hangs-on-page" && is_page_command)) continue;
    if (method == "Page.navigate") {
      if (behaviour == "crashes") std::exit(EXIT_FAILURE);
      const std::string marker = own_path + ".crashed";
      if (behaviour == "crashes-once" && !std::filesystem::exists(marker)) {
        std::ofstream(marker) << "once";
        std::exit(EXIT_FAILURE);
      }
      send_response_event(shown_page(own_path));
      std::ofstream(own_path + ".visits", std::ios::app) << params.at("url").as_string() << '\n';
    }
    json::object answer{{"id", message.at("id")},
                        {"result", result_of(method, params, shown_page(own_path), behaviour)}};
    if (message.contains("sessionId")) answer["sessionId"] = message.at("sessionId");
    if (behaviour == "types") answer["result"] = json::array{1, "two"};
    send(answer);
  }
}

}  // namespace

int main(int /*count*/, char** arguments) {
  const std::string own_path = arguments[0];
  const std::string name = std::filesystem::path(own_path).filename();
  const std::string behaviour = name.substr(name.find('-') + 1);
  std::ofstream(own_path + ".starts", std::ios::app) << "started\n";
  std::ofstream(own_path + ".home") << std::getenv("HOME");
  const pid_t child = fork();
  if (child == 0) {
    close(command_descriptor);
    close(answer_descriptor);
    pause();
    return EXIT_SUCCESS;
  }
  std::ofstream(own_path + ".child") << child;
  std::fputs("a first line\nthe last line\n", stderr);
  if (behaviour == "ends") return EXIT_SUCCESS;
  if (behaviour == "rubbish") write_all(std::string_view("hello\0", 6));
  if (behaviour == "deep") write_all(std::string(100'000, '[') + '\0');
  if (behaviour == "flood") {
    while (true) write_all(std::string(1 << 20, 'x'));
  }
  serve(own_path, behaviour);
  return EXIT_SUCCESS;
}
