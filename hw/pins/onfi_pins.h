// The wires of one ONFI channel as SystemC signals.
//
// Signals have the types that Verilator gives the ports of a module (--sc): bool for one bit, uint32_t
// for a byte. A wire that both ends drive is therefore two signals with an enable each: `host` is the
// controller's driver, `nand` that of the packages. Neither enabled means pulled up: a reader gets FFh.
// `dq` and `dqs` are what a probe on the wire would see (Z, X for two drivers that disagree); they are for
// waves and cost nothing until trace() is called.
//
// On NV-DDR `we_n` is the clock CLK and `re_n` is W/R# (low: the packages drive DQ and DQS).
//
// The idle state of all signals is that of an idle bus: CE#, WE#, RE#, WP# and R/B# high, CLE and ALE low.
#pragma once

#include <cstdint>
#include <systemc>

namespace twinplane::hw {

class OnfiPins : public sc_core::sc_module {
 public:
  using Wire = sc_core::sc_signal<bool>;
  using Byte = sc_core::sc_signal<std::uint32_t>;

  // driven by the controller
  sc_core::sc_vector<Wire> ce_n; // one per target
  Wire cle{"cle", false};
  Wire ale{"ale", false};
  Wire we_n{"we_n", true};
  Wire re_n{"re_n", true};
  Wire wp_n{"wp_n", true};
  Byte dq_host{"dq_host", 0xFF};
  Wire dq_host_oe{"dq_host_oe", false};
  Wire dqs_host{"dqs_host", true}; // DDR interfaces only
  Wire dqs_host_oe{"dqs_host_oe", false};

  // driven by the packages, that is by a PinTransactor
  sc_core::sc_vector<Wire> rb_n; // one per target
  Byte dq_nand{"dq_nand", 0xFF};
  Wire dq_nand_oe{"dq_nand_oe", false};
  Wire dqs_nand{"dqs_nand", true};
  Wire dqs_nand_oe{"dqs_nand_oe", false};

  // probes
  sc_core::sc_signal<sc_dt::sc_lv<8>> dq{"dq", sc_dt::sc_lv<8>(sc_dt::SC_LOGIC_Z)};
  sc_core::sc_signal<sc_dt::sc_logic> dqs{"dqs", sc_dt::SC_LOGIC_Z};

  /// `chips` targets (CE# and R/B# pairs), at least one.
  OnfiPins(sc_core::sc_module_name name, std::uint32_t chips);

  /// Writes all wires to `file` under this module's name. Before the simulation starts.
  void trace(sc_core::sc_trace_file* file);

 private:
  void before_end_of_elaboration() override;
  void probe();

  bool tracing_ = false;
};

} // namespace twinplane::hw
