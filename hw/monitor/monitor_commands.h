// The ONFI command set as the monitor knows it: what each opcode is for, and the address it wants.
// Written from the standard's command tables, not from the die's decoder, so that each checks the other.
#pragma once

#include <array>
#include <cstdint>

#include "hw/monitor/monitor_config.h"
#include "hw/spec/timing_rules.h"

namespace twinplane::hw {

enum class Role : std::uint8_t {
  unknown,
  set_up,         // 00h 80h 81h 60h: an operation follows
  load_elsewhere, // 85h: column, row, or start of a copyback program
  start,          // the array starts
  queue,          // 32h 11h D1h: another plane follows
  load,           // 1Ah: another page of the wordline follows
  column,         // 05h 06h
  column_confirm,
  status,
  status_select, // 78h
  identify,      // 90h
  table,         // ECh EDh: array access of the target
  get_feature,
  set_feature,
  get_lun_feature, // D4h
  set_lun_feature, // D5h
  reset,
  reset_lun,
  suspend,
  resume,
  slc_enter,
  slc_leave,
  accessory, // E1h E2h F9h D9h: no influence on the cells
};

enum class CellWork : std::uint8_t { none, read, program, erase };

enum class AddressShape : std::uint8_t { none, one, two, column, row, page };

/// What a start does to the registers.
enum class Register : std::uint8_t { page, cache_next, cache_end, copyback };

struct MonitorCommand {
  std::uint8_t opcode = 0;
  Role role = Role::unknown;
  CellWork work = CellWork::none;
  AddressShape address = AddressShape::none;
  Register registers = Register::page;
};

inline constexpr std::array<MonitorCommand, 42> kMonitorCommands{{
    {0x00, Role::set_up, CellWork::read, AddressShape::page},
    {0x80, Role::set_up, CellWork::program, AddressShape::page},
    {0x81, Role::set_up, CellWork::program, AddressShape::page},
    {0x60, Role::set_up, CellWork::erase, AddressShape::row},
    {0x85, Role::load_elsewhere, CellWork::program, AddressShape::page},
    {0x30, Role::start, CellWork::read},
    {0x31, Role::start, CellWork::read, AddressShape::none, Register::cache_next},
    {0x3F, Role::start, CellWork::read, AddressShape::none, Register::cache_end},
    {0x35, Role::start, CellWork::read, AddressShape::none, Register::copyback},
    {0x10, Role::start, CellWork::program},
    {0x15, Role::start, CellWork::program, AddressShape::none, Register::cache_next},
    {0xD0, Role::start, CellWork::erase},
    {0x1A, Role::load, CellWork::program},
    {0x32, Role::queue, CellWork::read},
    {0x11, Role::queue, CellWork::program},
    {0xD1, Role::queue, CellWork::erase},
    {0x05, Role::column, CellWork::none, AddressShape::column},
    {0x06, Role::column, CellWork::none, AddressShape::page},
    {0xE0, Role::column_confirm},
    {0x70, Role::status},
    {0x78, Role::status_select, CellWork::none, AddressShape::row},
    {0x90, Role::identify, CellWork::none, AddressShape::one},
    {0xEC, Role::table, CellWork::none, AddressShape::one},
    {0xED, Role::table, CellWork::none, AddressShape::one},
    {0xEE, Role::get_feature, CellWork::none, AddressShape::one},
    {0xEF, Role::set_feature, CellWork::none, AddressShape::one},
    {0xFF, Role::reset},
    {0xFC, Role::reset},
    {0xFA, Role::reset_lun, CellWork::none, AddressShape::row},
    {0x84, Role::suspend, CellWork::program, AddressShape::page},
    {0x61, Role::suspend, CellWork::erase, AddressShape::row},
    {0x13, Role::resume, CellWork::program, AddressShape::page},
    {0xD2, Role::resume, CellWork::erase},
    {0xE1, Role::accessory, CellWork::none, AddressShape::one},
    {0xE2, Role::accessory, CellWork::none, AddressShape::one},
    {0xF9, Role::accessory, CellWork::none, AddressShape::one},
    {0xD9, Role::accessory, CellWork::none, AddressShape::one},
    {0xD4, Role::get_lun_feature, CellWork::none, AddressShape::two},
    {0xD5, Role::set_lun_feature, CellWork::none, AddressShape::two},
    {onfi::opcode::slc_enter, Role::slc_enter},
    {onfi::opcode::slc_leave, Role::slc_leave},
    {0x00, Role::unknown}, // any other opcode
}};

/// Feature addresses of the standard and of the vendor's part; those of the interface belong to the whole target.
constexpr bool has_feature(std::uint8_t address, bool of_lun) {
  namespace f = onfi::feature;
  if (address == f::timing_mode || address == f::nvddr2_configuration) return !of_lun;
  return address == f::drive_strength || address == f::vendor_drive_strength ||
         address == f::ready_pull_down || address == f::read_retry || address == f::array_mode;
}

/// The row of an opcode; the SLC prefixes are the configuration's and come first. 1Ah is one of parts that
/// program a wordline in one pass.
inline const MonitorCommand& find_command(std::uint8_t opcode, const MonitorConfig& config) {
  Role prefix = Role::unknown;
  if (opcode == config.slc_enter) prefix = Role::slc_enter;
  if (opcode == config.slc_leave) prefix = Role::slc_leave;
  for (const MonitorCommand& row : kMonitorCommands) {
    if (row.role == Role::load && !config.one_pass) continue;
    const bool is_prefix = row.role == Role::slc_enter || row.role == Role::slc_leave;
    if (prefix != Role::unknown ? row.role == prefix : row.opcode == opcode && !is_prefix) return row;
  }
  return kMonitorCommands.back();
}

/// What has happened once a command's cycle is over, for the timing gate.
constexpr timing::EventMask command_events(const MonitorCommand& command) {
  using timing::Event;
  switch (command.role) {
    case Role::status:
      return mask(Event::status);
    case Role::start:
    case Role::load:
    case Role::reset:
      return mask(Event::command, Event::confirm);
    case Role::queue:
      return mask(Event::command, Event::plane_confirm);
    case Role::column_confirm:
      return mask(Event::command, Event::column_confirm);
    default:
      return mask(Event::command);
  }
}

/// The same for the last cycle of its address.
constexpr timing::EventMask address_events(const MonitorCommand& command) {
  using timing::Event;
  switch (command.role) {
    case Role::status_select:
      return mask(Event::address, Event::status);
    case Role::table:
    case Role::get_feature:
    case Role::get_lun_feature:
    case Role::reset_lun:
    case Role::suspend:
    case Role::resume:
      return mask(Event::address, Event::busy_address);
    case Role::load_elsewhere:
      return mask(Event::address, Event::column_address);
    case Role::set_feature:
    case Role::set_lun_feature:
      return mask(Event::address, Event::load_address);
    case Role::set_up:
      return command.work == CellWork::program ? mask(Event::address, Event::load_address)
                                               : mask(Event::address);
    default:
      return mask(Event::address);
  }
}

} // namespace twinplane::hw
