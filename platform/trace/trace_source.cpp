#include "platform/trace/trace_source.h"

#include <algorithm>
#include <utility>

#include "platform/config/error.h"
#include "platform/trace/arrival_window.h"
#include "platform/trace/column_map.h"
#include "platform/trace/device_table.h"
#include "platform/trace/formats.h"
#include "platform/trace/line_reader.h"
#include "platform/trace/merged_trace.h"
#include "platform/trace/repeat_counter.h"

namespace twinplane::platform {
namespace {

constexpr std::size_t kMostWindow = std::size_t{1} << 24;
constexpr std::size_t kMostKept = std::size_t{1} << 20; // records of a first pass, 32 MiB

std::unique_ptr<RecordParser> choose_parser(const TraceOptions& options, TraceStatus& status, bool& by_base) {
  const bool by_columns =
      options.format == "columns" || (options.format == "auto" && !options.columns.empty());
  if (by_columns) {
    status.format = "columns";
    ColumnMap map = parse_column_map(options.columns);
    by_base = !map.bases.empty();
    if (!options.time_unit.empty()) map.time_unit = require_time_unit(options.time_unit);
    return make_column_parser(std::move(map));
  }
  if (!options.columns.empty())
    throw InputError("columns: expected only with format columns, got " + options.format);
  status.detected = options.format == "auto";
  const TraceFormat& format =
      status.detected ? detect_trace_format(options.path) : find_trace_format(options.format);
  status.format = std::string(format.name);
  return make_parser(format, {options.time_unit, options.block_action});
}

IoRecord to_record(const RawRecord& raw, const DeviceTable::Device& device) {
  IoRecord record;
  record.arrival_ns = raw.time_ns;
  record.op = raw.op;
  record.fua = raw.fua;
  record.offset = device.base + raw.offset;
  record.length = static_cast<std::uint32_t>(raw.length);
  record.device = device.index;
  return record;
}

class FileTrace final : public TraceSource {
 public:
  explicit FileTrace(const TraceOptions& options)
      : options_(options),
        lines_(options.path),
        parser_(choose_parser(options, status_, by_base_)),
        window_(std::min(options.sort_window, kMostWindow)) {
    if (by_base_) options_.devices = DeviceLayout::keep;
    if (options_.devices != DeviceLayout::keep) first_pass();
  }

  bool next(IoRecord& record) override;
  void rewind() override;
  std::uint64_t size_hint() const override { return total_; }
  const TraceStatus& status() const override { return status_; }
  std::uint64_t first_ns() const override { return first_ns_; }

 private:
  void first_pass();
  void keep(const RawRecord& raw, const DeviceTable::Device& device);
  bool take(IoRecord& record);
  bool read_request(RawRecord& raw);
  IoRecord place(const RawRecord& raw);
  bool is_wanted(const RawRecord& raw);
  void finish_lines();
  void split_preflush(RawRecord& raw);
  [[noreturn]] void refuse(const std::string& expected, std::string_view got) const;

  TraceOptions options_;
  TraceStatus status_;
  bool by_base_ = false; // the column map says where the devices lie
  RepeatCounter repeats_;
  LineReader lines_;
  std::unique_ptr<RecordParser> parser_;
  DeviceTable devices_;
  DeviceTable left_out_;
  ArrivalWindow window_;
  std::vector<IoRecord> kept_; // the whole trace, if it is short enough to be parsed only once
  bool all_kept_ = false;
  std::size_t next_kept_ = 0;
  std::uint64_t total_ = 0;
  std::uint64_t read_ = 0;
  RawRecord after_flush_; // the request of the line whose flush was delivered first
  bool flushed_ = false;  // it waits
  bool at_end_ = false;
  bool started_ = false;
  std::uint64_t first_ns_ = 0;    // of the first record
  std::uint64_t previous_ns_ = 0; // in the trace's epoch
  std::uint64_t base_ns_ = 0;     // what is subtracted from it
};

void FileTrace::refuse(const std::string& expected, std::string_view got) const {
  constexpr std::size_t kShown = 80;
  throw InputError(lines_.path() + ":" + std::to_string(lines_.line_number()) + ": expected " + expected +
                   ", got '" + std::string(got.substr(0, kShown)) + (got.size() > kShown ? "...'" : "'"));
}

/// Whether the request is of the device asked for.
bool FileTrace::is_wanted(const RawRecord& raw) {
  if (options_.only_device.empty() || raw.device == options_.only_device) return true;
  ++status_.other_devices;
  left_out_.find(raw.device);
  return false;
}

/// At the end of the file: what its lines were. A file without any request is refused.
void FileTrace::finish_lines() {
  status_.lines = parser_->tally();
  status_.requests_read = read_;
  status_.repeated = repeats_.repeated();
  status_.devices_left_out = left_out_.names();
  if (read_ != 0) return;
  std::string reasons;
  for (const std::string& note : notes_of(status_)) reasons += (reasons.empty() ? "" : "; ") + note;
  throw InputError(lines_.path() + ": expected requests to replay, got none in " +
                   std::to_string(lines_.line_number()) + " lines of format " + status_.format +
                   (reasons.empty() ? "" : ": " + reasons));
}

/// The next request of the file in file order, or false at its end.
bool FileTrace::read_request(RawRecord& raw) {
  if (options_.max_records != 0 && read_ == options_.max_records) {
    finish_lines();
    return false;
  }
  if (flushed_) { // its line is still the last one read
    flushed_ = false;
    raw = after_flush_;
    ++read_;
    return true;
  }
  constexpr std::uint64_t kMostLength = ~std::uint32_t{0};
  std::string_view line;
  Complaint complaint;
  while (lines_.next(line)) {
    if (lines_.line_number() <= parser_->skip_lines()) {
      ++status_.other_lines;
      continue;
    }
    if (line.empty() || line[0] == '#' || trim(line).empty()) continue;
    Parsed parsed = parser_->parse(line, raw, complaint);
    if (parsed == Parsed::record && (raw.length > kMostLength || raw.offset > ~std::uint64_t{0} / 2)) {
      complaint = {"a request below 4 GiB at an offset below 2^63", line};
      parsed = Parsed::malformed;
    }
    if (parsed == Parsed::malformed) {
      if (!options_.skip_bad_lines) refuse(std::string(complaint.expected), complaint.got);
      ++status_.bad_lines;
    } else if (parsed == Parsed::ignored) {
      ++status_.other_lines;
    } else if (raw.length == 0 && raw.op != IoOp::flush) {
      ++status_.zero_length;
    } else if (is_wanted(raw)) {
      ++read_;
      if (!options_.columns.empty()) repeats_.add(raw);
      if (raw.preflush) split_preflush(raw);
      return true;
    }
  }
  finish_lines();
  return false;
}

/// The flush before the request becomes a request of its own.
void FileTrace::split_preflush(RawRecord& raw) {
  after_flush_ = raw;
  after_flush_.preflush = false;
  flushed_ = true;
  raw.op = IoOp::flush;
  raw.fua = raw.preflush = false;
  raw.offset = raw.length = 0;
}

void FileTrace::first_pass() {
  RawRecord raw;
  while (read_request(raw)) {
    DeviceTable::Device& device = devices_.find(raw.device);
    device.end = std::max(device.end, raw.offset + raw.length);
    ++total_;
    keep(raw, device);
  }
  const std::vector<DeviceTable::Device*> as_met = devices_.in_order();
  status_.extent_bytes = devices_.concatenate();
  status_.devices = devices_.names();
  for (const DeviceTable::Device* device : devices_.in_order()) {
    status_.places.push_back({status_.devices[device->index], device->base, device->end});
  }
  all_kept_ = kept_.size() == total_;
  for (IoRecord& record : kept_) {
    const DeviceTable::Device& device = *as_met[record.device];
    record.offset += device.base;
    record.device = device.index;
  }
  if (!all_kept_) rewind();
}

void FileTrace::keep(const RawRecord& raw, const DeviceTable::Device& device) {
  if (total_ <= kMostKept) {
    kept_.push_back(to_record(raw, device));
  } else if (!kept_.empty()) {
    kept_ = {};
  }
}

/// The next record in file order, from memory or from the file.
bool FileTrace::take(IoRecord& record) {
  if (all_kept_) {
    if (next_kept_ == kept_.size()) return false;
    record = kept_[next_kept_++];
    return true;
  }
  RawRecord raw;
  if (!read_request(raw)) return false;
  record = place(raw);
  return true;
}

IoRecord FileTrace::place(const RawRecord& raw) {
  const DeviceTable::Device& device = devices_.find(raw.device);
  if (device.index >= status_.devices.size()) status_.devices.emplace_back(raw.device);
  return to_record(raw, device);
}

bool FileTrace::next(IoRecord& record) {
  while (!at_end_ && !window_.full()) {
    at_end_ = !take(record);
    if (!at_end_) window_.push(record);
  }
  if (window_.empty()) return false;
  record = window_.pop();
  if (!started_) {
    started_ = true;
    first_ns_ = previous_ns_ = base_ns_ = record.arrival_ns;
  }
  if (record.arrival_ns < previous_ns_) {
    ++status_.out_of_window;
    record.arrival_ns = previous_ns_;
  }
  if (record.arrival_ns - previous_ns_ > options_.max_gap_ns) {
    ++status_.clock_jumps;
    base_ns_ += record.arrival_ns - previous_ns_;
  }
  previous_ns_ = record.arrival_ns;
  record.arrival_ns -= base_ns_;
  ++status_.records;
  return true;
}

void FileTrace::rewind() {
  window_.clear();
  at_end_ = started_ = false;
  next_kept_ = 0;
  status_.records = status_.out_of_window = status_.clock_jumps = 0;
  if (all_kept_) return;
  lines_.rewind();
  parser_->restart();
  read_ = 0;
  flushed_ = false;
  repeats_ = {};
  status_.bad_lines = status_.other_lines = status_.zero_length = status_.other_devices = 0;
}

/// D, the default, is what formats with one line for each request have. Of several traces one may have actions.
void require_actions(const TraceOptions& options, const std::string& formats) {
  const auto has = [&formats](const char* name) { return formats.find(name) != std::string::npos; };
  if (options.block_action == 'D' || has("blkparse") || has("ftrace")) return;
  throw InputError(options.path + ": --block-action " + options.block_action + ": format " + formats +
                   " has one line for each request; expected a trace of format blkparse or ftrace");
}

} // namespace

std::vector<std::string> names_of(const TraceOptions& options) {
  std::vector<std::string> names{options.path};
  names.insert(names.end(), options.others.begin(), options.others.end());
  return names;
}

std::unique_ptr<TraceSource> open_file(const TraceOptions& options) {
  return std::make_unique<FileTrace>(options);
}

std::unique_ptr<TraceSource> open_trace(const TraceOptions& options) {
  std::unique_ptr<TraceSource> trace = options.others.empty() ? open_file(options) : merge_traces(options);
  require_actions(options, trace->status().format);
  return trace;
}

} // namespace twinplane::platform
