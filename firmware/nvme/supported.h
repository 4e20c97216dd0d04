// What of NVM Express 1.4 the firmware does: commands, features, log pages, identify structures. Whatever is
// not here is refused. docs/nvme.md tells what each of them does.
#pragma once

#include <cstdint>

#include "firmware/nvme/config.h"
#include "hw/spec/nvme.h"

namespace twinplane::fw {

/// Commands supported and effects (figure 203).
namespace effect {
constexpr std::uint32_t supported = 1u << 0;
constexpr std::uint32_t content = 1u << 1; // LBCC
constexpr std::uint32_t alone = 2u << 16;  // CSE: no other command to any namespace meanwhile
} // namespace effect

struct SupportedCommand {
  std::uint8_t opcode;
  std::uint32_t effects;
};

constexpr SupportedCommand kAdminCommands[] = {
    {nvme::admin::delete_sq, effect::supported},
    {nvme::admin::create_sq, effect::supported},
    {nvme::admin::get_log_page, effect::supported},
    {nvme::admin::delete_cq, effect::supported},
    {nvme::admin::create_cq, effect::supported},
    {nvme::admin::identify, effect::supported},
    {nvme::admin::abort, effect::supported},
    {nvme::admin::set_features, effect::supported},
    {nvme::admin::get_features, effect::supported},
    {nvme::admin::async_event, effect::supported},
    {nvme::admin::self_test, effect::supported},
    {nvme::admin::doorbell_buffers, effect::supported},
    {nvme::admin::format, effect::supported | effect::content | effect::alone},
    {nvme::admin::sanitize, effect::supported | effect::content | effect::alone},
};

/// Some are there by configuration.
constexpr bool is_offered(std::uint8_t admin_opcode, const NvmeConfig& config) {
  if (admin_opcode == nvme::admin::sanitize) return config.sanitizes;
  return admin_opcode != nvme::admin::doorbell_buffers || config.shadow_doorbells;
}

constexpr SupportedCommand kIoCommands[] = {
    {nvme::io::flush, effect::supported},
    {nvme::io::write, effect::supported | effect::content},
    {nvme::io::read, effect::supported},
    {nvme::io::write_uncorrectable, effect::supported | effect::content},
    {nvme::io::compare, effect::supported},
    {nvme::io::write_zeroes, effect::supported | effect::content},
    {nvme::io::dataset_management, effect::supported | effect::content},
    {nvme::io::verify, effect::supported},
};

namespace identify_cns {
constexpr std::uint8_t name_space = 0x00;
constexpr std::uint8_t controller = 0x01;
constexpr std::uint8_t active_namespaces = 0x02;
constexpr std::uint8_t descriptors = 0x03;
} // namespace identify_cns
constexpr std::uint8_t kIdentifyStructures[] = {identify_cns::name_space, identify_cns::controller,
                                                identify_cns::active_namespaces, identify_cns::descriptors};

namespace feature_id {
constexpr std::uint8_t arbitration = 0x01;
constexpr std::uint8_t power_management = 0x02;
constexpr std::uint8_t temperature_threshold = 0x04;
constexpr std::uint8_t error_recovery = 0x05;
constexpr std::uint8_t volatile_write_cache = 0x06; // where there is one
constexpr std::uint8_t number_of_queues = 0x07;
constexpr std::uint8_t interrupt_coalescing = 0x08;
constexpr std::uint8_t interrupt_vector = 0x09;
constexpr std::uint8_t write_atomicity = 0x0A;
constexpr std::uint8_t async_event = 0x0B;
constexpr std::uint8_t timestamp = 0x0E;
} // namespace feature_id
constexpr std::uint8_t kFeatureIds[] = {feature_id::arbitration,
                                        feature_id::power_management,
                                        feature_id::temperature_threshold,
                                        feature_id::error_recovery,
                                        feature_id::volatile_write_cache,
                                        feature_id::number_of_queues,
                                        feature_id::interrupt_coalescing,
                                        feature_id::interrupt_vector,
                                        feature_id::write_atomicity,
                                        feature_id::async_event,
                                        feature_id::timestamp};

namespace log_id {
constexpr std::uint8_t error = 0x01;
constexpr std::uint8_t health = 0x02;
constexpr std::uint8_t firmware_slot = 0x03;
constexpr std::uint8_t changed_namespaces = 0x04;
constexpr std::uint8_t command_effects = 0x05;
constexpr std::uint8_t self_test = 0x06;
constexpr std::uint8_t telemetry_host = 0x07;
constexpr std::uint8_t telemetry_controller = 0x08;
constexpr std::uint8_t sanitize = 0x81;         // where config.sanitizes
constexpr std::uint8_t flash_statistics = 0xC0; // vendor's
} // namespace log_id
constexpr std::uint8_t kLogPages[] = {
    log_id::error,           log_id::health,          log_id::firmware_slot,  log_id::changed_namespaces,
    log_id::command_effects, log_id::self_test,       log_id::telemetry_host, log_id::telemetry_controller,
    log_id::sanitize,        log_id::flash_statistics};

} // namespace twinplane::fw
