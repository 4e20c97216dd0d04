// From the short form of a tenure to its cycles: the one place that knows what the sequences look like
// on the bus (hw/core/onfi_tenure.h lists them).
#pragma once

#include "hw/core/onfi_tenure.h"

namespace twinplane::hw {

/// Composes the phases of a sequence, without times. They point into the tenure. A `ddr` bus transfers
/// a status byte twice.
void expand(OnfiTenure& tenure, bool ddr);

/// Takes the responses that came with the phases over into the planes.
void collect(OnfiTenure& tenure);

/// The other way: what a sequence's planes answered, for observers of its phases.
void show_in_phases(OnfiTenure& tenure);

} // namespace twinplane::hw
