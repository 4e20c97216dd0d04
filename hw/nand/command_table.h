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
  // confirm cycles: is_confirm() up to 31h
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

/// It ends an operation, or one plane of it.
constexpr bool is_confirm(Action action) {
  return action >= Action::queue && action <= Action::read_cache;
}

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

namespace command_rows {
namespace op = onfi::opcode;
using A = Action;
using F = AddressForm;
using N = Needs;
inline constexpr std::array<CommandRow, 42> kCommandTable{{
    {0x00, A::unknown, F::none, N::nothing, "expected a command of the table"}, // row 0: any other opcode
    {op::read, A::open_read, F::page, N::nothing, ""},
    {op::read_confirm, A::launch, F::none, N::read_addressed, "expected 30h after 00h and a page address"},
    {op::read_copyback, A::launch, F::none, N::read_addressed, "expected 35h after 00h and a page address"},
    {op::read_multiplane, A::queue, F::none, N::read_addressed, "expected 32h after 00h and a page address"},
    {op::read_cache, A::read_cache, F::none, N::cache_read,
     "expected 31h after 00h and a page address, or after a read"},
    {op::read_cache_end, A::read_cache_end, F::none, N::cache_stream, "expected 3Fh after 31h"},
    {op::change_column, A::column, F::column, N::nothing, ""},
    {op::change_column_enhanced, A::column_enhanced, F::page, N::nothing, ""},
    {op::change_column_confirm, A::select_output, F::none, N::column_addressed,
     "expected E0h after 05h or 06h and its address"},
    {op::program, A::open_program, F::page, N::nothing, ""},
    {op::program_continue, A::open_program, F::page, N::program_queue,
     "expected 81h only between the planes of a program"},
    {op::change_write_column, A::write_column, F::column, N::nothing, ""},
    {op::program_confirm, A::launch, F::none, N::program_loaded,
     "expected 10h after 80h, a page address and data"},
    {op::program_multiplane, A::queue, F::none, N::program_loaded,
     "expected 11h after 80h, a page address and data"},
    {op::program_cache, A::launch_cache, F::none, N::program_loaded,
     "expected 15h after 80h, a page address and data"},
    {op::program_load, A::load, F::none, N::program_loaded,
     "expected 1Ah after 80h, a page address and data"},
    {op::program_suspend, A::suspend_program, F::page, N::nothing, ""},
    {op::program_resume, A::resume_program, F::page, N::nothing, ""},
    {op::erase_suspend, A::suspend_erase, F::row, N::nothing, ""},
    {op::erase_resume, A::resume_erase, F::none, N::nothing, ""},
    {op::erase, A::open_erase, F::row, N::nothing, ""},
    {op::erase_confirm, A::launch, F::none, N::erase_addressed, "expected D0h after 60h and a row address"},
    {op::erase_multiplane, A::queue, F::none, N::erase_addressed, "expected D1h after 60h and a row address"},
    {op::read_status, A::status, F::none, N::nothing, ""},
    {op::read_status_enhanced, A::status_enhanced, F::row, N::nothing, ""},
    {op::read_id, A::id, F::one, N::nothing, ""},
    {op::read_parameter_page, A::parameter_page, F::one, N::nothing, ""},
    {op::read_unique_id, A::unique_id, F::one, N::nothing, ""},
    {op::volume_select, A::select_volume, F::one, N::nothing, ""},
    {op::odt_configure, A::configure_odt, F::one, N::nothing, ""},
    {op::zq_long, A::zq_long, F::one, N::nothing, ""},
    {op::zq_short, A::zq_short, F::one, N::nothing, ""},
    {op::get_features, A::get_features, F::one, N::nothing, ""},
    {op::set_features, A::set_features, F::one, N::nothing, ""},
    {op::get_lun_features, A::get_lun_features, F::lun_feature, N::nothing, ""},
    {op::set_lun_features, A::set_lun_features, F::lun_feature, N::nothing, ""},
    {op::reset, A::reset, F::none, N::nothing, ""},
    {op::synchronous_reset, A::reset, F::none, N::nothing, ""},
    {op::reset_lun, A::reset_lun, F::row, N::nothing, ""},
    {op::slc_enter, A::slc_enter, F::none, N::nothing, ""},
    {op::slc_leave, A::slc_leave, F::none, N::nothing, ""},
}};
} // namespace command_rows
using command_rows::kCommandTable;

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
