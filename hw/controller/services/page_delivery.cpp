#include "hw/controller/services/page_delivery.h"

#include <algorithm>

#include "hw/core/block_error.h"
#include "hw/spec/onfi_commands.h"

namespace twinplane::hw {

namespace {

/// A read has waited for suspends, too: its time in the controller before it ran, as far as one was under way.
void split_wait(FlashCompletion& completion, const DieQueue& die, const FlashGroup& group) {
  constexpr TimePs kMost = 0xFFFFFFFFu;
  const TimePs waited = std::min(die.suspending - group.suspending, completion.bus_wait_ps) / ns(1);
  completion.suspend_wait_ns = static_cast<std::uint32_t>(std::min(waited, kMost));
  completion.bus_wait_ps -= completion.suspend_wait_ns * ns(1);
}

} // namespace

void PageDelivery::connect(std::uint8_t* dram) {
  if (port_.size() == 0) own_ecc_ = make_ecc(config_.ecc);
  ecc_ = port_.size() == 0 ? own_ecc_.get() : port_.operator->();
  dram_ = dram;
  retries_.set_levels(config_.read_retries, ecc_->soft_senses());
}

void PageDelivery::deliver(const DieQueue& die, FlashGroup& group, TimePs array) {
  const FlashDescriptor& d = group.planes[group.next_out];
  const OnfiPlane& data = c_.bus.tenure().planes[0];
  // The data is complete at the end of its phase; then the bus turns round (tRHW).
  FlashCompletion completion = group.completion(c_.bus.on_bus(group, data.end), array, data.end);
  if (config_.suspend.enabled) split_wait(completion, die, group);
  const EccResult ecc =
      decode({data.bytes, data.errors, data.end, d.sector_mask, retries_.soft_senses(group)});
  completion.cookie = d.cookie;
  completion.status = onfi::status::idle;
  set_result(completion, d, data, ecc);
  completion.corrected_bits = ecc.corrected_bits;
  completion.ecc_ps = ecc.latency;
  if (data.errors.flips != nullptr) correct(d.buffer, *data.errors.flips, ecc.failed);
  c_.statistics.page_bytes_out += data.bytes;
  TimePs known = data.end + ecc.latency;
  if (c_.pacing.paced()) {
    const TimePs drained = c_.pacing.drain(data, data.data + ecc.latency, known, d.buffer);
    completion.bus_wait_ps += drained - known;
    known = drained;
  }
  if (group.retry != nullptr && group.retry->level != 0)
    return retries_.judge(group, completion, data.lost, known);
  const bool counted = data.errors.codewords != 0;
  if (counted) count(data.errors, (d.flags & flash_flag::for_host) != 0);
  const bool uncorrectable = (completion.result & flash_result::uncorrectable) != 0;
  const bool helps = data.corrupt || completion.failed_sectors != (data.lost & d.sector_mask);
  if (uncorrectable && helps && retries_.tries()) return retries_.keep(group, data.errors, completion, known);
  if (counted) count_outcome(c_.statistics.read_errors[data.errors.kind], completion);
  c_.rings.post(completion, known);
  c_.rings.interrupt();
}

inline EccResult PageDelivery::decode(const EccInput& input) {
  EccResult result;
  try {
    result = ecc_->decode(input);
  } catch (...) {
    if (port_.size() != 0) rethrow_from(port_, input.at);
    throw;
  }
  if (result.latency > config_.ready_timeout) check_latency(input.at, result.latency);
  return result;
}

/// A decoder may work on a page no longer than a die, behind those that it has had before. These are waited
/// for once more: where they end is noted only when that is later.
void PageDelivery::check_latency(TimePs since, TimePs latency) {
  const TimePs end = since + std::min(latency, kNever - since);
  const TimePs begin = std::max(decoded_until_, since + config_.ready_timeout);
  decoded_until_ = std::max(decoded_until_, end);
  if (end <= begin || end - begin <= config_.ready_timeout) return;
  report_timeout(port_.size() == 0 ? port_.get_parent_object()->name() : answers_to(port_), "decoded a page",
                 since, end);
}

/// What the decoder does to the data in DRAM, where they are as they came over the bus.
void PageDelivery::correct(std::uint32_t buffer, const std::vector<std::uint32_t>& flips,
                           std::uint32_t failed) {
  for (const std::uint32_t bit : flips) {
    std::uint8_t& byte = dram_[buffer + bit / 8];
    const bool stays = (failed >> bit / 8 / config_.geometry.sector_size & 1u) != 0;
    if (!stays) byte = static_cast<std::uint8_t>(byte ^ 1u << bit % 8);
  }
}

void PageDelivery::count(const RawErrors& errors, bool for_host) {
  ReadErrorStatistics& s = c_.statistics.read_errors[errors.kind];
  ++s.pages;
  s.codewords += errors.codewords;
  s.bit_errors += errors.total;
  if (for_host) {
    c_.statistics.host_codewords += errors.codewords;
    c_.statistics.host_bit_errors += errors.total;
  }
}

} // namespace twinplane::hw
