// How many bytes the host wrote, and how many were programmed for it: write amplification is their quotient.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "firmware/ftl/statistics.h"

namespace twinplane::platform {

/// Sizes that turn the firmware's counts into bytes.
struct PageSizes {
  std::uint32_t page_bytes = 0;   // without the spare area
  std::uint32_t sector_bytes = 0; // of a logical block
};

struct WriteVolume {
  std::uint64_t host_bytes = 0;
  std::array<std::uint64_t, fw::kProgramCauses> programmed{}; // bytes by cause; partial programs in part
  std::uint64_t host_pages = 0;                               // page writes of the host, whole or in part
  std::uint64_t programmed_pages = 0;                         // for any cause; partial programs in full

  std::uint64_t programmed_bytes() const;
  /// Bytes programmed per byte that the host wrote; of nothing written none.
  std::optional<double> amplification() const;
  std::optional<double> amplification_by(fw::ProgramCause cause) const;
  /// Pages programmed per page write of the host. A write of a part of a page counts as one.
  std::optional<double> page_ratio() const;
};

/// For any cause; programs of parts of pages in full.
std::uint64_t programmed_pages(const fw::FtlStatistics& counters);
WriteVolume write_volume(const fw::FtlStatistics& counters, const PageSizes& sizes);
/// What was written between two points.
WriteVolume operator-(const WriteVolume& end, const WriteVolume& begin);

} // namespace twinplane::platform
