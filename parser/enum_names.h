// Tables that map the values of an enumeration to names. The names are printed and stored, so they must not change.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace linkherd {

template <class E>
struct EnumName {
  E value;
  std::string_view name;
};

// Returns "unknown" if the table does not contain `value`.
template <class E, std::size_t N>
constexpr std::string_view enum_name(const std::array<EnumName<E>, N>& names, E value) {
  const auto* found = std::ranges::find(names, value, &EnumName<E>::value);
  return found == names.end() ? std::string_view("unknown") : found->name;
}

// Returns nullopt if the table does not contain `name`.
template <class E, std::size_t N>
constexpr std::optional<E> enum_value(const std::array<EnumName<E>, N>& names, std::string_view name) {
  const auto* found = std::ranges::find(names, name, &EnumName<E>::name);
  if (found == names.end()) return std::nullopt;
  return found->value;
}

}  // namespace linkherd
