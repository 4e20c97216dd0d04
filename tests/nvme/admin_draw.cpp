// CommandDraw: admin commands.
#include <algorithm>

#include "tests/nvme/command_draw.h"

namespace twinplane::test {

namespace st = nvme::status;

Drawn CommandDraw::identify() {
  Drawn drawn = named("identify", nvme::admin::identify);
  const std::uint32_t cns = draw_.chance(70) ? draw_.below(4) : draw_.below(256);
  const std::uint32_t nsid = draw_.pick<std::uint32_t>({0, 1, 1, 1, 2, ~0u, ~0u - 1});
  drawn.sqe.nsid = nsid;
  drawn.sqe.cdw10 = cns | (draw_.chance(20) ? draw_.word32() << 16 : 0);
  if (cns > 3) drawn.legal = {st::invalid_field};
  if ((cns == 0 || cns == 3) && nsid != 1) drawn.legal = {st::invalid_namespace, st::invalid_field};
  if (cns == 2 && nsid >= ~0u - 1) drawn.legal = {st::invalid_namespace};
  const bool answers = drawn.legal[0] == st::success;
  attach(drawn, 4096, answers ? 4096 : 0, 0xA5);
  return drawn;
}

Drawn CommandDraw::log_page() {
  Drawn drawn = named("get log page", nvme::admin::get_log_page);
  struct Page {
    std::uint32_t id, bytes;
  };
  static constexpr Page kPages[] = {{1, 64 * 64}, {2, 512},  {3, 512}, {4, 4096},  {5, 4096},
                                    {6, 564},     {7, 2048}, {8, 512}, {0xC0, 512}};
  const auto id = draw_.chance(70) ? kPages[draw_.below(std::size(kPages))].id : draw_.below(256);
  const auto* page =
      std::find_if(std::begin(kPages), std::end(kPages), [id](const Page& p) { return p.id == id; });
  const std::uint64_t dwords = draw_.pick<std::uint64_t>(
      {1, 2, 16, 128, 1024, 1025, 2048, limits_.max_transfer / 4, limits_.max_transfer / 4 + 1, 1ull << 32});
  const std::uint64_t offset =
      draw_.chance(60) ? 0
                       : draw_.pick<std::uint64_t>({4, 2, 64, 508, 512, 516, 4096, 4100, 1ull << 32, ~3ull});
  nvme::Sqe& sqe = drawn.sqe;
  sqe.nsid = draw_.pick<std::uint32_t>({0, ~0u, ~0u, 1, 2});
  sqe.cdw10 =
      id | static_cast<std::uint32_t>((dwords - 1) & 0xFFFF) << 16 | (draw_.chance(50) ? 1u << 15 : 0);
  sqe.cdw11 = static_cast<std::uint32_t>((dwords - 1) >> 16);
  sqe.cdw12 = static_cast<std::uint32_t>(offset);
  sqe.cdw13 = static_cast<std::uint32_t>(offset >> 32);
  std::vector<std::uint16_t> refusals;
  if (sqe.nsid != 0 && sqe.nsid != ~0u)
    refusals.insert(refusals.end(), {st::invalid_field, st::invalid_namespace});
  if (offset % 4 != 0 || dwords * 4 > limits_.max_transfer) refusals.push_back(st::invalid_field);
  const bool blocks = id == 7 || id == 8; // telemetry
  if (blocks && (offset % 512 != 0 || dwords * 4 % 512 != 0)) refusals.push_back(st::invalid_field);
  if (id == 0x81 && limits_.sanitizes) refusals.push_back(st::success);
  if (page == std::end(kPages)) refusals.insert(refusals.end(), {st::log_page, st::invalid_field});
  if (id == 1) refusals.push_back(st::success); // its length is the drive's own
  if (page != std::end(kPages) && offset > page->bytes) refusals.push_back(st::invalid_field);
  if (!refusals.empty()) drawn.legal = refusals;
  const std::uint64_t bytes = std::min<std::uint64_t>(dwords * 4, limits_.max_transfer);
  const std::uint64_t rest = refusals.empty() ? page->bytes - offset : 0;
  attach(drawn, static_cast<std::uint32_t>(bytes), static_cast<std::uint32_t>(std::min(bytes, rest)), 0xA5);
  return drawn;
}

// Section 5.15 and 5.21. Features of section 5.21.1 that this drive has: 01h, 02h, 04h, 05h, 06h, 07h to 0Bh,
// 0Eh.
std::vector<std::uint16_t> CommandDraw::get_statuses(std::uint32_t id, std::uint32_t select,
                                                     std::uint32_t cdw11) const {
  const bool exists = id == 1 || id == 2 || id == 4 || id == 5 || (id == 6 && limits_.volatile_cache) ||
                      (id >= 7 && id <= 0xB) || id == 0xE;
  if (!exists || select > 3) return {st::invalid_field};
  if (id == 4 && select != 3 && ((cdw11 >> 16 & 15) != 0 || (cdw11 >> 20 & 3) > 1))
    return {st::invalid_field};
  if (id == 9 && (cdw11 & 0xFFFF) > limits_.most_queues) return {st::invalid_field};
  return {st::success};
}

std::vector<std::uint16_t> CommandDraw::set_statuses(std::uint32_t id, std::uint32_t cdw11) const {
  if (get_statuses(id, 3, 0)[0] != st::success) return {st::invalid_field};
  switch (id) {
    case 2:
      return {(cdw11 & 0x1F) != 0 ? st::invalid_field : st::success};
    case 4: {
      const std::uint32_t sensor = cdw11 >> 16 & 15;
      return {(cdw11 >> 20 & 3) > 1 || (sensor != 0 && sensor != 15) ? st::invalid_field : st::success};
    }
    case 5:
      return {(cdw11 >> 16 & 1) != 0 ? st::invalid_field : st::success};
    case 7: // the queues may exist or not
      return {st::success, st::command_sequence, st::invalid_field};
    case 9:
      return {st::success, st::invalid_field, st::feature_not_changeable};
    default:
      return {st::success};
  }
}

Drawn CommandDraw::get_feature() {
  Drawn drawn = named("get features", nvme::admin::get_features);
  const std::uint32_t id = draw_.chance(85) ? draw_.below(0x20) : draw_.below(256);
  const std::uint32_t select = draw_.chance(70) ? 0 : draw_.below(8);
  drawn.sqe.nsid = draw_.pick<std::uint32_t>({0, 1, ~0u});
  drawn.sqe.cdw10 = id | select << 8;
  drawn.sqe.cdw11 = draw_.chance(50) ? draw_.below(8) : draw_.wild();
  drawn.legal = get_statuses(id, select, drawn.sqe.cdw11);
  const bool moves = id == 0xE && select == 0;
  attach(drawn, 4096, moves ? 8 : 0, 0x11);
  if (!moves) drawn.legal = get_statuses(id, select, drawn.sqe.cdw11);
  return drawn;
}

Drawn CommandDraw::set_feature() {
  Drawn drawn = named("set features", nvme::admin::set_features);
  const std::uint32_t id = draw_.chance(85) ? draw_.below(0x20) : draw_.below(256);
  drawn.sqe.nsid = draw_.pick<std::uint32_t>({0, 0, 0, ~0u, ~0u, 1, 2});
  drawn.sqe.cdw10 = id | (draw_.chance(10) ? 1u << 31 : 0);
  drawn.sqe.cdw11 = draw_.wild();
  if (id == 7) drawn.sqe.cdw11 = 63 | 63 << 16; // once taken, it holds until the reset
  if (id == 8 && draw_.chance(70)) drawn.sqe.cdw11 = 0;
  std::vector<std::uint16_t> legal = set_statuses(id, drawn.sqe.cdw11);
  if ((drawn.sqe.cdw10 & 1u << 31) != 0) {
    const bool exists = get_statuses(id, 3, 0)[0] == st::success;
    legal = exists ? std::vector<std::uint16_t>{st::feature_not_saveable, st::invalid_field}
                   : std::vector<std::uint16_t>{st::invalid_field, st::feature_not_saveable};
  }
  const bool one = drawn.sqe.nsid == 1 && id != 5; // error recovery is a namespace's own
  if (one || drawn.sqe.nsid == 2) {
    legal.erase(std::remove(legal.begin(), legal.end(), st::success), legal.end());
    legal.push_back(one ? st::feature_not_of_namespace : st::invalid_namespace);
  }
  drawn.legal = legal;
  const bool moves = id == 0xE && legal[0] == st::success;
  attach(drawn, 4096, moves ? 8 : 0, 0x11);
  if (!moves) drawn.legal = legal;
  return drawn;
}

Drawn CommandDraw::event_request() {
  Drawn drawn = named("asynchronous event request", nvme::admin::async_event);
  drawn.for_ever = true;
  drawn.legal = {st::success, st::aer_limit};
  return drawn;
}

Drawn CommandDraw::self_test() {
  Drawn drawn = named("self-test", nvme::admin::self_test);
  const std::uint32_t code = draw_.pick<std::uint32_t>({1, 1, 1, 2, 15, 15, 0, 3, 14});
  drawn.sqe.nsid = draw_.pick<std::uint32_t>({0, 1, 1, ~0u, 2});
  drawn.sqe.cdw10 = code;
  drawn.legal = {st::success, st::self_test_in_progress};
  if (code == 15) drawn.legal = {st::success};
  if (drawn.sqe.nsid == 2) drawn.legal = {st::invalid_namespace};
  if (code != 1 && code != 2 && code != 15) drawn.legal = {st::invalid_field, st::invalid_namespace};
  return drawn;
}

Drawn CommandDraw::refused_format() {
  Drawn drawn = named("refused format", nvme::admin::format);
  drawn.sqe.nsid = draw_.pick<std::uint32_t>({0, 1, 2, ~0u, ~0u - 1});
  drawn.sqe.cdw10 = draw_.pick<std::uint32_t>({1, 15, 1u << 4, 1u << 5, 1u << 8, 2u << 9, 7u << 9});
  drawn.legal = {st::invalid_namespace, st::invalid_format, st::invalid_field};
  return drawn;
}

Drawn CommandDraw::unknown_admin() {
  if (draw_.chance(30)) {
    Drawn drawn = named("fused or SGL", draw_.pick<std::uint8_t>({0, 1, 2, 4, 5, 6, 9, 10, 0x14, 0x80}));
    drawn.sqe.flags = draw_.pick<std::uint8_t>({1, 2, 0x40, 0x80, 0xC0});
    drawn.legal = {st::invalid_field, 0x00A};
    return drawn;
  }
  Drawn drawn = named(
      "unknown", draw_.pick<std::uint8_t>({0x0D, 0x10, 0x11, 0x12, 0x15, 0x18, 0x19, 0x1A, 0x1C, 0x1D, 0x1E,
                                           0x7C, 0x79, 0x81, 0x82, 0x84, 0x86, 0x03, 0x07, 0x0B, 0xFF}));
  if (drawn.sqe.opcode == nvme::admin::sanitize && limits_.sanitizes) drawn.sqe.opcode = 0x85;
  if (drawn.sqe.opcode == nvme::admin::doorbell_buffers && limits_.shadow_doorbells) drawn.sqe.opcode = 0x7D;
  drawn.sqe.prp1 = draw_.word();
  drawn.sqe.cdw10 = draw_.word32();
  drawn.sqe.nsid = draw_.wild();
  drawn.legal = {st::invalid_opcode};
  return drawn;
}

/// Queue ids that cannot be.
Drawn CommandDraw::refused_queue() {
  using namespace nvme::admin;
  Drawn drawn = named("refused queue", draw_.pick({delete_sq, create_sq, delete_cq, create_cq}));
  nvme::Sqe& sqe = drawn.sqe;
  sqe.prp1 = HostMemory::kPage * 2;
  sqe.cdw10 = 1u << 16 | draw_.pick<std::uint32_t>({0, limits_.most_queues + 1, 0xFFFF});
  sqe.cdw11 = 1 | 1u << 16;
  drawn.legal = {st::qid_invalid};
  return drawn;
}

Drawn CommandDraw::admin() {
  const std::uint32_t kind = draw_.below(100);
  if (kind < 25) return identify();
  if (kind < 50) return log_page();
  if (kind < 62) return get_feature();
  if (kind < 74) return set_feature();
  if (kind < 79) return event_request();
  if (kind < 82) return self_test();
  if (kind < 84) return refused_format();
  if (kind < 92) return unknown_admin();
  return refused_queue();
}

} // namespace twinplane::test
