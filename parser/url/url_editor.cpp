#include "parser/url/url_editor.h"

#include <array>

#include "parser/url/url_parser.h"

namespace linkherd::parser {

void UrlEditor::replace(std::uint32_t begin, std::uint32_t end, std::string_view text, std::uint32_t Url::*first) {
  constexpr std::array offsets = {&Url::scheme_end_,     &Url::username_start_, &Url::username_end_,
                                  &Url::password_start_, &Url::password_end_,   &Url::host_start_,
                                  &Url::host_end_,       &Url::path_start_,     &Url::path_end_,
                                  &Url::query_start_,    &Url::query_end_,      &Url::fragment_start_};
  url_.href_.replace(begin, end - begin, text);
  const auto moved = static_cast<std::uint32_t>(text.size()) - (end - begin);  // modulo 2^32, like the sums below
  bool is_after = false;
  for (const auto offset : offsets) {
    is_after = is_after || offset == first;
    if (is_after && url_.*offset != Url::npos) url_.*offset += moved;
  }
}

void UrlEditor::set_scheme(std::string_view scheme) {
  replace(0, url_.scheme_end_, scheme, &Url::scheme_end_);
  if (url_.port_ && *url_.port_ == default_port(scheme)) {
    url_.port_.reset();
    replace(url_.host_end_, url_.path_start_, "", &Url::path_start_);
  }
}

void UrlEditor::remove_credentials() {
  replace(url_.username_start_, url_.host_start_, "", &Url::host_start_);
  url_.username_end_ = url_.password_start_ = url_.password_end_ = url_.username_start_;
}

void UrlEditor::set_host(std::string_view host) { replace(url_.host_start_, url_.host_end_, host, &Url::host_end_); }

void UrlEditor::set_path(std::string_view path) { replace(url_.path_start_, url_.path_end_, path, &Url::path_end_); }

void UrlEditor::set_query(std::string_view query) {
  if (!query.empty()) return replace(url_.query_start_, url_.query_end_, query, &Url::query_end_);
  replace(url_.query_start_ - 1, url_.query_end_, "", &Url::fragment_start_);
  url_.query_start_ = url_.query_end_ = Url::npos;
}

void UrlEditor::remove_fragment() {
  url_.href_.resize(url_.fragment_start_ - 1);
  url_.fragment_start_ = Url::npos;
}

}  // namespace linkherd::parser
