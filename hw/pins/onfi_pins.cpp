#include "hw/pins/onfi_pins.h"

namespace twinplane::hw {

namespace {

OnfiPins::Wire* make_high(const char* name, std::size_t) {
  return new OnfiPins::Wire(name, true); // owned by the sc_vector
}

sc_dt::sc_lv<8> resolve_byte(const OnfiPins& pins) {
  const bool host = pins.dq_host_oe.read();
  const bool nand = pins.dq_nand_oe.read();
  if (!host && !nand) return sc_dt::sc_lv<8>(sc_dt::SC_LOGIC_Z);
  sc_dt::sc_lv<8> value;
  value = host ? pins.dq_host.read() : pins.dq_nand.read();
  if (!host || !nand) return value;
  const std::uint32_t disputed = pins.dq_host.read() ^ pins.dq_nand.read();
  for (int bit = 0; bit < 8; ++bit) {
    if ((disputed >> bit & 1u) != 0) value[bit] = sc_dt::SC_LOGIC_X;
  }
  return value;
}

sc_dt::sc_logic resolve_strobe(const OnfiPins& pins) {
  const bool host = pins.dqs_host_oe.read();
  const bool nand = pins.dqs_nand_oe.read();
  if (!host && !nand) return sc_dt::SC_LOGIC_Z;
  if (host && nand && pins.dqs_host.read() != pins.dqs_nand.read()) return sc_dt::SC_LOGIC_X;
  return sc_dt::sc_logic(host ? pins.dqs_host.read() : pins.dqs_nand.read());
}

} // namespace

OnfiPins::OnfiPins(sc_core::sc_module_name name, std::uint32_t chips)
    : sc_module(name), ce_n("ce_n", chips, make_high), rb_n("rb_n", chips, make_high) {}

void OnfiPins::trace(sc_core::sc_trace_file* file) {
  tracing_ = true;
  for (const Wire& wire : ce_n) sc_core::sc_trace(file, wire, wire.name());
  for (const Wire* wire : {&cle, &ale, &we_n, &re_n, &wp_n}) sc_core::sc_trace(file, *wire, wire->name());
  sc_core::sc_trace(file, dqs, dqs.name());
  sc_core::sc_trace(file, dq, dq.name());
  for (const Wire& wire : rb_n) sc_core::sc_trace(file, wire, wire.name());
}

void OnfiPins::before_end_of_elaboration() {
  if (!tracing_) return;
  SC_HAS_PROCESS(OnfiPins);
  SC_METHOD(probe);
  sensitive << dq_host << dq_host_oe << dq_nand << dq_nand_oe;
  sensitive << dqs_host << dqs_host_oe << dqs_nand << dqs_nand_oe;
}

void OnfiPins::probe() {
  dq.write(resolve_byte(*this));
  dqs.write(resolve_strobe(*this));
}

} // namespace twinplane::hw
