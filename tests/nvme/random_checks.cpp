// RandomHost: what comes back.
#include <algorithm>

#include "tests/nvme/random_host.h"

namespace twinplane::test {

namespace st = nvme::status;

std::uint32_t RandomHost::waiting() const {
  std::uint32_t count = 0;
  for (const auto& command : outstanding_) count += command.second.for_ever ? 0 : 1;
  return count;
}

void RandomHost::poll(bool tell) {
  for (std::uint16_t id = 0; id <= options_.queues; ++id) {
    if (!cq[id].live) continue;
    poll_queue(id);
    if (tell) ring_head(id);
  }
  if (!late_finding_.empty()) fail(late_finding_);
}

void RandomHost::poll_queue(std::uint16_t id) {
  while (const auto entry = take(id)) {
    const std::string who = "SQ " + std::to_string(entry->sq_id) + ", cid " + std::to_string(entry->cid);
    note("CQ " + std::to_string(id) + ": " + who + " status " + std::to_string(entry->status >> 1));
    const auto found = outstanding_.find(key(entry->sq_id, entry->cid));
    if (found == outstanding_.end()) fail("a completion without a command: " + who);
    if (sq[entry->sq_id].live && sq[entry->sq_id].cqid != id) fail("a completion in the wrong queue: " + who);
    check_head(*entry);
    Drawn drawn = std::move(found->second);
    outstanding_.erase(found);
    finish(drawn, *entry);
  }
}

void RandomHost::check_head(const nvme::Cqe& entry) {
  Sq& queue = sq[entry.sq_id];
  if (entry.reserved != 0) fail("dword 1 of a completion is not zero");
  if (queue.entries == 0) return;
  const std::uint32_t span = (queue.rung + queue.entries - queue.head) % queue.entries;
  const std::uint32_t advance = (entry.sq_head + queue.entries - queue.head) % queue.entries;
  if (entry.sq_head >= queue.entries || advance > span) {
    fail("SQ " + std::to_string(entry.sq_id) + " head " + std::to_string(entry.sq_head) +
         " does not lie between " + std::to_string(queue.head) + " and " + std::to_string(queue.rung));
  }
  queue.head = entry.sq_head;
}

void RandomHost::finish(Drawn& drawn, const nvme::Cqe& entry) {
  const auto status = static_cast<std::uint16_t>(entry.status >> 1 & 0x7FF);
  if (key(drawn.sqid, drawn.sqe.cid) == awaited_) last_status_ = status;
  if (status != st::success) ++counts_.errors;
  check_compare(drawn);
  check_spoilt(drawn, status);
  bool legal = drawn.legal.empty() || std::count(drawn.legal.begin(), drawn.legal.end(), status) != 0;
  legal = legal || (drawn.may_be_aborted && status == st::abort_requested);
  legal = legal || (drawn.may_lose_data && status == st::data_transfer_error);
  if (!legal) {
    std::string text = std::string(drawn.what) + " (opcode " + std::to_string(drawn.sqe.opcode) + ", cdw10 " +
                       std::to_string(drawn.sqe.cdw10) + ", cdw11 " + std::to_string(drawn.sqe.cdw11) +
                       ", nsid " + std::to_string(drawn.sqe.nsid) + ") ends with status " +
                       std::to_string(status) + ", not with";
    for (const std::uint16_t one : drawn.legal) text += " " + std::to_string(one);
    fail(text);
  }
  settle(drawn, status);
  prps_.release(drawn.data);
}

/// Tells the shadow, and looks at data that came.
void RandomHost::settle(Drawn& drawn, std::uint16_t status) {
  switch (drawn.effect) {
    case Effect::write:
    case Effect::zero:
    case Effect::spoil:
      settle_write(drawn, status);
      break;
    case Effect::trim:
      for (const std::uint64_t lba : drawn.trimmed) {
        // whole units read as zeros (DLFEAT), of others the drive may keep what it likes; nothing happens
        // when the ranges were refused or did not arrive
        if (status == st::success && drawn.zeroed.count(lba) != 0) {
          shadow_.succeeded(lba, drawn.version, drawn.sent, now());
        } else if (status == st::success || status == st::abort_requested) {
          shadow_.unclear(lba, drawn.version, now());
        } else {
          shadow_.untouched(lba, drawn.version);
        }
      }
      break;
    case Effect::read:
      if (status == st::success) check_read(drawn);
      break;
    default:
      break;
  }
}

// A sector whose data never arrived keeps its old ones; of other sectors of a failed write nothing is known.
void RandomHost::settle_write(const Drawn& drawn, std::uint16_t status) {
  for (std::uint32_t i = 0; i < drawn.sectors; ++i) {
    const std::uint64_t lba = drawn.lba + i;
    const bool lost =
        drawn.effect == Effect::write && !drawn.data.reachable(i * sector_bytes_, sector_bytes_);
    if (status == st::success) {
      shadow_.succeeded(lba, drawn.version, drawn.sent, now());
    } else if (lost || status == st::abort_requested) {
      shadow_.untouched(lba, drawn.version);
    } else {
      shadow_.unclear(lba, drawn.version, now());
    }
  }
}

void RandomHost::check_read(const Drawn& drawn) {
  std::vector<std::uint8_t> bytes(sector_bytes_);
  for (std::uint32_t i = 0; i < drawn.sectors; ++i) {
    drawn.data.get(memory, i * sector_bytes_, bytes.data(), sector_bytes_);
    const std::string wrong = shadow_.check(drawn.lba + i, bytes.data(), drawn.sent, now());
    if (!wrong.empty()) fail("cid " + std::to_string(drawn.sqe.cid) + ": " + wrong);
  }
  const HostBuffer& data = drawn.data;
  const std::uint8_t* front = memory.at(data.pages.front() * HostMemory::kPage);
  const std::uint8_t* back = memory.at(data.pages.back() * HostMemory::kPage);
  const std::uint32_t end = (data.offset + data.bytes - 1) % HostMemory::kPage + 1;
  const auto untouched = [](std::uint8_t byte) { return byte == 0xA5; };
  if (!std::all_of(front, front + data.offset, untouched)) fail("a read wrote before its data");
  if (!std::all_of(back + end, back + HostMemory::kPage, untouched)) fail("a read wrote behind its data");
}

/// What a compare must find when nothing was written meanwhile; both outcomes are legal otherwise.
void RandomHost::check_compare(Drawn& drawn) const {
  if (drawn.effect != Effect::compare || drawn.data.status != st::success) return;
  bool certain = drawn.certain; // when it was drawn, and all the time since
  for (std::uint32_t i = 0; i < drawn.sectors; ++i) {
    std::uint32_t version = 0;
    certain = certain && shadow_.certain(drawn.lba + i, drawn.sent, version);
  }
  drawn.legal = {drawn.equal ? st::success : st::compare_failure};
  if (!certain) drawn.legal = {st::success, st::compare_failure};
}

/// Reads may fail where sectors have been spoilt, and must where nothing else can be there.
void RandomHost::check_spoilt(Drawn& drawn, std::uint16_t status) const {
  const bool reads =
      drawn.effect == Effect::read || drawn.effect == Effect::verify || drawn.effect == Effect::compare;
  if (!reads) return;
  bool may_be = false;
  for (std::uint32_t i = 0; i < drawn.sectors; ++i) {
    may_be = may_be || shadow_.may_be_spoilt(drawn.lba + i, drawn.sent);
    if (status == st::success && shadow_.must_be_spoilt(drawn.lba + i, drawn.sent))
      fail(std::string(drawn.what) + " of LBA " + std::to_string(drawn.lba + i) +
           ", which is spoilt, succeeds");
  }
  if (may_be && !drawn.legal.empty()) drawn.legal.push_back(st::unrecovered_read);
}

// Called at rest, after all entries were taken.
void RandomHost::check_pin() {
  if (intx.read())
    fail(msix_ ? "the pin is high with MSI-X enabled" : "the pin is high with nothing to take");
}

void RandomHost::on_write(std::uint64_t address, std::uint32_t bytes) {
  if (off_) late_finding_ = "the drive writes host memory while it is disabled";
  for (std::uint64_t page = address / HostMemory::kPage; page <= (address + bytes - 1) / HostMemory::kPage;
       ++page) {
    const bool queue = page < kFirstDataPage;
    const bool set_up = page == kFirstDataPage && !drawing_;
    if (!queue && !set_up && !pool_.owned(page))
      late_finding_ = "the drive writes a page that belongs to no command: " + std::to_string(page);
  }
}

void RandomHost::on_message(std::uint32_t offset, std::uint32_t data) {
  if (off_) late_finding_ = "the drive sends a message while it is disabled";
  if (offset != 16 * data || data > options_.queues) late_finding_ = "a message that no vector has";
}

} // namespace twinplane::test
