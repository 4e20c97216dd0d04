// Retries: pages that could not be corrected are read again at one read level (feature 89h) after the other,
// until their codewords can be corrected or no level is left. First come levels with other thresholds, each
// decoded for itself, then senses for soft decisions, which are decoded together.
//
// The controller does this and not the firmware: it has the die's order of commands in hand, so nobody else's
// read can come between a level and the read that it is meant for, and no turn of the core is lost. The
// firmware sees one completion.
//
// What is read again is a group like any other, of the pages that failed and their sectors that failed. It
// stands in its die's FIFO behind what runs when its last decoding has failed; the die goes on with other
// commands until then. Once it is its turn it keeps the die: D5h sets the level of the LUN, 00h-30h and data
// out follow, and so on; after the last sense D5h sets level 0 again. The bus serves other dies during tFEAT,
// tR and decoding.
#include <algorithm>

#include "hw/controller/flash_controller.h"
#include "hw/spec/onfi_commands.h"

namespace twinplane::hw {

/// A page of a group that was read for the first time.
void FlashController::keep_for_retry(FlashGroup& group, const FlashCompletion& completion, TimePs known) {
  if (group.retry == nullptr) {
    if (free_retries_ == nullptr) free_retries_ = &retries_.emplace_back();
    group.retry = free_retries_;
    free_retries_ = group.retry->next;
    group.retry->failing = group.retry->level = 0;
    group.retry->due = 0;
  }
  ReadRetry& retry = *group.retry;
  const RawErrors& errors = tenure_.planes[0].errors;
  retry.pages[retry.failing++] = {
      completion, known, group.next_out, completion.failed_sectors, errors.kind, errors.codewords != 0};
  retry.due = std::max(retry.due, known);
  ++statistics_.read_errors[errors.kind].retried;
}

/// The group has left its die: it comes back when its decodings have ended.
void FlashController::defer(FlashGroup& group) {
  ReadRetry& retry = *group.retry;
  for (std::uint32_t i = 0; i < retry.failing; ++i) group.planes[i] = group.planes[retry.pages[i].plane];
  group.count = retry.failing;
  group.in_cache_registers = false;
  retry.level = 1;
  sense_again(group);
  FlashGroup** link = &deferred_;
  while (*link != nullptr && (*link)->retry->due <= retry.due) link = &(*link)->next;
  group.next = *link;
  *link = &group;
}

/// The sectors that failed.
void FlashController::sense_again(FlashGroup& group) {
  for (std::uint32_t i = 0; i < group.count; ++i) group.planes[i].sector_mask = group.retry->pages[i].failed;
  group.next_out = 0;
}

/// Puts the first deferred group behind what its die is at; what has been promised to the die comes first.
void FlashController::join_retry(TimePs at) {
  FlashGroup& group = *deferred_;
  deferred_ = group.next;
  DieState& die = dies_[group.die];
  if (die.head == nullptr || die.stage == Stage::plane_reads) { // the planes that read are not in the list
    group.next = die.head;
    if (die.head == nullptr) die.tail = &group;
    die.head = &group;
    start_head(group.die, at);
    return;
  }
  FlashGroup* front = die.head;
  if (die.suspended != nullptr) {
    front = die.suspended; // a read may pass it, if its turn comes
  } else if (die.head->cached || (die.ahead && die.head->in_cache_registers)) {
    front =
        die.head->next; // the array has it, or takes it next; a head not in the cache registers is it itself
  }
  group.next = front->next;
  front->next = &group;
  if (die.tail == front) die.tail = &group;
  consider_suspend(group.die, at);
}

/// A page of a group that is read again.
void FlashController::post_retried(FlashGroup& group, const FlashCompletion& latest, TimePs known) {
  ReadRetry& retry = *group.retry;
  ReadRetry::Page& page = retry.pages[group.next_out];
  retry.due = std::max(retry.due, known);
  page.failed = latest.failed_sectors;
  const bool only_lost = page.failed == (tenure_.planes[0].lost & page.failed);
  if (page.failed != 0 && !only_lost && retry.level != read_levels_) return;
  page.failed = 0; // as far as the senses to come are concerned
  FlashCompletion completion = latest;
  completion.bus_wait_ps = page.completion.bus_wait_ps;
  completion.suspend_wait_ns = page.completion.suspend_wait_ns;
  completion.bus_ps = page.completion.bus_ps;
  completion.array_ps = page.completion.array_ps;
  completion.ecc_ps = page.completion.ecc_ps;
  completion.retry_ps = known - page.known;
  if (page.counted) count_end(page.kind, completion);
  if (retry.level > config_.read_retries) ++statistics_.read_errors[page.kind].soft;
  rings_.post(completion, known);
  rings_.interrupt();
}

/// The last data of a sense have left the die. Their decodings tell what comes next.
void FlashController::end_sense(std::uint32_t die, TimePs at) {
  FlashGroup& group = *dies_[die].head;
  ReadRetry& retry = *group.retry;
  std::uint32_t left = 0;
  for (std::uint32_t i = 0; i < group.count; ++i) {
    if (retry.pages[i].failed == 0) continue;
    retry.pages[left] = retry.pages[i];
    group.planes[left++] = group.planes[i];
  }
  if (left == 0) {
    retry.level = 0;
  } else {
    group.count = left;
    ++retry.level;
    sense_again(group);
  }
  want(die, Stage::level, std::max(at, retry.due));
}

void FlashController::level_tenure(std::uint32_t die, TimePs at) {
  FlashGroup& group = *dies_[die].head;
  builder_.read_level(tenure_, addresses_.lun(group.planes[0]), group.retry->level, parameters_.data());
  const TimePs end = drive(die, at);
  dies_[die].command_end = end;
  dies_[die].ready_at = tenure_.ready_at;
  want(die, Stage::level_wait, config_.poll_status ? end : std::max(tenure_.ready_at, end));
}

/// tFEAT has passed, or is asked for.
void FlashController::level_wait(std::uint32_t die, TimePs at) {
  FlashGroup& group = *dies_[die].head;
  if (config_.poll_status) {
    builder_.status(tenure_, group);
    const TimePs end = drive(die, at);
    if ((tenure_.planes[0].status & onfi::status::rdy) == 0) {
      check_patience(die, dies_[die].command_end, end);
      want(die, Stage::level_wait, std::max(end, at + config_.poll_interval));
      return;
    }
    at = end;
  }
  if (group.retry->level != 0) {
    want(die, Stage::command, at);
    return;
  }
  group.retry->next = free_retries_;
  free_retries_ = group.retry;
  group.retry = nullptr;
  finish_group(die, at);
}

} // namespace twinplane::hw
