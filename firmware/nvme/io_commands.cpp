#include "firmware/nvme/io_commands.h"

#include "firmware/nvme/identify.h"
#include "firmware/nvme/little_endian.h"

namespace twinplane::fw {

namespace {

constexpr std::uint8_t kFusedOrSgl = 0xC3;           // FUSE, PSDT: neither is supported
constexpr std::uint32_t kForceUnitAccess = 1u << 30; // CDW12
constexpr std::uint32_t kDeallocate = 1u << 2;       // CDW11 of dataset management
constexpr std::uint32_t kRangeCycles = 20;           // CPU work of checking one range

std::uint32_t range_count(const Command& command) {
  return (command.sqe.cdw10 & 0xFF) + 1;
}

} // namespace

void IoCommands::boot(Services& services, std::uint32_t compare_buffer) {
  services_ = &services;
  compare_.boot(services, compare_buffer);
  namespace_sectors_ = services.storage->exported_sectors();
  max_transfer_sectors_ = services.config.max_transfer_sectors();
}

void IoCommands::refuse_all(std::uint16_t status) {
  const bool refuses = status != nvme::status::success;
  namespace_sectors_ = refuses ? 0 : services_->storage->exported_sectors();
  out_of_range_ = refuses ? status : nvme::status::lba_range;
}

void IoCommands::execute(Command& command) {
  switch (command.sqe.opcode) {
    case nvme::io::read:
      transfer(command, RequestKind::read);
      break;
    case nvme::io::write:
      transfer(command, RequestKind::write);
      break;
    case nvme::io::flush:
      flush(command);
      break;
    case nvme::io::write_zeroes:
      write_zeroes(command);
      break;
    case nvme::io::compare:
      compare(command);
      break;
    case nvme::io::dataset_management:
      dataset_management(command);
      break;
    case nvme::io::write_uncorrectable:
      write_uncorrectable(command);
      break;
    case nvme::io::verify:
      verify(command);
      break;
    default:
      services_->finish(command, nvme::status::invalid_opcode);
  }
}

// Checks of every command that names sectors; fills lba and sectors.
std::uint16_t IoCommands::check_range(const Command& command) const {
  if ((command.sqe.flags & kFusedOrSgl) != 0) return nvme::status::invalid_field;
  if (command.sqe.nsid != kNsid) return nvme::status::invalid_namespace;
  if (command.lba >= namespace_sectors_ || command.sectors > namespace_sectors_ - command.lba) {
    return out_of_range_;
  }
  return nvme::status::success;
}

// The same of those that name none, or several.
std::uint16_t IoCommands::check_other(const Command& command, bool of_all) const {
  if ((command.sqe.flags & kFusedOrSgl) != 0) return nvme::status::invalid_field;
  if (command.sqe.nsid != kNsid && (!of_all || command.sqe.nsid != kAllNamespaces))
    return nvme::status::invalid_namespace;
  return namespace_sectors_ == 0 ? out_of_range_ : nvme::status::success;
}

bool IoCommands::refused(Command& command, std::uint16_t status) {
  if (status == nvme::status::success) return false;
  services_->finish(command, status);
  return true;
}

void IoCommands::submit(Command& command, RequestKind kind) {
  command.phase = Phase::storage;
  command.kind = kind;
  command.access_latency = static_cast<nvme::AccessLatency>((command.sqe.cdw13 >> 4) & 3);
  command.force_unit_access =
      (command.sqe.cdw12 & kForceUnitAccess) != 0 || services_->features.write_through();
  services_->storage->submit(command);
}

void IoCommands::transfer(Command& command, RequestKind kind) {
  if (refused(command, check_range(command))) return;
  if (command.sectors > max_transfer_sectors_) {
    services_->finish(command, nvme::status::invalid_field);
    return;
  }
  HealthCounters& health = services_->health;
  if (kind == RequestKind::read) {
    ++health.read_commands;
    health.sectors_read += command.sectors;
  } else {
    ++health.write_commands;
    health.sectors_written += command.sectors;
  }
  submit(command, kind);
}

void IoCommands::write_zeroes(Command& command) {
  if (refused(command, check_range(command))) return;
  ++services_->health.zero_commands;
  submit(command, RequestKind::write_zeroes);
}

void IoCommands::flush(Command& command) {
  if (refused(command, check_other(command, true))) return;
  command.lba = 0;
  command.sectors = 0;
  submit(command, RequestKind::flush);
}

// Section 6.16: it counts when no power cut undoes it.
void IoCommands::write_uncorrectable(Command& command) {
  if (refused(command, check_range(command))) return;
  ++services_->health.zero_commands;
  command.phase = Phase::write_uncorrectable;
  command.kind = RequestKind::write_uncorrectable;
  services_->storage->submit(command);
}

// A read whose data go nowhere: MDTS does not limit it.
void IoCommands::verify(Command& command) {
  if (refused(command, check_range(command))) return;
  command.device_buffer = kNoData;
  submit(command, RequestKind::read);
}

void IoCommands::compare(Command& command) {
  if (refused(command, check_range(command))) return;
  if (command.sectors > max_transfer_sectors_) {
    services_->finish(command, nvme::status::invalid_field);
    return;
  }
  ++services_->health.read_commands;
  services_->health.sectors_read += command.sectors;
  compare_.start(command);
}

// --- dataset management: fetch the ranges, check them all, then deallocate one after the other ---

void IoCommands::dataset_management(Command& command) {
  command.lba = 0;
  command.sectors = 0;
  if (refused(command, check_other(command, false))) return;
  if ((command.sqe.cdw11 & kDeallocate) == 0) {
    services_->finish(command, nvme::status::success); // the other attributes are advice
  } else if (services_->transfers.take(command) != nullptr) {
    command.phase = Phase::ranges;
    services_->transfers.fetch(command, range_count(command) * sizeof(nvme::DsmRange));
  }
}

// A list that did not come whole trims nothing.
void IoCommands::check_ranges(Command& command) {
  if (const std::uint16_t status = services_->transfers.status(command); status != nvme::status::success) {
    services_->transfers.give(command);
    services_->finish(command, status);
    return;
  }
  const std::uint8_t* data = services_->transfers.data(command);
  const std::uint32_t ranges = range_count(command);
  services_->hal->charge(ranges * kRangeCycles);
  for (std::uint32_t i = 0; i < ranges; ++i) {
    const auto range = load<nvme::DsmRange>(data, i * sizeof(nvme::DsmRange));
    if (range.slba <= namespace_sectors_ && range.blocks <= namespace_sectors_ - range.slba) continue;
    command.lba = range.slba;
    services_->transfers.give(command);
    services_->finish(command, out_of_range_);
    return;
  }
  command.phase = Phase::trim;
  command.next_range = 0;
  trim_next(command);
}

// The backend may finish a trim inside submit(); the loop keeps 256 of them from nesting.
void IoCommands::trim_next(Command& command) {
  const std::uint8_t* data = services_->transfers.data(command);
  while (command.next_range < range_count(command) && command.status == nvme::status::success) {
    const auto range = load<nvme::DsmRange>(data, command.next_range++ * sizeof(nvme::DsmRange));
    if (range.blocks == 0) continue;
    command.kind = RequestKind::trim;
    command.lba = range.slba;
    command.sectors = range.blocks;
    command.next_sector = 0;
    command.range_done = false;
    command.inside_submit = true;
    services_->storage->submit(command);
    command.inside_submit = false;
    if (!command.range_done) return;
  }
  services_->transfers.give(command);
  services_->finish(command, command.status);
}

void IoCommands::on_request_done(Command& command) {
  if (command.phase == Phase::storage) {
    services_->finish(command, command.status);
  } else if (command.phase == Phase::write_uncorrectable) {
    if (refused(command, command.status)) return;
    command.sectors = 0;
    submit(command, RequestKind::commit);
  } else if (command.phase == Phase::compare) {
    compare_.on_side(command);
  } else if (command.inside_submit) {
    command.range_done = true;
  } else {
    trim_next(command);
  }
}

void IoCommands::on_data(Command& command) {
  if (command.phase == Phase::compare) {
    compare_.on_side(command);
  } else {
    check_ranges(command);
  }
}

} // namespace twinplane::fw
