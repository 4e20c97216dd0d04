// Names of the parameters of tests, as the third argument of INSTANTIATE_TEST_SUITE_P: a test is found by what is
// particular to it, and has the same name in each run.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <ostream>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "hw/spec/geometry.h"
#include "hw/spec/page_order.h"

namespace twinplane {

// What googletest would print as bytes.
inline void PrintTo(CellType cell, std::ostream* out) {
  *out << static_cast<int>(cell) << " bits per cell";
}
inline void PrintTo(PageTable table, std::ostream* out) {
  *out << "page table " << static_cast<int>(table);
}
inline void PrintTo(ProgramOrder order, std::ostream* out) {
  *out << "program order " << static_cast<int>(order);
}

} // namespace twinplane

namespace twinplane::test {

namespace parameter_names {

template <class T, class = void>
struct HasName : std::false_type {};
template <class T>
struct HasName<T, std::void_t<decltype(std::string(std::declval<const T&>().name))>> : std::true_type {};

template <class T, class = void>
struct IsNamedBeside : std::false_type {};
template <class T>
struct IsNamedBeside<T, std::void_t<decltype(name_of(std::declval<const T&>()))>> : std::true_type {};

template <class T, class = void>
struct IsPrinted : std::is_arithmetic<T> {};
template <class T>
struct IsPrinted<T, std::void_t<decltype(std::declval<std::ostream&>() << std::declval<const T&>())>>
    : std::true_type {};

template <class T, class = void>
struct IsList : std::false_type {};
template <class T>
struct IsList<T, std::void_t<decltype(std::declval<const T&>().begin())>> : std::true_type {};

template <class T>
std::string text_of(const T& parameter) {
  if constexpr (HasName<T>::value) {
    return parameter.name;
  } else if constexpr (IsNamedBeside<T>::value) {
    return name_of(parameter);
  } else if constexpr (std::is_convertible_v<T, std::string>) {
    return parameter;
  } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    return std::to_string(parameter);
  } else if constexpr (IsPrinted<T>::value) {
    return ::testing::PrintToString(parameter);
  } else if constexpr (std::is_enum_v<T>) {
    return std::to_string(static_cast<long long>(parameter));
  } else if constexpr (IsList<T>::value) {
    std::string all;
    for (const auto& part : parameter) all += (all.empty() ? "" : "_") + text_of(part);
    return all;
  } else {
    return std::apply([](const auto&... part) { return (... + ("_" + text_of(part))).substr(1); }, parameter);
  }
}

} // namespace parameter_names

/// The parameter's member `name`, what name_of() beside its type says, or its value, in the characters that
/// names of tests may have. Where others, or the rest of a long text, had to go its number tells it apart.
struct ParameterName {
  static constexpr std::size_t kLongest = 40;
  template <class T>
  std::string operator()(const ::testing::TestParamInfo<T>& info) const {
    std::string name = parameter_names::text_of(info.param);
    bool complete = !name.empty() && name.size() <= kLongest;
    name.resize(std::min(name.size(), kLongest));
    for (char& c : name) {
      const bool kept =
          (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
      complete = complete && kept;
      if (!kept) c = '_';
    }
    return complete ? name : name + "_" + std::to_string(info.index);
  }
};
constexpr ParameterName parameter_name{};

} // namespace twinplane::test
