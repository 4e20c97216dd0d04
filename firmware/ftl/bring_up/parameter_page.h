// What a target's parameter page says, against what the firmware was built for.
#pragma once

#include <cstdint>

#include "firmware/ftl/bring_up/refusal.h"
#include "firmware/ftl/config.h"

namespace twinplane::fw {

/// P1 of feature 01h for the bus of the configuration.
std::uint32_t timing_parameter(const FtlConfig& config);
/// The interface falls back to SDR mode 0 with FFh: not where the supply allows nothing but the faster ones.
bool falls_back(const FtlConfig& config);

/// The first of `copies` whose CRC is right; null: none is.
const std::uint8_t* intact_copy(const std::uint8_t* pages, std::uint32_t copies);

/// The first field that differs; its name is null when none does. Features are asked for that the firmware
/// uses.
Refusal::Field compare(const std::uint8_t* page, const FtlConfig& config);

} // namespace twinplane::fw
