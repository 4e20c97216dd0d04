// A drive is kept and used again: its cells, its firmware's tables and what the host knows of its data, as
// preconditioning or a whole run has left them.
#pragma once

#include <string>

#include "hw/spec/state_visitor.h"
#include "platform/config/config.h"
#include "platform/host/nvme_host.h"
#include "platform/ssd/precondition.h"
#include "platform/ssd/ssd.h"

namespace twinplane::platform {

/// The firmware must have booted, and be idle. Throws InputError when the file cannot be
/// written or a block of the drive cannot be saved.
void save_drive(const std::string& path, const Config& config, Ssd& ssd, NvmeHost& host,
                PreconditionResult result);

/// Into a drive that has just booted, and a host that has not begun. Throws InputError when the file is no
/// state of a drive with this configuration: keys that differ are named, but those of [host], [workload],
/// [energy], [waves], [report] and, but for the seed, [run], which no drive depends on.
PreconditionResult load_drive(const std::string& path, const Config& config, Ssd& ssd, NvmeHost& host);

/// The same of a drive whose host is a guest, which alone knows what it has written there (`serve --image`).
void save_image(const std::string& path, const Config& config, Ssd& ssd, PreconditionResult result);
PreconditionResult load_image(const std::string& path, const Config& config, Ssd& ssd);

/// What preconditioning has done goes with the drive.
void serialise(StateVisitor& state, PreconditionResult& result);
/// The drive: the firmware's tables, the cells, what monitors know.
void serialise(StateVisitor& state, Ssd& ssd);

} // namespace twinplane::platform
