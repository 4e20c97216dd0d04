#include "firmware/nvme/features.h"

#include "firmware/nvme/identify.h"
#include "firmware/nvme/little_endian.h"
#include "hw/spec/registers.h"

namespace twinplane::fw {

namespace {

struct Row {
  std::uint8_t id;
  std::uint32_t stored;   // bits of CDW11 that are kept; others are ignored
  std::uint32_t refused;  // bits that must be zero: what the device cannot do
  std::uint32_t standard; // default value
};

constexpr Row kRows[Features::kSimple] = {
    {feature_id::arbitration, 0xFFFF'FF07, 0, 0x3},    // bursts of 8, equal weights
    {feature_id::power_management, 0xE0, 0x1F, 0},     // power state 0 only
    {feature_id::error_recovery, 0xFFFF, 1u << 16, 0}, // no deallocated-block error
    {feature_id::volatile_write_cache, 1, 0, 1},
    {feature_id::interrupt_coalescing, 0xFFFF, 0, 0},
    {feature_id::write_atomicity, 1, 0, 0},
    {feature_id::async_event, 0x4FF, 0, 0}, // SMART critical warnings, telemetry notices
};
constexpr std::uint32_t kNoRow = Features::kSimple;

constexpr std::uint32_t row_of(std::uint8_t id) {
  std::uint32_t row = 0;
  while (row < Features::kSimple && kRows[row].id != id) ++row;
  return row;
}

// CDW10 bits 10:8 of get features (section 5.15).
enum Select : std::uint32_t { current = 0, standard = 1, saved = 2, capabilities = 3 };
constexpr std::uint32_t kChangeable = 1u << 2;
constexpr std::uint32_t kSave = 1u << 31; // CDW10 of set features

constexpr std::uint32_t kCoalescingDisabled = 1u << 16;
constexpr std::uint64_t kPsPerMs = 1'000'000'000;

// Feature 04h, CDW11: threshold, sensor, over or under.
struct Threshold {
  explicit constexpr Threshold(std::uint32_t v)
      : kelvin(static_cast<std::uint16_t>(v & 0xFFFF)), sensor((v >> 16) & 15), type((v >> 20) & 3) {}
  std::uint16_t kelvin;
  std::uint32_t sensor; // 0 = composite, 15 = all (set only)
  std::uint32_t type;   // 0 = over, 1 = under
};

constexpr Features::Outcome refuse(std::uint16_t status) {
  return {status, 0};
}

} // namespace

void Features::reset() {
  for (std::uint32_t row = 0; row < kSimple; ++row) {
    values_[row] = kRows[row].standard;
    apply(row);
  }
  parts_.health->over_temperature = kWarningKelvin;
  parts_.health->under_temperature = 0;
}

bool Features::supported(std::uint8_t id) const {
  if (id == feature_id::volatile_write_cache) return parts_.config->volatile_write_cache;
  for (const std::uint8_t known : kFeatureIds) {
    if (known == id) return true;
  }
  return false;
}

// What holds for the whole controller cannot be set for a namespace (figure 128, status 10Fh).
std::uint16_t Features::check_namespace(std::uint8_t id, std::uint32_t nsid) {
  if (nsid == 0 || nsid == kAllNamespaces) return nvme::status::success;
  if (nsid != kNsid) return nvme::status::invalid_namespace;
  return id == feature_id::error_recovery ? nvme::status::success : nvme::status::feature_not_of_namespace;
}

void Features::apply(std::uint32_t row) {
  switch (kRows[row].id) {
    case feature_id::arbitration:
      parts_.hal->mmio_write(reg::kHostBase + reg::host::arbitration, values_[row]);
      break;
    case feature_id::interrupt_coalescing:
      parts_.hal->mmio_write(reg::kHostBase + reg::host::coalescing, values_[row]);
      break;
    case feature_id::volatile_write_cache:
      write_through_ = parts_.config->volatile_write_cache && values_[row] == 0;
      break;
    default:
      break;
  }
}

std::uint32_t Features::wanted_events() const {
  return values_[row_of(feature_id::async_event)];
}

Features::Outcome Features::get(const nvme::Sqe& sqe) const {
  const auto id = static_cast<std::uint8_t>(sqe.cdw10 & 0xFF);
  const std::uint32_t select = (sqe.cdw10 >> 8) & 7;
  if (!supported(id) || select > capabilities) return refuse(nvme::status::invalid_field);
  const std::uint32_t row = row_of(id);
  if (row == kNoRow) return get_special(sqe, select);
  if (select == capabilities) return {nvme::status::success, kChangeable};
  return {nvme::status::success, select == current ? values_[row] : kRows[row].standard};
}

Features::Outcome Features::get_special(const nvme::Sqe& sqe, std::uint32_t select) const {
  const bool defaults = select != current;
  switch (sqe.cdw10 & 0xFF) {
    case feature_id::temperature_threshold:
      if (select == capabilities) return {nvme::status::success, kChangeable};
      return get_threshold(sqe.cdw11, defaults);
    case feature_id::number_of_queues: {
      if (select == capabilities) return {nvme::status::success, kChangeable};
      const QueueTable& queues = *parts_.queues;
      const std::uint32_t sq = defaults ? queues.maximum() : queues.granted_submission();
      const std::uint32_t cq = defaults ? queues.maximum() : queues.granted_completion();
      return {nvme::status::success, (sq - 1) | (cq - 1) << 16};
    }
    case feature_id::interrupt_vector:
      if ((sqe.cdw11 & 0xFFFF) >= parts_.config->interrupt_vectors)
        return refuse(nvme::status::invalid_field);
      return {nvme::status::success, select == capabilities ? 0 : sqe.cdw11 & 0xFFFF};
    case feature_id::timestamp:
      return {nvme::status::success, select == capabilities ? kChangeable : 0};
    default:
      return refuse(nvme::status::invalid_field);
  }
}

Features::Outcome Features::set(const nvme::Sqe& sqe) {
  const auto id = static_cast<std::uint8_t>(sqe.cdw10 & 0xFF);
  const std::uint32_t row = row_of(id);
  if (!supported(id)) return refuse(nvme::status::invalid_field);
  if ((sqe.cdw10 & kSave) != 0) return refuse(nvme::status::feature_not_saveable);
  if (const std::uint16_t status = check_namespace(id, sqe.nsid); status != nvme::status::success)
    return refuse(status);
  if (row == kNoRow) return set_special(sqe);
  if ((sqe.cdw11 & kRows[row].refused) != 0) return refuse(nvme::status::invalid_field);
  values_[row] = sqe.cdw11 & kRows[row].stored;
  apply(row);
  return {};
}

Features::Outcome Features::set_special(const nvme::Sqe& sqe) {
  switch (sqe.cdw10 & 0xFF) {
    case feature_id::temperature_threshold:
      return set_threshold(sqe.cdw11);
    case feature_id::number_of_queues:
      return set_queues(sqe.cdw11);
    case feature_id::interrupt_vector:
      if ((sqe.cdw11 & 0xFFFF) >= parts_.config->interrupt_vectors)
        return refuse(nvme::status::invalid_field);
      // the front end coalesces all vectors or none
      if ((sqe.cdw11 & kCoalescingDisabled) != 0) return refuse(nvme::status::feature_not_changeable);
      return {};
    case feature_id::timestamp:
      return {};
    default:
      return refuse(nvme::status::invalid_field);
  }
}

// Section 5.21.1.7: zero based counts, FFFFh is not one, and only before the first I/O queue.
Features::Outcome Features::set_queues(std::uint32_t cdw11) {
  const std::uint32_t sq = cdw11 & 0xFFFF;
  const std::uint32_t cq = cdw11 >> 16;
  if (sq == 0xFFFF || cq == 0xFFFF) return refuse(nvme::status::invalid_field);
  if (parts_.queues->any_io_queue()) return refuse(nvme::status::command_sequence);
  const std::uint32_t maximum = parts_.queues->maximum();
  const std::uint32_t granted_sq = sq + 1 < maximum ? sq + 1 : maximum;
  const std::uint32_t granted_cq = cq + 1 < maximum ? cq + 1 : maximum;
  parts_.queues->grant(granted_sq, granted_cq);
  return {nvme::status::success, (granted_sq - 1) | (granted_cq - 1) << 16};
}

Features::Outcome Features::set_threshold(std::uint32_t cdw11) {
  const Threshold t(cdw11);
  if (t.type > 1 || (t.sensor != 0 && t.sensor != 15)) return refuse(nvme::status::invalid_field);
  (t.type == 0 ? parts_.health->over_temperature : parts_.health->under_temperature) = t.kelvin;
  return {};
}

Features::Outcome Features::get_threshold(std::uint32_t cdw11, bool defaults) const {
  const Threshold t(cdw11);
  if (t.type > 1 || t.sensor != 0) return refuse(nvme::status::invalid_field);
  if (defaults) return {nvme::status::success, t.type == 0 ? kWarningKelvin : 0u};
  return {nvme::status::success,
          t.type == 0 ? parts_.health->over_temperature : parts_.health->under_temperature};
}

void Features::set_timestamp(const std::uint8_t* data) {
  timestamp_ms_ = load<std::uint64_t>(data, 0) & 0xFFFF'FFFF'FFFF;
  timestamp_set_ps_ = parts_.hal->now_ps();
  timestamp_by_host_ = true;
}

void Features::write_timestamp(std::uint8_t* data) const {
  const std::uint64_t ms = timestamp_ms_ + (parts_.hal->now_ps() - timestamp_set_ps_) / kPsPerMs;
  const std::uint64_t origin = timestamp_by_host_ ? 1 : 0; // 0: counts from power-on
  put(data, 0, (ms & 0xFFFF'FFFF'FFFF) | origin << 49);
}

} // namespace twinplane::fw
