#include "platform/trace/merged_trace.h"

#include <algorithm>
#include <utility>

#include "platform/config/error.h"
#include "platform/trace/device_table.h"

namespace twinplane::platform {
namespace {

constexpr std::size_t kMostTraces = 1024;
constexpr std::size_t kMostDevices = 65536;

/// One file, its next record, and what its records are moved by.
struct Part {
  std::string name;
  std::unique_ptr<TraceSource> source;
  IoRecord next;
  bool ended = false;
  std::uint64_t starts_ns = 0;       // in the merged time
  std::vector<std::uint64_t> moves;  // by device: of its offsets; none under DeviceLayout::keep
  std::vector<std::uint16_t> device; // by device: its number among all
};

class MergedTrace final : public TraceSource {
 public:
  explicit MergedTrace(const TraceOptions& options);

  bool next(IoRecord& record) override;
  void rewind() override;
  std::uint64_t size_hint() const override;
  const TraceStatus& status() const override { return status_; }
  std::vector<std::string> notes() const override;
  std::uint64_t first_ns() const override { return first_ns_; }

 private:
  void lay_out();
  void lay_behind(Part& part, std::uint64_t base);
  void lay_by_name();
  void start();
  void read(Part& part);

  TraceOptions options_;
  std::vector<Part> parts_;
  TraceStatus status_;
  std::uint64_t first_ns_ = 0;
  bool started_ = false;
  std::vector<std::string> other_clocks_; // files that begin too far from the first
};

MergedTrace::MergedTrace(const TraceOptions& options) : options_(options) {
  const std::vector<std::string> names = names_of(options);
  if (names.size() > kMostTraces) {
    throw InputError("expected at most " + std::to_string(kMostTraces) + " traces, got " +
                     std::to_string(names.size()));
  }
  for (const std::string& name : names) {
    TraceOptions one = options;
    one.path = name;
    one.others.clear();
    Part part;
    part.name = name;
    part.source = open_file(one);
    const TraceStatus& status = part.source->status();
    if (parts_.empty()) {
      status_.format = status.format;
      status_.detected = status.detected;
    } else if (status_.format.find(status.format) == std::string::npos) {
      status_.format += ", " + status.format;
    }
    parts_.push_back(std::move(part));
  }
  if (options_.devices != DeviceLayout::keep) lay_out();
}

void MergedTrace::lay_out() {
  if (options_.devices == DeviceLayout::by_name) {
    lay_by_name();
  } else {
    for (Part& part : parts_) lay_behind(part, DeviceTable::aligned(status_.extent_bytes));
  }
  if (status_.places.size() > kMostDevices)
    throw InputError("expected at most 65536 devices in all traces together, got more");
  for (const DevicePlace& place : status_.places) status_.devices.push_back(place.name);
}

/// All devices of the file, as the file alone has them, from `base` on.
void MergedTrace::lay_behind(Part& part, std::uint64_t base) {
  for (const DevicePlace& place : part.source->status().places) {
    part.moves.push_back(base);
    part.device.push_back(static_cast<std::uint16_t>(status_.places.size()));
    const std::string name = place.name.empty() ? part.name : part.name + ":" + place.name;
    status_.places.push_back({name, base + place.base, place.bytes});
    status_.extent_bytes = std::max(status_.extent_bytes, base + place.base + place.bytes);
  }
  if (status_.extent_bytes > DeviceTable::kMostBytes)
    throw InputError(part.name + ": expected all traces, one behind the other, to end below 2^63 bytes");
}

/// Devices of one name are one device, as long as the longest of them.
void MergedTrace::lay_by_name() {
  DeviceTable devices;
  for (const Part& part : parts_) {
    for (const DevicePlace& place : part.source->status().places) {
      DeviceTable::Device& device = devices.find(place.name);
      device.end = std::max(device.end, place.bytes);
    }
  }
  status_.extent_bytes = devices.concatenate();
  const std::vector<std::string> names = devices.names();
  for (const DeviceTable::Device* device : devices.in_order())
    status_.places.push_back({names[device->index], device->base, device->end});
  for (Part& part : parts_) {
    for (const DevicePlace& place : part.source->status().places) {
      const DeviceTable::Device& device = devices.find(place.name);
      part.moves.push_back(device.base - place.base); // modulo 2^64 where it moves down
      part.device.push_back(device.index);
    }
  }
}

void MergedTrace::read(Part& part) {
  part.ended = !part.source->next(part.next);
  if (part.ended) return;
  IoRecord& record = part.next;
  record.trace = static_cast<std::uint16_t>(&part - parts_.data());
  if (part.moves.empty()) return;
  record.offset += record.op == IoOp::flush ? 0 : part.moves[record.device];
  record.device = part.device[record.device];
}

/// The first records say when each file begins.
void MergedTrace::start() {
  started_ = true;
  other_clocks_.clear();
  for (Part& part : parts_) read(part);
  first_ns_ = ~std::uint64_t{0};
  for (const Part& part : parts_) {
    if (!part.ended) first_ns_ = std::min(first_ns_, part.source->first_ns());
  }
  for (Part& part : parts_) {
    part.starts_ns =
        part.ended || options_.clock == TraceClock::own ? 0 : part.source->first_ns() - first_ns_;
    if (part.starts_ns <= options_.max_gap_ns) continue;
    other_clocks_.push_back(part.name);
    part.starts_ns = 0;
  }
}

bool MergedTrace::next(IoRecord& record) {
  if (!started_) start();
  Part* earliest = nullptr;
  std::uint64_t at = 0;
  for (Part& part : parts_) {
    if (part.ended) continue;
    const std::uint64_t arrival = part.starts_ns + part.next.arrival_ns;
    if (earliest != nullptr && arrival >= at) continue;
    earliest = &part;
    at = arrival;
  }
  if (earliest == nullptr) return false;
  record = earliest->next;
  record.arrival_ns = at;
  ++status_.records;
  read(*earliest);
  return true;
}

void MergedTrace::rewind() {
  for (Part& part : parts_) part.source->rewind();
  started_ = false;
  status_.records = 0;
}

std::uint64_t MergedTrace::size_hint() const {
  std::uint64_t all = 0;
  for (const Part& part : parts_)
    all += part.source->size_hint(); // 0 of all of them under DeviceLayout::keep
  return all;
}

std::vector<std::string> MergedTrace::notes() const {
  std::vector<std::string> notes;
  for (const Part& part : parts_) {
    for (const std::string& note : part.source->notes()) notes.push_back(part.name + ": " + note);
  }
  for (const std::string& name : other_clocks_) {
    notes.push_back(name +
                    ": begins so long after the others that it has another clock: it begins with them");
  }
  return notes;
}

} // namespace

std::unique_ptr<TraceSource> merge_traces(const TraceOptions& options) {
  return std::make_unique<MergedTrace>(options);
}

} // namespace twinplane::platform
