// Opening a trace file as a stream of I/O records.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "platform/trace/io_record.h"
#include "platform/trace/record_parser.h"

namespace twinplane::platform {

/// A trace of several devices drives one SSD. `concatenate` lays them one after the other, in the order of
/// their names, each rounded up to 1 MiB. That needs a first pass over the file; of up to a million requests
/// it keeps the records, longer traces are read again. `keep` leaves offsets alone, so that devices overlap
/// once the replay engine folds them into the drive, and reads the file once. Of several files, each has
/// devices of its own, one file behind the other; `by_name` takes devices of one name for one device.
enum class DeviceLayout : std::uint8_t { concatenate, by_name, keep };

/// Several files: `shared` takes their times for those of one clock, unless they begin further apart than
/// TraceOptions::max_gap_ns; `own` lets each begin with the first one.
enum class TraceClock : std::uint8_t { shared, own };

struct TraceOptions {
  std::string path;
  std::vector<std::string> others; // further files, merged with the first by time; the options are of each
  TraceClock clock = TraceClock::shared;
  std::string format = "auto"; // a name of trace_formats(), "auto", or "columns"
  std::string columns;   // the column map of format "columns" (column_map.h); alone it implies the format
  std::string time_unit; // replaces the format's unit: s, ms, us, ns, ps, filetime
  DeviceLayout devices = DeviceLayout::concatenate;
  std::string only_device;        // keep only this device's requests; empty keeps all
  std::size_t sort_window = 4096; // records held back to restore the order of arrival
  std::uint64_t max_records = 0;  // read no more than the first so many requests; 0 = all
  std::uint64_t max_gap_ns = 30ull * 24 * 3600 * 1'000'000'000; // longer silences are clock jumps: taken out
  char block_action = 'D';                                      // blkparse: D or Q
  bool skip_bad_lines = false; // count malformed lines instead of refusing the file
};

/// Where a device lies in the address space that is replayed.
struct DevicePlace {
  std::string name;
  std::uint64_t base = 0;
  std::uint64_t bytes = 0; // up to the end of its highest request
};

/// What reading found, in the current round.
struct TraceStatus {
  std::string format;
  bool detected = false;
  std::uint64_t records = 0;       // delivered
  std::uint64_t bad_lines = 0;     // malformed and skipped
  std::uint64_t other_lines = 0;   // of kinds that carry no request
  std::uint64_t zero_length = 0;   // requests of no bytes, dropped
  std::uint64_t out_of_window = 0; // arrived earlier than a record already delivered: moved to its time
  std::uint64_t clock_jumps = 0;
  std::uint64_t extent_bytes = 0; // end of the highest request after the layout; 0 if there was no first pass
  std::uint64_t requests_read = 0; // in this round
  std::uint64_t repeated = 0; // of a column map's: equal to one of the 256 before in kind, place and device
  std::uint64_t other_devices = 0;  // requests of devices other than the one asked for
  LineTally lines;                  // lines by action, requests that could not be replayed as they are
  std::vector<std::string> devices; // in the order in which they are laid out
  std::vector<DevicePlace> places;  // of these; none if there was no first pass
  std::vector<std::string> devices_left_out; // those of other_devices
};

/// What of the file was not replayed as it stands there, and why: a sentence for each reason. Nothing is
/// dropped or changed in silence.
std::vector<std::string> notes_of(const TraceStatus& status);

class TraceSource : public IoSource {
 public:
  virtual const TraceStatus& status() const = 0;
  /// notes_of(status()), of several files each with its name.
  virtual std::vector<std::string> notes() const { return notes_of(status()); }
  /// The time that the first record has in the file; after the first next() of a round.
  virtual std::uint64_t first_ns() const = 0;
};

/// What messages and results call the traces: their paths.
std::vector<std::string> names_of(const TraceOptions& options);

/// Throws InputError: no such file, unknown format, a bad option and, if devices are concatenated, every
/// error the file holds (the first pass reads it all), among them that it holds no request. Under `keep`
/// these show up in next().
std::unique_ptr<TraceSource> open_trace(const TraceOptions& options);

} // namespace twinplane::platform
