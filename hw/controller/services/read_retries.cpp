#include "hw/controller/services/read_retries.h"

#include <algorithm>
#include <cassert>

namespace twinplane::hw {

namespace {

/// The sectors that failed.
void sense_again(FlashGroup& group) {
  for (std::uint32_t i = 0; i < group.count; ++i) group.planes[i].sector_mask = group.retry->pages[i].failed;
  group.next_out = 0;
}

} // namespace

void ReadRetries::set_levels(std::uint32_t thresholds, std::uint32_t soft) {
  thresholds_ = thresholds;
  levels_ = thresholds + soft;
  assert(levels_ < kReadLevels && "the part has that many");
}

void ReadRetries::keep(FlashGroup& group, const RawErrors& errors, const FlashCompletion& completion,
                       TimePs known) {
  if (group.retry == nullptr) {
    if (free_ == nullptr) free_ = &retries_.emplace_back();
    group.retry = std::exchange(free_, free_->next);
    group.retry->failing = group.retry->level = 0;
    group.retry->due = 0;
  }
  ReadRetry& retry = *group.retry;
  retry.pages[retry.failing++] = {
      completion, known, group.next_out, completion.failed_sectors, errors.kind, errors.codewords != 0};
  retry.due = std::max(retry.due, known);
  ++statistics_.read_errors[errors.kind].retried;
}

void ReadRetries::defer(FlashGroup& group) {
  ReadRetry& retry = *group.retry;
  for (std::uint32_t i = 0; i < retry.failing; ++i) group.planes[i] = group.planes[retry.pages[i].plane];
  group.count = retry.failing;
  group.in_cache_registers = group.promised = false;
  retry.level = 1;
  sense_again(group);
  FlashGroup** link = &deferred_;
  while (*link != nullptr && (*link)->retry->due <= retry.due) link = &(*link)->next;
  group.next = std::exchange(*link, &group);
}

void ReadRetries::judge(FlashGroup& group, const FlashCompletion& latest, std::uint32_t lost, TimePs known) {
  ReadRetry& retry = *group.retry;
  ReadRetry::Page& page = retry.pages[group.next_out];
  retry.due = std::max(retry.due, known);
  page.failed = latest.failed_sectors;
  const bool only_lost = page.failed == (lost & page.failed);
  if (page.failed != 0 && !only_lost && retry.level != levels_) return;
  page.failed = 0; // as far as the senses to come are concerned
  FlashCompletion completion = latest;
  completion.bus_wait_ps = page.completion.bus_wait_ps;
  completion.suspend_wait_ns = page.completion.suspend_wait_ns;
  completion.bus_ps = page.completion.bus_ps;
  completion.array_ps = page.completion.array_ps;
  completion.ecc_ps = page.completion.ecc_ps;
  completion.retry_ps = known - page.known;
  ReadErrorStatistics& statistics = statistics_.read_errors[page.kind];
  if (page.counted) count_outcome(statistics, completion);
  if (retry.level > thresholds_) ++statistics.soft;
  rings_.post(completion, known);
  rings_.interrupt();
}

void ReadRetries::end_sense(FlashGroup& group) const {
  ReadRetry& retry = *group.retry;
  std::uint32_t left = 0;
  for (std::uint32_t i = 0; i < group.count; ++i) {
    if (retry.pages[i].failed == 0) continue;
    retry.pages[left] = retry.pages[i];
    group.planes[left++] = group.planes[i];
  }
  if (left == 0) {
    retry.level = 0;
    return;
  }
  group.count = left;
  ++retry.level;
  sense_again(group);
}

void ReadRetries::forget(FlashGroup& group) {
  group.retry->next = std::exchange(free_, group.retry);
  group.retry = nullptr;
}

} // namespace twinplane::hw
