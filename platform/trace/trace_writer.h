// Writing records as a trace file: `twinplane trace convert` and `trace generate`.
#pragma once

#include <cstdint>
#include <string>

#include "platform/trace/io_record.h"

namespace twinplane::platform {

struct TraceOutput {
  std::string path; // compressed when it ends with .gz or .zst
  /// msr: MSR Cambridge CSV, time to 100 ns. ssdsim: whole sectors (aligned outwards), time to 1 ns. columns:
  /// time_ns,op,offset,size with a header, recognised when read; the only one with trims and
  /// flushes.
  std::string format = "msr";
  /// Write the records' device numbers instead of 0: for sources whose devices are kept apart.
  bool keep_devices = false;
};

/// The column map of what format "columns" writes (trace format "twinplane").
inline constexpr const char* kColumnsOfCsv =
    "time=0:ns,op=1:read|write|trim|flush|write_fua,offset=2:bytes,size=3:bytes,device=4";

struct WriteReport {
  std::uint64_t written = 0;
  std::uint64_t left_out = 0; // kinds that the format cannot express
  std::uint64_t fua_lost = 0; // written as usual writes: the format has no force unit access
};

/// Writes all of `source`. The file appears only when it is whole, and holds a request. Throws InputError: an unknown
/// format, a name of a packing that is only read, a file that cannot be written, no request that the format can
/// express, and whatever the source throws.
WriteReport write_trace(IoSource& source, const TraceOutput& output);

} // namespace twinplane::platform
