#include "reports/ordered_links.h"

#include <algorithm>
#include <ostream>
#include <vector>

namespace linkherd::reports {
namespace {

constexpr std::size_t links_of_batch = 8'192;
constexpr std::size_t bytes_of_batch = std::size_t{16} << 20;
constexpr std::size_t bytes_at_once = std::size_t{64} << 10;

// The texts of the links of a batch, by position; those that there was room for.
class Texts {
 public:
  void read(const storage::CheckedLinks& links, std::span<const std::uint32_t> numbers, std::size_t first,
            const RenderLink& render) {
    text_.clear();
    places_.assign(numbers.size(), {});
    links.for_each_of(numbers, [&](std::size_t position, const storage::CheckedLink& link) {
      const std::size_t begin = text_.size();
      render(first + position, link, text_);
      places_[position] = {begin, text_.size() - begin, true};
      return text_.size() < bytes_of_batch;
    });
  }
  bool has(std::size_t position) const { return places_[position].is_there; }
  std::string_view at(std::size_t position) const {
    return std::string_view(text_).substr(places_[position].begin, places_[position].size);
  }

 private:
  struct Place {
    std::size_t begin = 0;
    std::size_t size = 0;
    bool is_there = false;
  };

  std::string text_;
  std::vector<Place> places_;
};

}  // namespace

void write_in_order(std::ostream& out, const storage::CheckedLinks& links, std::span<const std::uint32_t> numbers,
                    const RenderLink& render, const PlaceLink& place) {
  Texts texts;
  std::string text;
  std::string written;
  for (std::size_t first = 0; first < numbers.size(); first += links_of_batch) {
    const std::span batch = numbers.subspan(first, std::min(links_of_batch, numbers.size() - first));
    texts.read(links, batch, first, render);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (texts.has(i)) {
        place(first + i, texts.at(i), written);
      } else {
        text.clear();
        render(first + i, links.at(batch[i]), text);
        place(first + i, text, written);
      }
      if (written.size() < bytes_at_once) continue;
      out << written;
      written.clear();
    }
  }
  out << written;
}

}  // namespace linkherd::reports
