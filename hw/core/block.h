// A part of the drive that can be replaced: a package, a channel, a flash controller, an ECC engine, the
// DRAM, a core, a front end. Each kind has an abstract class of its own (hw/*/..._block.h) with its sockets;
// the netlist (platform/ssd/ssd.h) makes blocks by a factory, binds them, and knows nothing else of them.
#pragma once

#include <systemc>

namespace twinplane::hw {

class Block : public sc_core::sc_module {
 public:
  /// Whether it may act on the drive at times that are not announced: it has events, threads, clocks or
  /// RTL of its own, talks to a socket or a debugger, or waits in its transport functions. Asked once, after
  /// elaboration. True unless the block knows better: then the drive never runs ahead of the kernel. False is
  /// a promise: it acts only when it is called, when the event queue calls it (hw/core/event_queue.h), or at events
  /// that it tells RunAhead::kernel_changed() of.
  virtual bool has_external_events() const { return true; }

 protected:
  explicit Block(const sc_core::sc_module_name& name) : sc_module(name) {}
};

} // namespace twinplane::hw
