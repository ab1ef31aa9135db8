#include "tests/end_to_end/planted_sites.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <stdexcept>

#include "tests/end_to_end/page_template.h"
#include "tests/end_to_end/site_shapes.h"
#include "tests/support/temp_dir.h"

namespace linkherd::tests {
namespace {

constexpr const char* youtube_video = "/watch?v=U0s0f995w14&t=824s";
constexpr const char* slow_post = "/blog/2024/flash3/";

std::string host_of(const std::string& url) { return planted_facts(url, Language::english).host; }
std::string path_of(const std::string& url) { return planted_facts(url, Language::english).path; }
std::string target_of(const std::string& url) { return url.substr(url.find('/', url.find("://") + 3)); }

Page pdf() {
  Page page = html_page("%PDF-1.4\n1 0 obj\n<</Type/Catalog>>\nendobj\n%%EOF\n", "application/pdf");
  return page;
}

Page ordinary_page(const std::string& url) {
  const SiteShape* const shape = shape_of(host_of(url), path_of(url));
  if (shape == nullptr) return status_page(404);
  if (shape->page == "pdf") return pdf();
  Page page = html_page(filled_template(std::string(shape->page), placeholders(facts_of(*shape, url))));
  page.headers.emplace_back("ETag", "\"" + std::to_string(std::hash<std::string>()(page.body)) + "\"");
  return page;
}

void plant(SmallInternet& internet, const SpecialCase& special) {
  for (const Hop& hop : special.hops) {
    // Only the URL with the scheme of this hop is redirected. A redirect from http to https is a separate hop.
    HostScript& host = internet.host(host_of(hop.from));
    if (hop.from.starts_with("https:")) host.page(target_of(hop.from), redirect_page(hop.status, hop.to));
  }
  const std::string end = special.hops.empty() ? special.url : special.hops.back().to;
  if (!special.answers.empty()) internet.host(host_of(end)).pages(target_of(end), special.answers);
}

std::optional<Harvest> ordinary_harvest(const std::string& url) {
  const SiteShape* const shape = shape_of(host_of(url), path_of(url));
  if (shape == nullptr) throw std::logic_error("nothing is planted at " + url);
  return harvest_of(*shape, facts_of(*shape, url));
}

// The article and its copy are special, because neither has the shape of its site.
std::optional<Harvest> syndicated_harvest(const std::string& url) {
  const std::string original = "https://www.cnblogs.com/rossiXYZ/p/15840803.html";
  if (url != original && url != "https://juejin.cn/post/7057837676430360584") return std::nullopt;
  SiteShape shape = *shape_of(host_of(original), path_of(original));
  shape.date = DateForm::china;
  return harvest_of(shape, facts_of(shape, original));
}

}  // namespace

void plant_sites(SmallInternet& internet) {
  const auto answer = [](const ReceivedRequest& request) {
    if (request.target.find("/linkherd-control-") != std::string::npos) return status_page(404);
    if (!request.tls) return redirect_page(301, "https://" + request.host + request.target);
    return ordinary_page(request.url());
  };
  for (const SiteShape& shape : site_shapes()) internet.host(std::string(shape.host)).handler(answer);
  for (const SpecialCase& special : special_cases()) {
    if (special.reason != "dns_not_found") plant(internet, special);
  }
  internet.dns("open.atatech.org", dns_failure(DnsKind::not_found));
  internet.tls("fazzie-key.cool", CertificateKind::expired);

  Page slow = ordinary_page(std::string("https://tridao.me") + slow_post);
  slow.delay = std::chrono::milliseconds(1000);
  internet.host("tridao.me").page(slow_post, slow);
  internet.host("www.youtube.com")
      .pages(youtube_video, {status_page(429, {{"Retry-After", "1"}}),
                             ordinary_page(std::string("https://www.youtube.com") + youtube_video)});
}

Expectation expectation_of(const std::string& url) {
  const std::vector<SpecialCase> cases = special_cases();
  const auto special = std::ranges::find(cases, url, &SpecialCase::url);
  if (special == cases.end()) return {"alive", "ok", {}, ordinary_harvest(url)};
  Expectation expected{special->health, special->reason, special->hops, std::nullopt};
  if (special->has_page) expected.harvest = ordinary_harvest(special->hops.empty() ? url : special->hops.back().to);
  if (const auto syndicated = syndicated_harvest(url)) expected.harvest = syndicated;
  return expected;
}

std::vector<std::string> written_links(const std::string& folder) {
  std::vector<std::string> links;
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.insert(entry.path());
  for (const std::filesystem::path& file : files) {
    const std::string text = read_file(file);
    if (file.extension() == ".md") {
      for (std::size_t at = text.find("]("); at != std::string::npos; at = text.find("](", at + 1)) {
        links.push_back(text.substr(at + 2, text.find(')', at) - at - 2));
      }
    } else {
      std::istringstream lines(text);
      for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("http")) links.push_back(line);
      }
    }
  }
  return links;
}

std::string checked_url(const std::string& written) {
  const std::string absolute = written.find("://") == std::string::npos ? "https://" + written : written;
  return absolute.substr(0, absolute.find('#'));
}

}  // namespace linkherd::tests
