// Generates texts that exercise a URL parser, built from significant fragments or mutated from real URLs. The same seed
// gives the same texts. All texts are well-formed UTF-8, because Node's strings cannot hold anything else.
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
