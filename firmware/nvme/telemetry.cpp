#include "firmware/nvme/telemetry.h"

#include <cstring>

#include "firmware/nvme/little_endian.h"

namespace twinplane::fw {

void Telemetry::capture(const HealthSources& sources, const ErrorLog& errors) {
  std::memset(data_, 0, sizeof data_);
  write_flash_statistics_page(data_, sources.flash);
  write_health_page(data_ + kBlock, sources);
  errors.write_newest(data_ + 2 * kBlock, kBlock / sizeof(ErrorEntry));
  captured_ = true;
}

void Telemetry::write_host_page(std::uint8_t* page) const {
  put(page, 0, log_id::telemetry_host);
  for (std::uint16_t area = 0; area < kDataBlocks; ++area) // last blocks of the areas
    put(page, 8 + 2u * area, captured_ ? static_cast<std::uint16_t>(area + 1) : std::uint16_t{0});
  if (captured_) std::memcpy(page + kBlock, data_, sizeof data_);
}

void Telemetry::write_controller_page(std::uint8_t* page) {
  put(page, 0, log_id::telemetry_controller);
}

} // namespace twinplane::fw
