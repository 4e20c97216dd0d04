// A protocol over which a guest reaches the PCI function: one folder member per protocol.
#pragma once

#include "platform/pci_host/pci_device.h"

namespace twinplane::platform {

class Transport : public InterruptSink {
 public:
  enum class Served {
    nothing, // no whole message has arrived
    message, // one has been served
    closed,  // the other side has gone, or says what this protocol does not know; nothing follows
  };

  virtual ~Transport() = default;
  /// Serves at most one message, and never waits for one.
  virtual Served serve(PciDevice& device) = 0;
  /// What to poll() for the next message.
  virtual int descriptor() const = 0;
};

} // namespace twinplane::platform
