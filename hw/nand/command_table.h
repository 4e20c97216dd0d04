// The commands a target understands, one row each: what must have come before, and what it starts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "hw/spec/onfi_commands.h"

namespace twinplane::hw {

enum class Action : std::uint8_t {
  unknown,
  // the cycles that follow belong to an operation
  open_read,
  open_program,
  open_erase,
  write_column,
  // the address that follows completes the command
  column,
  column_enhanced,
  status_enhanced,
  id,
  parameter_page,
  unique_id,
  get_features,
  set_features,
  get_lun_features,
  set_lun_features,
  reset_lun,
  suspend_program,
  suspend_erase,
  resume_program,
  zq_long,
  zq_short,
  configure_odt, // taken, without effect: signal integrity is not modelled
  select_volume, // the same
  // confirm cycles
  queue,
  launch,
  launch_cache, // 15h
  load,         // 1Ah
  read_cache,   // 31h
  select_output,
  // complete in themselves
  status,
  reset,
  read_cache_end,
  resume_erase,
  slc_enter,
  slc_leave,
};

/// Address cycles that follow. 85h has a column, or a column and a row: AddressCycles::fits().
enum class AddressForm : std::uint8_t { none, one, lun_feature, column, row, page };

/// How many these are, of a part whose rows take `row_cycles`.
constexpr std::uint32_t address_cycles(AddressForm form, std::uint32_t row_cycles) {
  switch (form) {
    case AddressForm::none:
      return 0;
    case AddressForm::one:
      return 1;
    case AddressForm::lun_feature:
      return 2;
    case AddressForm::column:
      return onfi::kColumnCycles;
    case AddressForm::row:
      return row_cycles;
    case AddressForm::page:
      return onfi::kColumnCycles + row_cycles;
  }
  return 0;
}

/// What the sequence must look like when the command arrives.
enum class Needs : std::uint8_t {
  nothing,
  read_addressed,    // 00h a5
  program_addressed, // 80h a5
  program_loaded,    // 80h a5 data
  program_queue,     // planes queued by 11h
  erase_addressed,   // 60h a3
  column_addressed,  // 05h a2 or 06h a5
  cache_read,        // 00h a5, or a read before
  cache_stream,      // 31h before
};

struct CommandRow {
  std::uint8_t opcode;
  Action action;
  AddressForm address;
  Needs needs;
  const char* expected; // in messages when `needs` is not met
};

inline constexpr std::array<CommandRow, 42> kCommandTable{{
    {0x00, Action::unknown, AddressForm::none, Needs::nothing,
     "expected a command of the table"}, // row 0: any other opcode
    {onfi::opcode::read, Action::open_read, AddressForm::page, Needs::nothing, ""},
    {onfi::opcode::read_confirm, Action::launch, AddressForm::none, Needs::read_addressed,
     "expected 30h after 00h and a page address"},
    {onfi::opcode::read_copyback, Action::launch, AddressForm::none, Needs::read_addressed,
     "expected 35h after 00h and a page address"},
    {onfi::opcode::read_multiplane, Action::queue, AddressForm::none, Needs::read_addressed,
     "expected 32h after 00h and a page address"},
    {onfi::opcode::read_cache, Action::read_cache, AddressForm::none, Needs::cache_read,
     "expected 31h after 00h and a page address, or after a read"},
    {onfi::opcode::read_cache_end, Action::read_cache_end, AddressForm::none, Needs::cache_stream,
     "expected 3Fh after 31h"},
    {onfi::opcode::change_column, Action::column, AddressForm::column, Needs::nothing, ""},
    {onfi::opcode::change_column_enhanced, Action::column_enhanced, AddressForm::page, Needs::nothing, ""},
    {onfi::opcode::change_column_confirm, Action::select_output, AddressForm::none, Needs::column_addressed,
     "expected E0h after 05h or 06h and its address"},
    {onfi::opcode::program, Action::open_program, AddressForm::page, Needs::nothing, ""},
    {onfi::opcode::program_continue, Action::open_program, AddressForm::page, Needs::program_queue,
     "expected 81h only between the planes of a program"},
    {onfi::opcode::change_write_column, Action::write_column, AddressForm::column, Needs::nothing, ""},
    {onfi::opcode::program_confirm, Action::launch, AddressForm::none, Needs::program_loaded,
     "expected 10h after 80h, a page address and data"},
    {onfi::opcode::program_multiplane, Action::queue, AddressForm::none, Needs::program_loaded,
     "expected 11h after 80h, a page address and data"},
    {onfi::opcode::program_cache, Action::launch_cache, AddressForm::none, Needs::program_loaded,
     "expected 15h after 80h, a page address and data"},
    {onfi::opcode::program_load, Action::load, AddressForm::none, Needs::program_loaded,
     "expected 1Ah after 80h, a page address and data"},
    {onfi::opcode::program_suspend, Action::suspend_program, AddressForm::page, Needs::nothing, ""},
    {onfi::opcode::program_resume, Action::resume_program, AddressForm::page, Needs::nothing, ""},
    {onfi::opcode::erase_suspend, Action::suspend_erase, AddressForm::row, Needs::nothing, ""},
    {onfi::opcode::erase_resume, Action::resume_erase, AddressForm::none, Needs::nothing, ""},
    {onfi::opcode::erase, Action::open_erase, AddressForm::row, Needs::nothing, ""},
    {onfi::opcode::erase_confirm, Action::launch, AddressForm::none, Needs::erase_addressed,
     "expected D0h after 60h and a row address"},
    {onfi::opcode::erase_multiplane, Action::queue, AddressForm::none, Needs::erase_addressed,
     "expected D1h after 60h and a row address"},
    {onfi::opcode::read_status, Action::status, AddressForm::none, Needs::nothing, ""},
    {onfi::opcode::read_status_enhanced, Action::status_enhanced, AddressForm::row, Needs::nothing, ""},
    {onfi::opcode::read_id, Action::id, AddressForm::one, Needs::nothing, ""},
    {onfi::opcode::read_parameter_page, Action::parameter_page, AddressForm::one, Needs::nothing, ""},
    {onfi::opcode::read_unique_id, Action::unique_id, AddressForm::one, Needs::nothing, ""},
    {onfi::opcode::volume_select, Action::select_volume, AddressForm::one, Needs::nothing, ""},
    {onfi::opcode::odt_configure, Action::configure_odt, AddressForm::one, Needs::nothing, ""},
    {onfi::opcode::zq_long, Action::zq_long, AddressForm::one, Needs::nothing, ""},
    {onfi::opcode::zq_short, Action::zq_short, AddressForm::one, Needs::nothing, ""},
    {onfi::opcode::get_features, Action::get_features, AddressForm::one, Needs::nothing, ""},
    {onfi::opcode::set_features, Action::set_features, AddressForm::one, Needs::nothing, ""},
    {onfi::opcode::get_lun_features, Action::get_lun_features, AddressForm::lun_feature, Needs::nothing, ""},
    {onfi::opcode::set_lun_features, Action::set_lun_features, AddressForm::lun_feature, Needs::nothing, ""},
    {onfi::opcode::reset, Action::reset, AddressForm::none, Needs::nothing, ""},
    {onfi::opcode::synchronous_reset, Action::reset, AddressForm::none, Needs::nothing, ""},
    {onfi::opcode::reset_lun, Action::reset_lun, AddressForm::row, Needs::nothing, ""},
    {onfi::opcode::slc_enter, Action::slc_enter, AddressForm::none, Needs::nothing, ""},
    {onfi::opcode::slc_leave, Action::slc_leave, AddressForm::none, Needs::nothing, ""},
}};

/// Opcode -> row of kCommandTable (0: unknown). The SLC opcodes are the configuration's, and only parts that
/// program a wordline in one pass know 1Ah.
class CommandIndex {
 public:
  CommandIndex(std::uint8_t slc_enter, std::uint8_t slc_leave, bool one_pass) {
    for (std::size_t row = 1; row < kCommandTable.size(); ++row) {
      const Action action = kCommandTable[row].action;
      if (action == Action::load && !one_pass) continue;
      const std::uint8_t opcode = action == Action::slc_enter   ? slc_enter
                                  : action == Action::slc_leave ? slc_leave
                                                                : kCommandTable[row].opcode;
      rows_[opcode] = static_cast<std::uint8_t>(row);
    }
  }
  const CommandRow& operator[](std::uint8_t opcode) const { return kCommandTable[rows_[opcode]]; }
  bool known(std::uint8_t opcode) const { return rows_[opcode] != 0; }

 private:
  std::array<std::uint8_t, 256> rows_{};
};

} // namespace twinplane::hw
