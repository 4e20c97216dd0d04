// CommandDraw: I/O commands.
#include "tests/nvme/command_draw.h"

#include <algorithm>
#include <set>

namespace twinplane::test {

namespace st = nvme::status;

Drawn CommandDraw::named(const char* what, std::uint8_t opcode) const {
  Drawn drawn;
  drawn.what = what;
  drawn.sqe.opcode = opcode;
  drawn.sqe.nsid = 1;
  return drawn;
}

void CommandDraw::address(Drawn& drawn, std::uint64_t lba, std::uint32_t sectors) const {
  drawn.lba = lba;
  drawn.sectors = sectors;
  drawn.sqe.cdw10 = static_cast<std::uint32_t>(lba);
  drawn.sqe.cdw11 = static_cast<std::uint32_t>(lba >> 32);
  drawn.sqe.cdw12 = sectors - 1;
}

/// Mostly at the beginning, sometimes at the very end.
std::uint64_t CommandDraw::draw_lba(std::uint32_t sectors) {
  const std::uint64_t window = std::min(limits_.sectors, limits_.hot_sectors);
  const std::uint64_t lba = draw_.chance(85) ? draw_.below(window)
                                             : (draw_.chance(50) ? limits_.sectors - 1 - draw_.below(window)
                                                                 : draw_.below(limits_.sectors));
  return std::min(lba, limits_.sectors - sectors);
}

PrpFault CommandDraw::fault() {
  if (!limits_.broken_data || !draw_.chance(10)) return PrpFault::none;
  return static_cast<PrpFault>(1 + draw_.below(static_cast<std::uint32_t>(PrpFault::kinds) - 1));
}

void CommandDraw::attach(Drawn& drawn, std::uint32_t bytes, std::uint32_t used, std::uint8_t fill) {
  drawn.data = prps_.lay_out(drawn.sqe, bytes, fault(), fill);
  if (drawn.data.status == st::success) return;
  const bool succeeds = drawn.legal == std::vector<std::uint16_t>{st::success};
  const bool met = used != 0 && !drawn.data.reachable(0, used);
  if (succeeds && met) drawn.legal.clear();
  drawn.legal.push_back(drawn.data.status);
}

Drawn CommandDraw::write(std::uint32_t sectors) {
  Drawn drawn = named("write", nvme::io::write);
  address(drawn, draw_lba(sectors), sectors);
  drawn.sqe.cdw12 |= (draw_.chance(30) ? 1u << 30 : 0) | (draw_.chance(5) ? 1u << 31 : 0);
  drawn.sqe.cdw13 = draw_.below(256);
  drawn.sqe.mptr = draw_.chance(20) ? draw_.word() : 0;
  attach(drawn, sectors * limits_.sector_bytes, sectors * limits_.sector_bytes, 0x5C);
  drawn.effect = Effect::write;
  drawn.version = shadow_.next_version();
  std::vector<std::uint8_t> bytes(limits_.sector_bytes);
  for (std::uint32_t i = 0; i < sectors; ++i) {
    shadow_.fill(bytes.data(), drawn.version, drawn.lba + i);
    drawn.data.put(memory_, i * limits_.sector_bytes, bytes.data(), limits_.sector_bytes);
    shadow_.begin(drawn.lba + i, drawn.version, drawn.version);
  }
  return drawn;
}

Drawn CommandDraw::read(std::uint32_t sectors) {
  Drawn drawn = named("read", nvme::io::read);
  address(drawn, draw_lba(sectors), sectors);
  drawn.sqe.cdw12 |= draw_.chance(20) ? 1u << 30 : 0;
  drawn.sqe.cdw13 = draw_.below(256);
  attach(drawn, sectors * limits_.sector_bytes, sectors * limits_.sector_bytes, 0xA5);
  drawn.effect = Effect::read;
  return drawn;
}

/// Against what the sectors should hold, or that with one bit changed.
Drawn CommandDraw::compare() {
  const std::uint32_t sectors = std::min(draw_.from(1, 4), limits_.max_transfer / limits_.sector_bytes);
  Drawn drawn = named("compare", nvme::io::compare);
  address(drawn, draw_lba(sectors), sectors);
  attach(drawn, sectors * limits_.sector_bytes, sectors * limits_.sector_bytes, 0x33);
  drawn.effect = Effect::compare;
  drawn.equal = draw_.chance(60);
  const std::uint32_t spoilt = draw_.below(sectors);
  std::vector<std::uint8_t> bytes(limits_.sector_bytes);
  for (std::uint32_t i = 0; i < sectors; ++i) {
    std::uint32_t version = 0;
    drawn.certain = shadow_.certain(drawn.lba + i, ~TimePs{0}, version) && drawn.certain;
    shadow_.fill(bytes.data(), version, drawn.lba + i);
    if (!drawn.equal && i == spoilt)
      bytes[draw_.below(bytes.size())] ^= static_cast<std::uint8_t>(1u << draw_.below(8));
    drawn.data.put(memory_, i * limits_.sector_bytes, bytes.data(), limits_.sector_bytes);
  }
  return drawn;
}

Drawn CommandDraw::zeroes() {
  Drawn drawn = named("write zeroes", nvme::io::write_zeroes);
  const std::uint32_t sectors = draw_.from(1, 24);
  address(drawn, draw_lba(sectors), sectors);
  drawn.sqe.cdw12 |= (draw_.chance(30) ? 1u << 25 : 0) | (draw_.chance(30) ? 1u << 30 : 0);
  drawn.sqe.prp1 = draw_.word();
  drawn.sqe.prp2 = draw_.word();
  drawn.effect = Effect::zero;
  drawn.version = shadow_.next_version();
  for (std::uint32_t i = 0; i < sectors; ++i) shadow_.begin(drawn.lba + i, drawn.version, 0);
  return drawn;
}

Drawn CommandDraw::spoil() {
  Drawn drawn = named("write uncorrectable", nvme::io::write_uncorrectable);
  const std::uint32_t sectors = draw_.from(1, draw_.chance(80) ? 4 : 24);
  address(drawn, draw_lba(sectors), sectors);
  drawn.sqe.prp1 = draw_.word();
  drawn.effect = Effect::spoil;
  drawn.version = shadow_.next_version();
  for (std::uint32_t i = 0; i < sectors; ++i)
    shadow_.begin(drawn.lba + i, drawn.version, SectorShadow::kSpoilt);
  return drawn;
}

Drawn CommandDraw::verify() {
  Drawn drawn = named("verify", nvme::io::verify);
  const std::uint32_t sectors = draw_.from(1, draw_.chance(80) ? 8 : 200);
  address(drawn, draw_lba(std::min<std::uint32_t>(sectors, static_cast<std::uint32_t>(limits_.sectors / 2))),
          std::min<std::uint32_t>(sectors, static_cast<std::uint32_t>(limits_.sectors / 2)));
  drawn.sqe.prp1 = draw_.word();
  drawn.effect = Effect::verify;
  return drawn;
}

Drawn CommandDraw::flush() {
  Drawn drawn = named("flush", nvme::io::flush);
  drawn.sqe.nsid = draw_.pick<std::uint32_t>({1, ~0u});
  drawn.sqe.prp1 = draw_.word();
  drawn.sqe.cdw10 = draw_.word32();
  return drawn;
}

Drawn CommandDraw::deallocate() {
  Drawn drawn = named("dataset management", nvme::io::dataset_management);
  const std::uint32_t ranges = draw_.chance(80) ? draw_.from(1, 8) : draw_.from(1, 256);
  drawn.sqe.cdw10 = (ranges - 1) | (draw_.chance(20) ? draw_.word32() << 8 : 0);
  drawn.sqe.cdw11 = draw_.chance(85) ? 4 : draw_.below(4);
  const bool acts = (drawn.sqe.cdw11 & 4) != 0;
  const std::uint32_t bytes = ranges * static_cast<std::uint32_t>(sizeof(nvme::DsmRange));
  attach(drawn, bytes, acts ? bytes : 0, 0);
  const std::uint32_t beyond = draw_.chance(10) ? draw_.below(ranges) : ranges;
  std::set<std::uint64_t> sectors;
  for (std::uint32_t i = 0; i < ranges; ++i) {
    nvme::DsmRange range;
    range.attributes = draw_.word32();
    range.blocks = draw_.chance(10) ? 0 : draw_.from(1, ranges > 8 ? 2 : 12);
    range.slba = draw_lba(std::max(range.blocks, 1u));
    if (i == beyond) {
      range.blocks = 2;
      range.slba = draw_.chance(50) ? limits_.sectors - 1 : 1ull << 63;
    }
    drawn.data.put(memory_, i * sizeof range, reinterpret_cast<const std::uint8_t*>(&range), sizeof range);
    if (!acts || i == beyond) continue;
    const std::uint64_t unit = limits_.trim_unit;
    const std::uint64_t end = range.slba + range.blocks;
    for (std::uint64_t lba = range.slba; lba < end; ++lba) {
      sectors.insert(lba);
      const std::uint64_t first = lba / unit * unit;
      if (first >= range.slba && first + unit <= end) drawn.zeroed.insert(lba); // its unit as a whole
    }
  }
  if (!acts) return drawn;
  drawn.effect = Effect::trim;
  drawn.version = shadow_.next_version();
  drawn.trimmed.assign(sectors.begin(), sectors.end());
  for (const std::uint64_t lba : drawn.trimmed) shadow_.begin(lba, drawn.version, 0);
  if (beyond == ranges) return drawn;
  if (drawn.data.status == st::success) drawn.legal.clear();
  drawn.legal.push_back(st::lba_range);
  return drawn;
}

/// Commands that must be refused for one of their fields.
Drawn CommandDraw::refused() {
  Drawn drawn =
      named("refused", draw_.pick({nvme::io::write, nvme::io::read, nvme::io::compare, nvme::io::write_zeroes,
                                   nvme::io::write_uncorrectable, nvme::io::verify}));
  const std::uint32_t sectors = draw_.from(1, 8);
  nvme::Sqe& sqe = drawn.sqe;
  sqe.prp1 = HostMemory::kPage * 2; // never touched
  sqe.cdw12 = sectors - 1;
  switch (draw_.below(6)) {
    case 0: {
      const std::uint64_t lba =
          draw_.pick<std::uint64_t>({limits_.sectors, limits_.sectors - sectors + 1, ~0ull,
                                     ~0ull - sectors + 1, 1ull << 63, limits_.sectors + sectors});
      sqe.cdw10 = static_cast<std::uint32_t>(lba);
      sqe.cdw11 = static_cast<std::uint32_t>(lba >> 32);
      drawn.legal = {st::lba_range};
      break;
    }
    case 1:
      sqe.nsid = draw_.pick<std::uint32_t>({0, 2, ~0u, ~0u - 1, draw_.word32() | 2});
      drawn.legal = {st::invalid_namespace, st::invalid_field};
      break;
    case 2:
      sqe.opcode =
          draw_.pick<std::uint8_t>({0x03, 0x06, 0x0D, 0x0E, 0x11, 0x15, 0x79, 0x7D, 0x80, 0x81, 0xC0, 0xFF});
      drawn.legal = {st::invalid_opcode};
      break;
    case 3:
      sqe.flags = draw_.pick<std::uint8_t>({1, 2, 3, 0x40, 0x80, 0xC0, 0x41});
      drawn.legal = {st::invalid_field, 0x00A};
      break;
    case 4: // above MDTS; above the namespace perhaps too
      if (sqe.opcode != nvme::io::write && sqe.opcode != nvme::io::compare) sqe.opcode = nvme::io::read;
      sqe.cdw12 = draw_.pick<std::uint32_t>({limits_.max_transfer / limits_.sector_bytes, 0xFFFF});
      drawn.legal = {st::invalid_field, st::lba_range};
      break;
    default:
      sqe.opcode = draw_.pick({nvme::io::flush, nvme::io::dataset_management});
      sqe.nsid = draw_.pick<std::uint32_t>({0, 2, ~0u - 1});
      sqe.cdw11 = 4;
      drawn.legal = {st::invalid_namespace, st::invalid_field};
  }
  return drawn;
}

Drawn CommandDraw::io() {
  const std::uint32_t most = std::min<std::uint32_t>(limits_.max_transfer / limits_.sector_bytes,
                                                     static_cast<std::uint32_t>(limits_.sectors / 2));
  const std::uint32_t sectors =
      std::min(most, draw_.chance(80) ? draw_.from(1, 8) : draw_.from(1, std::min(most, 64u)));
  const std::uint32_t kind = draw_.below(100);
  if (kind < 38) return write(sectors);
  if (kind < 68) return read(sectors);
  if (kind < 72) return flush();
  if (kind < 79) return zeroes();
  if (kind < 84) return deallocate();
  if (kind < 86) return spoil();
  if (kind < 88) return verify();
  if (kind < 92) return compare();
  return refused();
}

} // namespace twinplane::test
