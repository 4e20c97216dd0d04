// AdminCommands: Get Log Page (NVMe 1.4 section 5.14).
#include "firmware/nvme/admin_commands.h"
#include "firmware/nvme/identify.h"
#include "firmware/nvme/little_endian.h"

namespace twinplane::fw {

namespace {

// What is asked for.
struct LogRequest {
  explicit LogRequest(const nvme::Sqe& sqe)
      : id(static_cast<std::uint8_t>(sqe.cdw10 & 0xFF)),
        creates((sqe.cdw10 & 1u << 8) != 0),
        retain_event((sqe.cdw10 & 1u << 15) != 0),
        bytes(((std::uint64_t{sqe.cdw11 & 0xFFFF} << 16 | sqe.cdw10 >> 16) + 1) * 4),
        offset(std::uint64_t{sqe.cdw13} << 32 | sqe.cdw12) {}
  /// Telemetry comes in blocks.
  [[nodiscard]] bool is_aligned() const {
    const bool blocks = id == log_id::telemetry_host || id == log_id::telemetry_controller;
    return offset % 4 == 0 &&
           (!blocks || (offset % Telemetry::kBlock == 0 && bytes % Telemetry::kBlock == 0));
  }
  std::uint8_t id;
  bool creates; // telemetry
  bool retain_event;
  std::uint64_t bytes;
  std::uint64_t offset;
};

// Section 8.15.
constexpr bool is_beside_sanitize(std::uint8_t id) {
  return id == log_id::error || id == log_id::health || id == log_id::changed_namespaces ||
         id == log_id::sanitize;
}

} // namespace

void AdminCommands::get_log_page(Command& command) {
  const LogRequest log(command.sqe);
  if ((command.sqe.nsid != 0 && command.sqe.nsid != kAllNamespaces) || !log.is_aligned() ||
      log.bytes > services_->config.max_transfer_bytes()) {
    services_->finish(command, nvme::status::invalid_field);
    return;
  }
  if (!is_beside_sanitize(log.id) && sanitize_.refusal() != nvme::status::success) {
    services_->finish(command, sanitize_.refusal());
    return;
  }
  std::uint8_t* page = services_->transfers.take(command);
  if (page == nullptr) return;
  if (log.id == log_id::telemetry_host && log.creates)
    telemetry_.capture(health_sources(), services_->errors);
  const std::uint32_t length = write_log(page, log.id);
  if (length == 0 || log.offset > length) {
    services_->transfers.give(command);
    services_->finish(command, length == 0 ? nvme::status::log_page : nvme::status::invalid_field);
    return;
  }
  const std::uint64_t rest = length - log.offset;
  const std::uint64_t bytes =
      log.bytes < rest ? log.bytes : rest; // behind the page: undefined by the standard
  if (bytes == 0) {
    services_->transfers.give(command);
  } else {
    services_->transfers.send(command, static_cast<std::uint32_t>(log.offset),
                              static_cast<std::uint32_t>(bytes));
  }
  services_->finish(command, nvme::status::success);
  if (!log.retain_event) services_->events.log_read(log.id);
}

std::uint32_t AdminCommands::write_log(std::uint8_t* page, std::uint8_t id) const {
  constexpr std::uint32_t kShortPage = 512;
  switch (id) {
    case log_id::error:
      services_->errors.write_page(page);
      return ErrorLog::kEntries * sizeof(ErrorEntry);
    case log_id::health:
      write_health_page(page, health_sources());
      return kShortPage;
    case log_id::firmware_slot:
      write_firmware_slot_page(page, services_->config);
      return kShortPage;
    case log_id::changed_namespaces: // none ever changes
      return kLogPageBytes;
    case log_id::self_test:
      self_test_.write_page(page);
      return SelfTest::kPageBytes;
    case log_id::telemetry_host:
      telemetry_.write_host_page(page);
      return Telemetry::kPageBytes;
    case log_id::telemetry_controller:
      Telemetry::write_controller_page(page);
      return Telemetry::kBlock;
    case log_id::sanitize:
      if (!services_->config.sanitizes) return 0;
      sanitize_.write_page(page);
      return Sanitize::kPageBytes;
    case log_id::command_effects:
      write_effects(page);
      return kLogPageBytes;
    case log_id::flash_statistics:
      write_flash_statistics_page(page, services_->storage->statistics());
      return kShortPage;
    default:
      return 0;
  }
}

// Section 5.14.1.5: a word per admin opcode, then one per I/O opcode.
void AdminCommands::write_effects(std::uint8_t* page) const {
  constexpr std::uint32_t kIoWords = 1024;
  for (const SupportedCommand& command : kAdminCommands) {
    if (is_offered(command.opcode, services_->config)) put(page, command.opcode * 4u, command.effects);
  }
  for (const SupportedCommand& command : kIoCommands)
    put(page, kIoWords + command.opcode * 4u, command.effects);
}

HealthSources AdminCommands::health_sources() const {
  return {services_->health, services_->config, services_->storage->statistics(), services_->errors.count(),
          services_->hal->now_ps()};
}

} // namespace twinplane::fw
