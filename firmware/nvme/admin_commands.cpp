#include "firmware/nvme/admin_commands.h"

#include <utility>

#include "firmware/nvme/identify.h"
#include "firmware/nvme/little_endian.h"

namespace twinplane::fw {

namespace {

constexpr std::uint8_t kFusedOrSgl = 0xC3; // FUSE, PSDT: neither is supported

std::uint16_t low16(std::uint32_t v) {
  return static_cast<std::uint16_t>(v & 0xFFFF);
}

} // namespace

const AdminCommands::Row AdminCommands::kRows[] = {
    {nvme::admin::delete_sq, &AdminCommands::delete_submission_queue, true},
    {nvme::admin::create_sq, &AdminCommands::create_submission_queue, true},
    {nvme::admin::get_log_page, &AdminCommands::get_log_page, true}, // of some pages
    {nvme::admin::delete_cq, &AdminCommands::delete_completion_queue, true},
    {nvme::admin::create_cq, &AdminCommands::create_completion_queue, true},
    {nvme::admin::identify, &AdminCommands::identify, true},
    {nvme::admin::abort, &AdminCommands::abort, true},
    {nvme::admin::set_features, &AdminCommands::set_features, true},
    {nvme::admin::get_features, &AdminCommands::get_features, true},
    {nvme::admin::async_event, &AdminCommands::async_event, true},
    {nvme::admin::self_test, &AdminCommands::self_test, false},
    {nvme::admin::doorbell_buffers, &AdminCommands::doorbell_buffers, true},
    {nvme::admin::format, &AdminCommands::format, false},
    {nvme::admin::sanitize, &AdminCommands::sanitize, true}, // looks itself
};

void AdminCommands::boot(Services& services, IoCommands& io, std::uint16_t slot) {
  services_ = &services;
  io_ = &io;
  erase_.boot(services, slot);
  self_test_.boot(services, slot);
  sanitize_.boot({services_, io_, &erase_, &self_test_}, slot);
}

void AdminCommands::execute(Command& command) {
  services_->hal->charge(services_->config.cost.admin);
  for (const Row& row : kRows) {
    if (row.opcode != command.sqe.opcode) continue;
    if (const std::uint16_t status = refusal(row, command); status != nvme::status::success) {
      services_->finish(command, status);
    } else {
      (this->*row.handler)(command);
    }
    return;
  }
  services_->finish(command, nvme::status::invalid_opcode);
}

std::uint16_t AdminCommands::refusal(const Row& row, const Command& command) const {
  if (!is_offered(row.opcode, services_->config)) return nvme::status::invalid_opcode;
  if ((command.sqe.flags & kFusedOrSgl) != 0) return nvme::status::invalid_field;
  return row.beside_sanitize ? nvme::status::success : sanitize_.refusal();
}

void AdminCommands::reset() {
  self_test_.end(SelfTest::Result::reset);
  sanitize_.reset();
}

void AdminCommands::recall() {
  sanitize_.recall();
  settle_erase();
}

void AdminCommands::identify(Command& command) {
  const auto cns = static_cast<std::uint8_t>(command.sqe.cdw10 & 0xFF);
  const std::uint32_t nsid = command.sqe.nsid;
  std::uint16_t status = nvme::status::success;
  if (cns > identify_cns::descriptors) {
    status = nvme::status::invalid_field;
  } else if ((cns == identify_cns::name_space || cns == identify_cns::descriptors) && nsid != kNsid) {
    status = nvme::status::invalid_namespace;
  } else if (cns == identify_cns::active_namespaces && nsid >= kAllNamespaces - 1) {
    status = nvme::status::invalid_namespace;
  }
  if (status != nvme::status::success) {
    services_->finish(command, status);
    return;
  }
  std::uint8_t* page = services_->transfers.take(command);
  if (page == nullptr) return;
  const NvmeConfig& config = services_->config;
  const std::uint64_t sectors = services_->storage->exported_sectors();
  const std::uint64_t used =
      services_->storage->statistics().valid_pages * config.geometry.sectors_per_page();
  switch (cns) {
    case identify_cns::name_space:
      write_identify_namespace(page, config, {sectors, used});
      break;
    case identify_cns::controller:
      write_identify_controller(page, config, sectors);
      break;
    case identify_cns::active_namespaces:
      write_active_namespaces(page, nsid);
      break;
    default:
      write_namespace_descriptors(page, config);
      break;
  }
  services_->transfers.send(command, 0, DataTransfers::kBytes);
  services_->finish(command, nvme::status::success);
}

void AdminCommands::create_completion_queue(Command& command) {
  services_->finish(command, services_->queues.create_completion(command.sqe));
}

void AdminCommands::create_submission_queue(Command& command) {
  services_->finish(command, services_->queues.create_submission(command.sqe));
}

void AdminCommands::delete_completion_queue(Command& command) {
  services_->finish(command, services_->queues.delete_completion(low16(command.sqe.cdw10)));
}

void AdminCommands::delete_submission_queue(Command& command) {
  const std::uint16_t id = low16(command.sqe.cdw10);
  const std::uint16_t status = services_->queues.delete_submission(id);
  if (status == nvme::status::success && services_->queues.submission(id).in_flight != 0) {
    command.phase = Phase::deletion;
    services_->queues.submission(id).deletion = &command;
    return;
  }
  services_->finish(command, status);
}

void AdminCommands::doorbell_buffers(Command& command) {
  services_->finish(command, services_->queues.set_doorbell_buffers(command.sqe));
}

void AdminCommands::get_features(Command& command) {
  const Features::Outcome outcome = services_->features.get(command.sqe);
  const bool current_value = (command.sqe.cdw10 >> 8 & 7) == 0;
  const bool has_data = (command.sqe.cdw10 & 0xFF) == feature_id::timestamp && current_value;
  if (outcome.status == nvme::status::success && has_data) {
    std::uint8_t* page = services_->transfers.take(command);
    if (page == nullptr) return;
    services_->features.write_timestamp(page);
    services_->transfers.send(command, 0, Features::kTimestampBytes);
  }
  services_->finish(command, outcome.status, outcome.result);
}

void AdminCommands::set_features(Command& command) {
  const bool was_through = services_->features.write_through();
  const Features::Outcome outcome = services_->features.set(command.sqe);
  if (outcome.status == nvme::status::success) {
    const auto id = static_cast<std::uint8_t>(command.sqe.cdw10 & 0xFF);
    if (id == feature_id::timestamp) {
      if (services_->transfers.take(command) == nullptr) return;
      command.phase = Phase::feature_data;
      services_->transfers.fetch(command, Features::kTimestampBytes);
      return;
    }
    if (id == feature_id::volatile_write_cache && !was_through && services_->features.write_through()) {
      command.phase = Phase::cache_flush;
      command.kind = RequestKind::flush;
      services_->storage->submit(command);
      return;
    }
  }
  services_->finish(command, outcome.status, outcome.result);
  report_health(warnings()); // a threshold or the wish for events may have changed
}

std::uint8_t AdminCommands::warnings() const {
  return critical_warning(services_->health, services_->config, services_->storage->statistics());
}

void AdminCommands::on_wear() {
  const std::uint8_t now = warnings() & (health_warning::spare | health_warning::read_only);
  const auto fresh = static_cast<std::uint8_t>(now & ~warned_);
  warned_ = now;
  report_health(fresh);
}

void AdminCommands::report_health(std::uint32_t warnings) {
  warnings &= services_->features.wanted_events();
  if ((warnings & health_warning::read_only) != 0) {
    services_->events.report(EventType::health, event_info::reliability, log_id::health);
  } else if ((warnings & health_warning::spare) != 0) {
    services_->events.report(EventType::health, event_info::spare, log_id::health);
  } else if ((warnings & health_warning::temperature) != 0) {
    services_->events.report(EventType::health, event_info::temperature, log_id::health);
  }
}

void AdminCommands::on_data(Command& command) {
  const std::uint16_t status = services_->transfers.status(command);
  if (status == nvme::status::success) services_->features.set_timestamp(services_->transfers.data(command));
  services_->transfers.give(command);
  services_->finish(command, status);
}

void AdminCommands::on_request_done(Command& command) {
  if (command.phase == Phase::erase_job || command.phase == Phase::record) {
    command.phase == Phase::record ? sanitize_.on_request_done() : erase_.on_request_done(command);
    return settle_erase();
  }
  if (command.phase == Phase::self_test) return self_test_.on_request_done(command);
  services_->finish(command, command.status); // the flush before the write cache is switched off
}

// Section 5.1: commands that wait in the firmware can be aborted, those in the storage backend not.
void AdminCommands::abort(Command& command) {
  const std::uint16_t sqid = low16(command.sqe.cdw10);
  const auto cid = static_cast<std::uint16_t>(command.sqe.cdw10 >> 16);
  Command* victim = sqid == 0 ? services_->events.remove(cid) : io_->remove_waiting(sqid, cid);
  if (victim == nullptr) victim = services_->transfers.remove_parked(sqid, cid);
  if (victim != nullptr) services_->finish(*victim, nvme::status::abort_requested);
  constexpr std::uint32_t kNotAborted = 1;
  services_->finish(command, nvme::status::success, victim != nullptr ? 0 : kNotAborted);
}

void AdminCommands::self_test(Command& command) {
  if (formatting_ != nullptr) {
    services_->finish(command, nvme::status::format_in_progress);
  } else {
    self_test_.execute(command);
  }
}

// Section 5.23: one format of sectors, without metadata or protection; user data can be erased.
void AdminCommands::format(Command& command) {
  constexpr std::uint32_t kFormat = 15, kSettings = 0x1F0, kUserData = 1; // MSET, PI, PIL; SES
  const std::uint32_t cdw10 = command.sqe.cdw10;
  std::uint16_t status = nvme::status::success;
  if (command.sqe.nsid != kNsid && command.sqe.nsid != kAllNamespaces) {
    status = nvme::status::invalid_namespace;
  } else if ((cdw10 & kFormat) != 0 || (cdw10 & kSettings) != 0) {
    status = nvme::status::invalid_format;
  } else if ((cdw10 >> 9 & 7) > kUserData) {
    status = nvme::status::invalid_field;
  } else if (erase_.busy()) {
    status = nvme::status::format_in_progress;
  }
  if (status != nvme::status::success) return services_->finish(command, status);
  self_test_.end(SelfTest::Result::formatted);
  command.phase = Phase::format;
  formatting_ = &command;
  io_->refuse_all(nvme::status::format_in_progress);
  erase_.start((cdw10 >> 9 & 7) == kUserData && services_->storage->can_purge());
  settle_erase();
}

void AdminCommands::sanitize(Command& command) {
  if (formatting_ != nullptr) return services_->finish(command, nvme::status::format_in_progress);
  sanitize_.execute(command);
}

/// The job may have ended inside of whatever was called before.
void AdminCommands::settle_erase() {
  std::uint16_t status = nvme::status::success;
  if (!erase_.take_end(status)) return;
  if (sanitize_.erasing()) {
    sanitize_.on_erased(status);
  } else {
    end_format(status);
  }
}

void AdminCommands::end_format(std::uint16_t status) {
  io_->refuse_all(nvme::status::success);
  services_->finish(*std::exchange(formatting_, nullptr), status);
}

void AdminCommands::async_event(Command& command) {
  services_->events.request(command);
}

} // namespace twinplane::fw
