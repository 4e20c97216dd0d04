#include "platform/report/write_volume.h"

#include <iterator>
#include <numeric>

namespace twinplane::platform {
namespace {

std::optional<double> quotient(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

} // namespace

std::uint64_t WriteVolume::programmed_bytes() const {
  return std::accumulate(programmed.begin(), programmed.end(), std::uint64_t{0});
}

std::optional<double> WriteVolume::amplification() const {
  return quotient(programmed_bytes(), host_bytes);
}

std::optional<double> WriteVolume::amplification_by(fw::ProgramCause cause) const {
  return quotient(programmed[static_cast<std::size_t>(cause)], host_bytes);
}

std::optional<double> WriteVolume::page_ratio() const {
  return quotient(programmed_pages, host_pages);
}

std::uint64_t programmed_pages(const fw::FtlStatistics& counters) {
  return std::accumulate(std::begin(counters.pages_programmed), std::end(counters.pages_programmed),
                         std::uint64_t{0});
}

WriteVolume write_volume(const fw::FtlStatistics& counters, const PageSizes& sizes) {
  WriteVolume v;
  v.host_bytes = counters.host_sectors_written * sizes.sector_bytes;
  v.host_pages = counters.host_pages_written;
  v.programmed_pages = programmed_pages(counters);
  for (std::size_t cause = 0; cause < fw::kProgramCauses; ++cause) {
    const std::uint64_t pages = counters.pages_programmed[cause];
    v.programmed[cause] = pages * sizes.page_bytes - counters.sectors_left_out[cause] * sizes.sector_bytes;
  }
  return v;
}

WriteVolume operator-(const WriteVolume& end, const WriteVolume& begin) {
  WriteVolume v = end;
  v.host_bytes -= begin.host_bytes;
  v.host_pages -= begin.host_pages;
  v.programmed_pages -= begin.programmed_pages;
  for (std::size_t cause = 0; cause < fw::kProgramCauses; ++cause)
    v.programmed[cause] -= begin.programmed[cause];
  return v;
}

} // namespace twinplane::platform
