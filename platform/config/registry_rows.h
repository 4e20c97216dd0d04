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
  Type type;
  type.kind = kind;
  type.min = min;
  type.max = max;
  return type;
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
  Type type = limited(Kind::word, 0, 0);
  type.words = words.data();
  type.word_count = N;
  return type;
}

constexpr Type name(const std::vector<std::string>& (*names)(),
                    bool (*accepts)(const std::string&) = nullptr) {
  Type type = limited(Kind::name, 0, 0);
  type.names = names;
  type.accepts = accepts;
  return type;
}

template <typename E>
constexpr Word entry(std::string_view text, E value) {
  return {text, static_cast<std::uint8_t>(value)};
}

using Rows = std::vector<Parameter>;
void add_device_rows(Rows& rows);
void add_system_rows(Rows& rows);
/// Parts of the sections [nand] and [controller].
void add_error_rows(Rows& rows);
void add_ecc_rows(Rows& rows);
/// Part of the section [ftl], and all of [broms].
void add_region_rows(Rows& rows);
void add_broms_rows(Rows& rows);
/// Part of the section [cpu].
void add_firmware_rows(Rows& rows);
/// All sections of features.
void add_feature_rows(Rows& rows);
/// All of [power].
void add_power_rows(Rows& rows);
/// All of [energy].
void add_energy_rows(Rows& rows);
/// All of [slc_cache].
void add_slc_cache_rows(Rows& rows);

} // namespace twinplane::platform::rows
