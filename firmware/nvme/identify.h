// Identify data structures (NVMe 1.4 section 5.15.2), 4096 bytes each. `page` is zeroed by the caller.
#pragma once

#include <cstdint>

#include "firmware/nvme/config.h"
#include "firmware/nvme/supported.h"

namespace twinplane::fw {

/// The only namespace.
constexpr std::uint32_t kNsid = 1;
constexpr std::uint32_t kAllNamespaces = 0xFFFFFFFFu;

void write_identify_controller(std::uint8_t* page, const NvmeConfig& config, std::uint64_t sectors);

struct NamespaceSize {
  std::uint64_t sectors; // NSZE and NCAP
  std::uint64_t used;    // NUSE
};
void write_identify_namespace(std::uint8_t* page, const NvmeConfig& config, const NamespaceSize& size);

/// Namespaces with an identifier greater than `after`, ascending.
void write_active_namespaces(std::uint8_t* page, std::uint32_t after);

/// EUI64, NGUID and UUID of the namespace, all derived from the serial number.
void write_namespace_descriptors(std::uint8_t* page, const NvmeConfig& config);

} // namespace twinplane::fw
