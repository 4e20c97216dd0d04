// RandomHost: what it does while the controller is enabled.
#include "tests/nvme/random_host.h"

#include <algorithm>

namespace twinplane::test {

namespace bar0 = nvme::bar;

void RandomHost::load(std::uint32_t commands) {
  const std::uint64_t end = counts_.commands + commands;
  while (counts_.commands < end) {
    act();
    if (draw_.chance(60)) pass(ns(draw_.below(draw_.pick({200u, 3000u, 30000u})) + 1));
  }
}

void RandomHost::act() {
  const std::uint32_t kind = draw_.below(1000);
  if (kind < 600) {
    submit();
  } else if (kind < 940) {
    poll(!draw_.one_in(6));
  } else if (kind < 960) {
    submit_abort();
  } else if (kind < 966) {
    remove_queue();
  } else if (kind < 972) {
    ring_wrongly();
  } else if (kind < 980) {
    change_interrupts();
  } else if (kind < 984) {
    change_memory();
  } else if (kind < 994) {
    break_memory();
  } else if (kind < 996) {
    quiesce();
  } else if (kind < 997) {
    draw_.chance(70) ? format() : sanitize();
  }
}

/// With nothing under way: else it could not be told what came before it.
void RandomHost::format() {
  quiesce();
  nvme::Sqe sqe;
  sqe.opcode = nvme::admin::format;
  sqe.nsid = draw_.pick<std::uint32_t>({1, ~0u});
  sqe.cdw10 = draw_.below(2) << 9;
  if (execute_admin(sqe, "format") != 0) fail("format fails: " + std::to_string(last_status_));
  shadow_.all_zeros(now());
}

/// To its end; a drive that does not sanitize refuses it.
void RandomHost::sanitize() {
  quiesce();
  nvme::Sqe sqe;
  sqe.opcode = nvme::admin::sanitize;
  sqe.cdw10 = 2 | (draw_.one_in(2) ? 8u : 0u);
  const int status = execute_admin(sqe, "sanitize");
  if (status != (sanitizes_ ? 0 : nvme::status::invalid_opcode))
    fail("sanitize ends with " + std::to_string(status));
  if (!sanitizes_) return;
  sqe.cdw10 = 1; // to leave a failure: refused while the operation goes on, and when it has failed
  for (const TimePs end = now() + kPatience;; pass(us(draw_.from(1, 500)))) {
    const int state = execute_admin(sqe, "exit failure mode");
    if (state == 0) break;
    if (state != nvme::status::sanitize_in_progress || now() > end)
      fail("a sanitize operation ends with " + std::to_string(state));
  }
  shadow_.all_zeros(now());
}

void RandomHost::submit() {
  std::uint16_t id = draw_.one_in(12) ? 0 : static_cast<std::uint16_t>(draw_.from(1, options_.queues));
  if (!sq[id].live) return;
  std::uint32_t burst = draw_.chance(60) ? 1 : draw_.from(1, 12);
  while (burst-- != 0 && sq[id].room() != 0 && outstanding_.size() < kMostOutstanding) {
    Drawn drawn = id == 0 ? drawing_->admin() : drawing_->io();
    // An event request moves the queue's head for the host only when a later command completes.
    if (drawn.for_ever && sq[id].room() < 2) return;
    submit(id, std::move(drawn));
  }
  if (!draw_.one_in(10)) ring(id);
}

void RandomHost::submit(std::uint16_t id, Drawn drawn) {
  while (outstanding_.count(key(id, next_cid_)) != 0) ++next_cid_;
  drawn.sqid = id;
  drawn.sqe.cid = next_cid_++;
  drawn.sent = now();
  note("SQ " + std::to_string(id) + ": cid " + std::to_string(drawn.sqe.cid) + " " + drawn.what + " LBA " +
       std::to_string(drawn.lba) + " x " + std::to_string(drawn.sectors) + " version " +
       std::to_string(drawn.version) + (drawn.data.status != 0 ? " with a PRP fault" : ""));
  push(id, drawn.sqe);
  ++counts_.commands;
  outstanding_.emplace(key(id, drawn.sqe.cid), std::move(drawn));
  if (counts_.commands % 256 == 0) forget_past();
}

/// Reads that are outstanding may bring what was superseded since they were sent, and no other will.
void RandomHost::forget_past() {
  TimePs oldest = now();
  for (const auto& [id, drawn] : outstanding_) {
    if (!drawn.for_ever) oldest = std::min(oldest, drawn.sent);
  }
  shadow_.forget_before(oldest);
}

/// Of a command that is outstanding, or of none.
void RandomHost::submit_abort() {
  if (sq[0].room() == 0) return;
  Drawn drawn;
  drawn.what = "abort";
  drawn.sqe.opcode = nvme::admin::abort;
  drawn.sqe.cdw10 = draw_.word32();
  drawn.legal = {nvme::status::success, nvme::status::abort_limit};
  if (!outstanding_.empty() && draw_.chance(90)) {
    auto victim = outstanding_.begin();
    std::advance(victim, draw_.below(outstanding_.size()));
    victim->second.may_be_aborted = true;
    drawn.sqe.cdw10 = victim->second.sqid | std::uint32_t{victim->second.sqe.cid} << 16;
  }
  submit(0, drawn);
  ring(0);
}

/// Deletes a submission queue, with commands in it or not, and mostly creates it anew.
void RandomHost::remove_queue() {
  const auto id = static_cast<std::uint16_t>(draw_.from(1, options_.queues));
  if (!sq[id].live) return;
  if (!options_.loaded_resets) quiesce();
  nvme::Sqe sqe;
  sqe.opcode = nvme::admin::delete_sq;
  sqe.cdw10 = id;
  if (draw_.chance(50)) ring(id);
  if (execute_admin(sqe, "delete SQ") != 0) fail("delete SQ fails: " + std::to_string(last_status_));
  ++counts_.deletions;
  poll(false); // what was posted before the deletion completed
  sq[id].live = false;
  drop(id, false);
  if (draw_.chance(80)) make_sq(id);
}

/// Doorbells of queues that are not, values that cannot be: reported and ignored.
void RandomHost::ring_wrongly() {
  const std::uint32_t id = draw_.below(options_.queues + 8);
  const bool exists = id <= options_.queues && sq[id].live;
  const std::uint32_t entries = exists ? sq[id].entries : 0;
  write(bar0::doorbells + 8 * id, exists ? entries + draw_.below(5000) : draw_.wild());
}

void RandomHost::change_interrupts() {
  if (draw_.chance(40)) {
    const std::uint32_t vector = draw_.below(options_.queues + 1);
    write(bar0::msix_table + 16 * vector + 12, draw_.below(2));
  } else if (draw_.chance(40)) {
    write(draw_.chance(30) ? bar0::intms : bar0::intmc, draw_.wild());
  } else if (draw_.chance(50)) {
    msix_ = draw_.chance(60);
    write(bar0::msix_control, (msix_ ? 0x8000 : 0) | (draw_.one_in(4) ? 0x4000 : 0));
  } else {
    const std::uint32_t offset = draw_.below(bar0::size / 4) * 4; // any register may be read
    read(offset);
  }
}

void RandomHost::change_memory() {
  memory.set_direct(
      draw_.pick({HostMemory::Direct::never, HostMemory::Direct::whole, HostMemory::Direct::parts}));
  memory.latency = sc_core::sc_time(draw_.chance(50) ? 0 : draw_.below(2000), sc_core::SC_NS);
  memory.latency_waits = options_.waiting_memory && draw_.chance(50);
}

/// A page of some command's data stops answering, or all do again.
void RandomHost::break_memory() {
  if (!options_.broken_data || outstanding_.empty()) return;
  auto at = outstanding_.begin();
  std::advance(at, draw_.below(outstanding_.size()));
  Drawn& drawn = at->second;
  if (drawn.data.pages.empty() || drawn.data.status != nvme::status::success) return;
  note("memory fails under cid " + std::to_string(drawn.sqe.cid) + " of SQ " + std::to_string(drawn.sqid));
  memory.refuse(drawn.data.pages[draw_.below(drawn.data.pages.size())], true);
  drawn.may_lose_data = true;
}

int RandomHost::execute_admin(const nvme::Sqe& sqe, const char* what) {
  const TimePs end = now() + kPatience;
  while (sq[0].room() == 0) {
    ring(0);
    poll(true);
    pass(us(5));
    if (now() > end) fail("the admin queue stays full");
  }
  Drawn drawn;
  drawn.sqe = sqe;
  drawn.what = what;
  drawn.legal.clear();
  awaited_ = key(0, next_cid_);
  while (outstanding_.count(awaited_) != 0) awaited_ = key(0, ++next_cid_);
  last_status_ = -1;
  submit(0, drawn);
  ring(0);
  while (last_status_ < 0) {
    poll(true);
    if (last_status_ >= 0) break;
    pass(us(draw_.from(1, 10)));
    if (now() > end) fail("no completion of " + std::string(what));
  }
  awaited_ = ~0u;
  return last_status_;
}

} // namespace twinplane::test
