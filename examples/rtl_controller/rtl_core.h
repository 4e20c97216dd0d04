// The Verilog controller (onfi_controller.v) with its clock, its registers and its wires, for a SystemC
// module that gives it operations and page data.
//
// The clock runs while the controller wants it, on the grid of its period, and stands still while all dies
// are busy with their arrays: so an idle channel costs no kernel events. Whether it stands makes no
// difference to what happens when (ClockGate::off, for tests).
#pragma once

#include <Vonfi_controller.h>
#include <cstdint>
#include <deque>
#include <string>
#include <systemc>

#include "hw/pins/onfi_pins.h"
#include "hw/spec/bus_timing.h"
#include "hw/spec/geometry.h"
#include "hw/spec/sim_time.h"

namespace twinplane::example {

/// In the Verilog's order.
enum class RtlOperation : std::uint8_t { read, program, erase, reset };

enum class ClockGate : std::uint8_t { on, off };

struct RtlClock {
  TimePs period = ns(10); // the data sheet's times are rounded up to it
  ClockGate gate = ClockGate::on;
  bool stays_in_reset = false; // a controller that never answers, for tests
};

struct RtlCoreConfig {
  Geometry geometry;
  BusTiming bus; // SDR
  TimePs tDBSY = 0;
  TimePs poll_interval = us(1);
  RtlClock clock;
};

class RtlCore : public sc_core::sc_module {
 public:
  // as onfi_controller.v has them
  static constexpr std::uint32_t kChips = 4;
  static constexpr std::uint32_t kDies = 8;
  static constexpr std::uint32_t kSpareBytes = 8; // that are moved with a page

  /// One plane of an operation.
  struct Load {
    RtlOperation operation = RtlOperation::read;
    std::uint32_t die = 0;
    std::uint32_t chip = 0;
    std::uint32_t plane = 0; // its place in the operation
    bool last = false;
    std::uint32_t row = 0;
    std::uint32_t column = 0;
    std::uint32_t length = 0; // bytes
  };
  struct Result {
    std::uint32_t die = 0;
    std::uint32_t plane = 0; // its place in the operation
    bool last = false;
    std::uint8_t status = 0;
  };
  /// Who gives the operations. `plane` is a plane's place in its operation.
  class Client {
   public:
    virtual std::uint8_t byte_to_program(std::uint32_t die, std::uint32_t plane, std::uint32_t column) = 0;
    virtual void take_byte(std::uint32_t die, std::uint32_t plane, std::uint32_t column,
                           std::uint8_t byte) = 0;
    virtual void on_result(const Result& result) = 0;
    /// The controller takes the bus for an operation, or gives it back; `serves`: its array time has passed.
    virtual void on_bus(std::uint32_t die, bool taken, bool serves) = 0;
    /// WE# rises with the confirm that makes the die start.
    virtual void on_array_start(std::uint32_t die) = 0;
    /// R/B# of a chip has risen.
    virtual void on_ready(std::uint32_t chip) = 0;

   protected:
    ~Client() = default;
  };

  /// Empty, or why the controller cannot drive such a channel.
  static std::string check(const RtlCoreConfig& config);

  /// `config` must pass check(). `pins` and `client` outlive the simulation.
  RtlCore(sc_core::sc_module_name name, const RtlCoreConfig& config, hw::OnfiPins& pins, Client& client);

  /// Appends a plane; a die gets a new operation when the last result of the one before has come.
  void load(const Load& plane);

  std::uint64_t clock_periods() const { return periods_; }

 private:
  using Bit = sc_core::sc_signal<bool>;
  using Word = sc_core::sc_signal<std::uint32_t>;

  void bind_clock_and_times();
  void bind_commands();
  void bind_results();
  void bind_pins(hw::OnfiPins& pins);
  void set_times();
  std::uint32_t periods(TimePs time) const;

  // processes
  void drive_clock();
  void feed();
  void answer();
  void take();
  void tell_result();
  void tell_bus();
  void tell_start();
  void split_ce();
  void join_rb();

  RtlCoreConfig config_;
  hw::OnfiPins& pins_;
  Client& client_;
  Vonfi_controller rtl_{"rtl"};
  std::deque<Load> loads_;
  std::uint64_t periods_ = 0;
  bool will_rise_ = false;

  Bit clk_{"clk"}, rst_n_{"rst_n"}, clock_wanted_{"clock_wanted"};
  Word page_bytes_{"page_bytes"}, t_poll_{"t_poll"}, t_wp_{"t_wp"}, t_wh_{"t_wh"}, t_rp_{"t_rp"},
      t_reh_{"t_reh"}, t_cs_{"t_cs"}, t_ceh_{"t_ceh"}, t_wb_{"t_wb"}, t_whr_{"t_whr"}, t_adl_{"t_adl"},
      t_ccs_{"t_ccs"}, t_rhw_{"t_rhw"}, t_dbsy_{"t_dbsy"};
  Bit four_row_cycles_{"four_row_cycles"}, poll_{"poll"}, sample_late_{"sample_late"};
  Bit load_{"load"}, load_last_{"load_last"};
  Word load_die_{"load_die"}, load_chip_{"load_chip"}, load_operation_{"load_operation"},
      load_plane_{"load_plane"}, load_row_{"load_row"}, load_column_{"load_column"},
      load_length_{"load_length"};
  Bit result_{"result"}, result_last_{"result_last"};
  Word result_die_{"result_die"}, result_plane_{"result_plane"}, result_status_{"result_status"};
  Bit bus_taken_{"bus_taken"}, bus_serves_{"bus_serves"}, array_starts_{"array_starts"};
  Word bus_die_{"bus_die"}, bus_plane_{"bus_plane"};
  Word data_column_{"data_column"}, data_in_{"data_in"}, data_out_{"data_out"},
      data_out_column_{"data_out_column"};
  Bit data_out_valid_{"data_out_valid"};
  Word ce_n_{"ce_n", (1u << kChips) - 1}, rb_n_{"rb_n", (1u << kChips) - 1};
  sc_core::sc_event loaded_{"loaded"};
};

} // namespace twinplane::example
