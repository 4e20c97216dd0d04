// How registry rows are written: types and field accessors. Only the registry_*.cpp files need this.
#pragma once

#include <array>
#include <type_traits>

#include "platform/config/registry.h"

namespace twinplane::platform::rows {

template <typename T>
Field field_of(T& field) {
  if constexpr (std::is_enum_v<T>) {
    static_assert(sizeof(T) == 1, "configuration enums have an 8-bit underlying type");
    return WordRef{reinterpret_cast<unsigned char*>(&field)};
  } else {
    return &field;
  }
}

/// Accessor of a nested member: at<&Config::nand, &NandKeys::slc, &SlcModeKeys::tR>.
template <auto... Members>
Field at(Config& config) {
  return field_of((config.*....*Members));
}

constexpr Type limited(Kind kind, double min, double max) {
  return {kind, min, max, nullptr, 0, nullptr};
}
constexpr Type boolean() {
  return limited(Kind::boolean, 0, 1);
}
constexpr Type count(double min, double max) {
  return limited(Kind::count, min, max);
}
constexpr Type text() {
  return limited(Kind::text, 0, 0);
}
constexpr Type time(TimePs min, TimePs max) {
  return limited(Kind::time, static_cast<double>(min), static_cast<double>(max));
}
constexpr Type times(TimePs min, TimePs max) {
  return limited(Kind::time_list, static_cast<double>(min), static_cast<double>(max));
}
constexpr Type share(double min, double max) {
  return limited(Kind::fraction, min, max);
}

template <std::size_t N>
constexpr Type word(const std::array<Word, N>& words) {
  return {Kind::word, 0, 0, words.data(), N, nullptr};
}
constexpr Type name(const std::vector<std::string>& (*names)()) {
  return {Kind::name, 0, 0, nullptr, 0, names};
}

template <typename E>
constexpr Word entry(std::string_view text, E value) {
  return {text, static_cast<std::uint8_t>(value)};
}

using Rows = std::vector<Parameter>;
void add_device_rows(Rows& rows);
void add_system_rows(Rows& rows);

} // namespace twinplane::platform::rows
