// What CLI11 lets through and this program does not.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>

namespace twinplane::platform::cli {

constexpr std::int64_t kMostNumber = std::numeric_limits<std::int64_t>::max();

constexpr std::int64_t kLeastNumber =
    std::numeric_limits<std::int64_t>::min(); // what is refused later, by its key

/// For an option of a whole number: conversion would saturate what does not fit, and let -1 wrap around.
CLI::Validator whole_number(std::int64_t least, std::int64_t most = kMostNumber);

/// For an option of a number that is not 0 and not below.
CLI::Validator above_zero();

/// Refuses an option of the command, or of one below it, that was given with an empty value: it would count as
/// not given. --blocks-options may be empty.
void refuse_empty_values(CLI::App& command);

} // namespace twinplane::platform::cli
