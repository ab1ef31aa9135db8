// Generates texts that stress a URL parser: combined from special characters and mutated from real URLs. The same seed
// gives the same texts. All are well-formed UTF-8, because Node's strings hold nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>

namespace linkherd::parser {

struct UrlText {
  std::string text;
  std::optional<std::string> base;
};

class UrlGenerator {
 public:
  explicit UrlGenerator(std::uint64_t seed) : random_(seed) {}

  UrlText next();

 private:
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }
  std::string code_point();
  std::string piece();
  std::string pieces(std::size_t max_count);
  std::string host();
  std::string mutated();

  std::mt19937_64 random_;
};

}  // namespace linkherd::parser
