// The admin command set: identify byte by byte, queues, features, abort, asynchronous events.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/support/nvme_bench.h"

namespace twinplane::test::nvme_admin_test {
namespace {

using namespace nvme::status;

class NvmeAdmin : public testing::Test {
 protected:
  NvmeAdmin() {
    bench.front.raise_event(reg::host_event::enabled);
    bench.run();
  }

  std::vector<std::uint8_t> identify(std::uint32_t cns, std::uint32_t nsid) {
    const auto entry = sqe(nvme::admin::identify, nsid, cns);
    EXPECT_EQ(bench.admin(entry, std::vector<std::uint8_t>(4096, 0xEE)).status, success);
    return bench.data();
  }
  /// Little-endian number of `size` bytes at `offset`.
  static std::uint64_t at(const std::vector<std::uint8_t>& page, std::size_t offset, std::size_t size) {
    std::uint64_t value = 0;
    for (std::size_t i = size; i-- > 0;) value = value << 8 | page[offset + i];
    return value;
  }
  static std::string text(const std::vector<std::uint8_t>& page, std::size_t offset, std::size_t size) {
    return std::string(page.begin() + static_cast<std::ptrdiff_t>(offset),
                       page.begin() + static_cast<std::ptrdiff_t>(offset + size));
  }
  Completion get_feature(std::uint32_t id, std::uint32_t select = 0, std::uint32_t cdw11 = 0) {
    return bench.admin(sqe(nvme::admin::get_features, 0, id | select << 8, cdw11));
  }
  Completion set_feature(std::uint32_t id, std::uint32_t value) {
    return bench.admin(sqe(nvme::admin::set_features, 0, id, value));
  }
  Completion async_event(std::uint16_t cid) {
    auto entry = sqe(nvme::admin::async_event);
    entry.cid = cid;
    bench.front.fetch(0, entry);
    bench.run();
    return bench.front.completions.empty() ? Completion{} : bench.take();
  }
  static nvme::Sqe delete_queue(std::uint8_t opcode, std::uint32_t id) { return sqe(opcode, 0, id); }

  NvmeBench bench;
};

// --- identify ---

TEST_F(NvmeAdmin, IdentifyControllerHasEveryFieldAtItsOffset) {
  struct Field {
    std::size_t offset, size;
    std::uint64_t value;
    const char* name;
  };
  const std::uint64_t bytes = MemoryStorage::kSectors * 4096;
  const Field fields[] = {
      {72, 1, 3, "RAB"},      {76, 1, 0, "CMIC"},         {77, 1, 3, "MDTS"},         {80, 4, 0x10400, "VER"},
      {92, 4, 0, "OAES"},     {96, 4, 0, "CTRATT"},       {111, 1, 1, "CNTRLTYPE"},   {256, 2, 0x12, "OACS"},
      {258, 1, 3, "ACL"},     {259, 1, 3, "AERL"},        {260, 1, 3, "FRMW"},        {261, 1, 14, "LPA"},
      {262, 1, 63, "ELPE"},   {263, 1, 0, "NPSS"},        {266, 2, 343, "WCTEMP"},    {268, 2, 353, "CCTEMP"},
      {272, 4, 0, "HMPRE"},   {280, 8, bytes, "TNVMCAP"}, {316, 2, 1, "EDSTT"},       {318, 1, 1, "DSTO"},
      {524, 1, 0, "FNA"},     {512, 1, 0x66, "SQES"},     {513, 1, 0x44, "CQES"},     {516, 4, 1, "NN"},
      {520, 2, 0xDF, "ONCS"}, {522, 2, 0, "FUSES"},       {525, 1, 7, "VWC"},         {526, 2, 0, "AWUN"},
      {528, 2, 0, "AWUPF"},   {536, 4, 0, "SGLS"},        {2048, 2, 2500, "PSD0.MP"},
  };
  const auto page = identify(1, 0);
  for (const Field& f : fields) EXPECT_EQ(at(page, f.offset, f.size), f.value) << f.name;
  EXPECT_EQ(text(page, 4, 20), "TWINPLANE0000001    ");
  EXPECT_EQ(text(page, 24, 40), "Twinplane virtual SSD                   ");
  EXPECT_EQ(text(page, 64, 8), "0.1     ");
  EXPECT_EQ(text(page, 768, 32), "nqn.2014-08.org.nvmexpress:uuid:");
  EXPECT_EQ(text(page, 768 + 32 + 8, 1), "-");
  EXPECT_EQ(page[768 + 32 + 36], 0) << "the name ends after the UUID";
}

TEST_F(NvmeAdmin, IdentifyNamespaceHasEveryFieldAtItsOffset) {
  bench.storage.counters.valid_pages = 5;
  const auto page = identify(0, 1);
  EXPECT_EQ(at(page, 0, 8), MemoryStorage::kSectors); // NSZE
  EXPECT_EQ(at(page, 8, 8), MemoryStorage::kSectors); // NCAP
  EXPECT_EQ(at(page, 16, 8), 5u * 4);                 // NUSE: 16 KiB pages of 4 KiB sectors
  EXPECT_EQ(page[24], 0x10);                          // NSFEAT: the optimal sizes below are valid
  EXPECT_EQ(page[25], 0);                             // NLBAF: one format
  EXPECT_EQ(page[26], 0);                             // FLBAS
  EXPECT_EQ(page[33], 1);                             // DLFEAT
  EXPECT_EQ(at(page, 48, 8), MemoryStorage::kSectors * 4096);
  EXPECT_EQ(at(page, 64, 2), 3u);  // NPWG: a unit of the map
  EXPECT_EQ(at(page, 66, 2), 3u);  // NPWA
  EXPECT_EQ(at(page, 68, 2), 3u);  // NPDG
  EXPECT_EQ(at(page, 70, 2), 3u);  // NPDA
  EXPECT_EQ(at(page, 72, 2), 15u); // NOWS: one page in each of 4 planes
  EXPECT_NE(at(page, 104, 8), 0u); // NGUID
  EXPECT_EQ(at(page, 120, 8), at(page, 104, 8));
  EXPECT_EQ(at(page, 128, 2), 0u); // LBAF0: no metadata
  EXPECT_EQ(page[130], 12);        // LBADS: 4096
}

TEST_F(NvmeAdmin, NamespaceListHoldsTheIdentifiersAboveTheOneGiven) {
  EXPECT_EQ(at(identify(2, 0), 0, 4), 1u);
  EXPECT_EQ(at(identify(2, 0), 4, 4), 0u);
  EXPECT_EQ(at(identify(2, 1), 0, 4), 0u);
  EXPECT_EQ(bench.admin(sqe(nvme::admin::identify, 0xFFFFFFFE, 2)).status, invalid_namespace);
}

TEST_F(NvmeAdmin, NamespaceDescriptorsAreEui64NguidUuid) {
  const auto page = identify(3, 1);
  const auto name_space = identify(0, 1);
  EXPECT_EQ(page[0], 1);
  EXPECT_EQ(page[1], 8);
  EXPECT_EQ(at(page, 4, 8), at(name_space, 120, 8));
  EXPECT_EQ(page[12], 2);
  EXPECT_EQ(page[13], 16);
  EXPECT_EQ(at(page, 16, 8), at(name_space, 104, 8));
  EXPECT_EQ(page[32], 3);
  EXPECT_EQ(page[33], 16);
  EXPECT_EQ(at(page, 52, 4), 0u) << "the list ends";
}

TEST_F(NvmeAdmin, TwoSerialNumbersAreTwoNamespaceIdentifiers) {
  auto config = NvmeBench::default_config();
  config.serial_number = "TWINPLANE0000002";
  NvmeBench other(config);
  other.front.raise_event(reg::host_event::enabled);
  other.run();
  EXPECT_EQ(other.admin(sqe(nvme::admin::identify, 1, 0), std::vector<std::uint8_t>(4096)).status, success);
  EXPECT_NE(at(other.data(), 104, 8), at(identify(0, 1), 104, 8));
  EXPECT_EQ(other.admin(sqe(nvme::admin::identify, 0, 1), std::vector<std::uint8_t>(4096)).status, success);
  const auto here = identify(1, 0);
  EXPECT_NE(at(other.data(), 78, 2), at(here, 78, 2)) << "CNTLID";
  EXPECT_NE(text(other.data(), 768, 68), text(here, 768, 68)) << "SUBNQN";
}

TEST_F(NvmeAdmin, IdentifyRefusesOtherStructuresAndNamespaces) {
  for (const std::uint32_t cns : {4u, 5u, 6u, 0x10u, 0xFFu}) {
    EXPECT_EQ(bench.admin(sqe(nvme::admin::identify, 1, cns)).status, invalid_field) << cns;
  }
  for (const std::uint32_t nsid : {0u, 2u, 0xFFFFFFFFu}) {
    EXPECT_EQ(bench.admin(sqe(nvme::admin::identify, nsid, 0)).status, invalid_namespace) << nsid;
    EXPECT_EQ(bench.admin(sqe(nvme::admin::identify, nsid, 3)).status, invalid_namespace) << nsid;
  }
}

TEST_F(NvmeAdmin, MoreIdentifiesThanBuffersAllComplete) {
  bench.front.hold_dma();
  for (std::uint16_t i = 0; i < 12; ++i) {
    auto entry = sqe(nvme::admin::identify, 0, 1);
    entry.cid = static_cast<std::uint16_t>(100 + i);
    bench.front.fetch(0, entry, std::vector<std::uint8_t>(4096));
  }
  bench.run();
  bench.front.release_dma();
  bench.run();
  EXPECT_EQ(bench.front.completions.size(), 12u);
  for (std::uint16_t slot = 0; slot < 12; ++slot) EXPECT_EQ(bench.front.host_data(slot)[512], 0x66) << slot;
}

/// In the admin queue, as long as the first one is not done; I/O queues number their commands by themselves.
TEST_F(NvmeAdmin, AnIdentifierInUseIsAConflict) {
  auto request = sqe(nvme::admin::async_event);
  request.cid = 40;
  bench.front.fetch(0, request);
  auto other = sqe(nvme::admin::get_features, 0, 1);
  other.cid = 40;
  EXPECT_EQ(bench.admin(other).status, cid_conflict);
  other.cid = 41;
  EXPECT_EQ(bench.admin(other).status, success);
  bench.storage.deferred = true;
  auto flush = sqe(nvme::io::flush, 1);
  flush.cid = 40;
  bench.front.fetch(1, flush);
  bench.run();
  other.cid = 40;
  EXPECT_EQ(bench.admin(sqe(nvme::admin::abort, 0, 40u << 16)).status, success);
  EXPECT_EQ(bench.take().status, abort_requested);
  EXPECT_EQ(bench.admin(other).status, success) << "the one of an I/O queue is another";
}

TEST_F(NvmeAdmin, RefusesUnknownOpcodesFusedAndScatterGather) {
  for (const std::uint8_t opcode :
       std::initializer_list<std::uint8_t>{0x0D, 0x10, 0x11, 0x15, 0x18, 0x81, 0x84, 0xC0}) {
    EXPECT_EQ(bench.admin(sqe(opcode)).status, invalid_opcode) << int{opcode};
  }
  auto entry = sqe(nvme::admin::identify, 0, 1);
  entry.flags = 0x40;
  EXPECT_EQ(bench.admin(entry).status, invalid_field);
  entry.flags = 0x01;
  EXPECT_EQ(bench.admin(entry).status, invalid_field);
}

// --- queues ---

TEST_F(NvmeAdmin, CreatesQueuesThroughTheMailbox) {
  auto cq = create_cq(2, 100, 3);
  cq.prp1 = 0x12'3456'7000;
  EXPECT_EQ(bench.admin(cq).status, success);
  EXPECT_EQ(bench.front.registers[reg::host::queue_base_lo], 0x3456'7000u);
  EXPECT_EQ(bench.front.registers[reg::host::queue_base_hi], 0x12u);
  EXPECT_EQ(bench.front.registers[reg::host::queue_entries], 100u);
  EXPECT_EQ(bench.front.registers[reg::host::queue_flags], 1u | 3u << 16);
  auto sq = create_sq(1, 50, 2);
  sq.cdw11 |= 2u << 1; // medium priority
  EXPECT_EQ(bench.admin(sq).status, success);
  EXPECT_EQ(bench.front.registers[reg::host::queue_cq], 2u);
  EXPECT_EQ(bench.front.registers[reg::host::queue_flags], 2u << 1);
  using Operation = std::pair<std::uint32_t, std::uint32_t>;
  EXPECT_EQ(bench.front.mailbox,
            (std::vector<Operation>{{reg::queue_op::create_cq, 2}, {reg::queue_op::create_sq, 1}}));
}

TEST_F(NvmeAdmin, RefusesBadCompletionQueues) {
  EXPECT_EQ(bench.admin(create_cq(0, 64)).status, qid_invalid);
  EXPECT_EQ(bench.admin(create_cq(5, 64)).status, qid_invalid); // the device has 4
  EXPECT_EQ(bench.admin(create_cq(1, 1)).status, queue_size);
  EXPECT_EQ(bench.admin(create_cq(1, 257)).status, queue_size);
  EXPECT_EQ(bench.admin(create_cq(1, 64, 5)).status, interrupt_vector); // vectors 0 to 4
  auto scattered = create_cq(1, 64);
  scattered.cdw11 &= ~1u;
  EXPECT_EQ(bench.admin(scattered).status, invalid_field);
  auto unaligned = create_cq(1, 64);
  unaligned.prp1 = 0x10008;
  EXPECT_EQ(bench.admin(unaligned).status, prp_offset);
  EXPECT_TRUE(bench.front.mailbox.empty()) << "nothing refused may reach the front end";
  EXPECT_EQ(bench.admin(create_cq(1, 256, 4)).status, success);
  EXPECT_EQ(bench.admin(create_cq(1, 64)).status, qid_invalid) << "in use";
}

TEST_F(NvmeAdmin, RefusesBadSubmissionQueues) {
  EXPECT_EQ(bench.admin(create_sq(1, 64, 1)).status, cq_invalid);
  EXPECT_EQ(bench.admin(create_cq(1, 64)).status, success);
  EXPECT_EQ(bench.admin(create_sq(1, 64, 0)).status, qid_invalid);
  EXPECT_EQ(bench.admin(create_sq(1, 64, 2)).status, cq_invalid);
  EXPECT_EQ(bench.admin(create_sq(0, 64, 1)).status, qid_invalid);
  EXPECT_EQ(bench.admin(create_sq(5, 64, 1)).status, qid_invalid);
  EXPECT_EQ(bench.admin(create_sq(1, 1, 1)).status, queue_size);
  EXPECT_EQ(bench.admin(create_sq(1, 64, 1)).status, success);
  EXPECT_EQ(bench.admin(create_sq(1, 64, 1)).status, qid_invalid) << "in use";
}

TEST(NvmeDoorbellBuffers, GoToTheFrontEndWhereTheyAreOffered) {
  fw::NvmeConfig config = NvmeBench::default_config();
  NvmeBench plain(config);
  plain.enable();
  config.shadow_doorbells = true;
  NvmeBench bench(config);
  bench.enable();
  bench.front.mailbox.clear();
  nvme::Sqe entry = sqe(nvme::admin::doorbell_buffers);
  entry.prp1 = 0x1'0000'3000;
  entry.prp2 = 0x5000;
  EXPECT_EQ(plain.admin(entry).status, nvme::status::invalid_opcode);
  for (const std::uint64_t bad : {0x0u, 0x3004u, 0x3FFFu}) {
    nvme::Sqe first = entry, second = entry;
    first.prp1 = bad;
    second.prp2 = bad;
    EXPECT_EQ(bench.admin(first).status, invalid_field);
    EXPECT_EQ(bench.admin(second).status, invalid_field);
  }
  EXPECT_TRUE(bench.front.mailbox.empty()) << "nothing refused may reach the front end";
  EXPECT_EQ(bench.admin(entry).status, success);
  using Operation = std::pair<std::uint32_t, std::uint32_t>;
  EXPECT_EQ(bench.front.mailbox, (std::vector<Operation>{{reg::queue_op::shadow_doorbells, 0},
                                                         {reg::queue_op::event_indices, 0}}));
}

TEST_F(NvmeAdmin, PassesOnTheFrontEndsRefusal) {
  bench.front.mailbox_answer = queue_size;
  EXPECT_EQ(bench.admin(create_cq(1, 64)).status, queue_size);
  bench.front.mailbox_answer = 0;
  EXPECT_EQ(bench.admin(create_sq(1, 64, 1)).status, cq_invalid) << "the queue was not created";
}

TEST_F(NvmeAdmin, CompletionQueueOutlivesItsSubmissionQueues) {
  bench.create_pair(1);
  EXPECT_EQ(bench.admin(create_sq(2, 64, 1)).status, success);
  EXPECT_EQ(bench.admin(delete_queue(nvme::admin::delete_cq, 1)).status, invalid_queue_deletion);
  EXPECT_EQ(bench.admin(delete_queue(nvme::admin::delete_sq, 1)).status, success);
  EXPECT_EQ(bench.admin(delete_queue(nvme::admin::delete_cq, 1)).status, invalid_queue_deletion);
  EXPECT_EQ(bench.admin(delete_queue(nvme::admin::delete_sq, 2)).status, success);
  EXPECT_EQ(bench.admin(delete_queue(nvme::admin::delete_cq, 1)).status, success);
  bench.create_pair(1);
}

TEST_F(NvmeAdmin, RefusesDeletingQueuesThatDoNotExist) {
  for (const std::uint32_t id : {0u, 1u, 5u, 0xFFFFu}) {
    EXPECT_EQ(bench.admin(delete_queue(nvme::admin::delete_sq, id)).status, qid_invalid) << id;
    EXPECT_EQ(bench.admin(delete_queue(nvme::admin::delete_cq, id)).status, qid_invalid) << id;
  }
}

TEST_F(NvmeAdmin, DeletingAQueueWaitsForItsCommandsAndDropsThem) {
  bench.create_pair(1);
  bench.storage.deferred = true;
  bench.front.fetch(1, transfer(nvme::io::read, 0, 1), std::vector<std::uint8_t>(16));
  bench.front.fetch(1, transfer(nvme::io::read, 1, 1), std::vector<std::uint8_t>(16));
  bench.run();
  bench.front.fetch(0, delete_queue(nvme::admin::delete_sq, 1));
  bench.run();
  EXPECT_TRUE(bench.front.completions.empty());
  bench.storage.finish_one();
  bench.run();
  EXPECT_TRUE(bench.take().released);
  EXPECT_TRUE(bench.front.completions.empty());
  bench.front.fetch(1, transfer(nvme::io::read, 2, 1), std::vector<std::uint8_t>(16)); // was on its way
  bench.run();
  EXPECT_TRUE(bench.take().released);
  bench.storage.finish_one();
  bench.run();
  EXPECT_TRUE(bench.take().released);
  const Completion deletion = bench.take();
  EXPECT_EQ(deletion.sqid, 0);
  EXPECT_EQ(deletion.status, success);
  EXPECT_EQ(bench.front.busy_slots(), 0u);
}

// --- features ---

TEST_F(NvmeAdmin, NumberOfQueuesIsGrantedUpToTheMaximum) {
  EXPECT_EQ(set_feature(7, 1u | 0u << 16).result, 1u);              // asks for 2 and 1
  EXPECT_EQ(bench.admin(create_cq(2, 64)).status, qid_invalid);     // granted one completion queue
  EXPECT_EQ(set_feature(7, 31u | 31u << 16).result, 3u | 3u << 16); // the device has 4
  EXPECT_EQ(get_feature(7).result, 3u | 3u << 16);
  EXPECT_EQ(set_feature(7, 0xFFFF).status, invalid_field);
  EXPECT_EQ(set_feature(7, 0xFFFF0000u).status, invalid_field);
  bench.create_pair(1);
  EXPECT_EQ(set_feature(7, 1).status, command_sequence);
}

TEST_F(NvmeAdmin, ArbitrationAndCoalescingReachTheFrontEnd) {
  EXPECT_EQ(bench.front.registers.at(reg::host::arbitration), 3u) << "the default, at enable";
  EXPECT_EQ(set_feature(1, 0x04030207).status, success);
  EXPECT_EQ(bench.front.registers.at(reg::host::arbitration), 0x04030207u);
  EXPECT_EQ(get_feature(1).result, 0x04030207u);
  EXPECT_EQ(get_feature(1, 1).result, 3u);
  EXPECT_EQ(set_feature(8, 0x0A05).status, success);
  EXPECT_EQ(bench.front.registers.at(reg::host::coalescing), 0x0A05u);
}

TEST_F(NvmeAdmin, EveryFeatureIsReadBackAsSet) {
  struct Case {
    std::uint32_t id, value, read_back;
  };
  for (const Case c : {Case{0x02, 0, 0}, Case{0x05, 0x1234, 0x1234}, Case{0x06, 1, 1},
                       Case{0x08, 0x0203, 0x0203}, Case{0x0A, 1, 1}, Case{0x0B, 0x21F, 0x1F}}) {
    EXPECT_EQ(set_feature(c.id, c.value).status, success) << c.id;
    EXPECT_EQ(get_feature(c.id).result, c.read_back) << c.id;
    EXPECT_EQ(get_feature(c.id, 3).result, 4u) << c.id << ": changeable, not saveable";
  }
  EXPECT_EQ(get_feature(0x09, 0, 2).result, 2u);
}

TEST_F(NvmeAdmin, RefusesFeaturesItCannotDo) {
  EXPECT_EQ(set_feature(0x02, 1).status, invalid_field) << "one power state";
  EXPECT_EQ(set_feature(0x05, 1u << 16).status, invalid_field) << "no deallocated-block error";
  EXPECT_EQ(set_feature(0x09, 5).status, invalid_field) << "vectors 0 to 4";
  EXPECT_EQ(get_feature(0x09, 0, 5).status, invalid_field);
  EXPECT_EQ(set_feature(0x09, 1u | 1u << 16).status, feature_not_changeable);
  EXPECT_EQ(set_feature(1u | 1u << 31, 0).status, feature_not_saveable);
  EXPECT_EQ(get_feature(1, 4).status, invalid_field);
  for (const std::uint32_t id : {0x00u, 0x03u, 0x0Cu, 0x0Du, 0x80u, 0xFFu}) {
    EXPECT_EQ(get_feature(id).status, invalid_field) << id;
    EXPECT_EQ(set_feature(id, 0).status, invalid_field) << id;
  }
}

TEST_F(NvmeAdmin, SwitchingTheWriteCacheOffFlushesAndForcesWritesThrough) {
  bench.create_pair(1);
  bench.io(transfer(nvme::io::write, 0, 1), std::vector<std::uint8_t>(16));
  EXPECT_FALSE(bench.storage.log.back().force_unit_access);
  EXPECT_EQ(set_feature(6, 0).status, success);
  EXPECT_EQ(bench.storage.log.back().kind, fw::RequestKind::flush);
  bench.io(transfer(nvme::io::write, 0, 1), std::vector<std::uint8_t>(16));
  EXPECT_TRUE(bench.storage.log.back().force_unit_access);
}

TEST_F(NvmeAdmin, ADriveWithoutWriteCacheHasNoSuchFeature) {
  auto config = NvmeBench::default_config();
  config.volatile_write_cache = false;
  NvmeBench plain(config);
  plain.front.raise_event(reg::host_event::enabled);
  plain.run();
  EXPECT_EQ(plain.admin(sqe(nvme::admin::get_features, 0, 6)).status, invalid_field);
  EXPECT_EQ(plain.admin(sqe(nvme::admin::set_features, 0, 6, 1)).status, invalid_field);
}

TEST_F(NvmeAdmin, TimestampRunsFromTheTimeTheHostSet) {
  std::vector<std::uint8_t> stamp{0x00, 0x10, 0, 0, 0, 0x01, 0, 0};
  EXPECT_EQ(bench.admin(sqe(nvme::admin::set_features, 0, 0x0E), stamp).status, success);
  bench.front.time_ps += 5'000'000'000; // 5 ms
  EXPECT_EQ(bench.admin(sqe(nvme::admin::get_features, 0, 0x0E), std::vector<std::uint8_t>(8)).status,
            success);
  EXPECT_EQ(at(bench.data(), 0, 6), at(stamp, 0, 6) + 5);
  EXPECT_EQ(bench.data()[6], 1u << 1) << "origin: set by the host";
}

TEST_F(NvmeAdmin, TemperatureThresholdsAreTwo) {
  constexpr std::uint32_t kUnder = 1u << 20;
  EXPECT_EQ(get_feature(4).result, 343u);
  EXPECT_EQ(set_feature(4, 350).status, success);
  EXPECT_EQ(set_feature(4, kUnder | 280).status, success);
  EXPECT_EQ(get_feature(4).result, 350u);
  EXPECT_EQ(get_feature(4, 0, kUnder).result, 280u);
  EXPECT_EQ(set_feature(4, 2u << 20 | 280).status, invalid_field);
  EXPECT_EQ(set_feature(4, 1u << 16 | 280).status, invalid_field) << "no sensor 1";
}

// --- asynchronous events and abort ---

TEST_F(NvmeAdmin, BadDoorbellCompletesAParkedEventRequest) {
  async_event(40);
  bench.front.raise_event(reg::host_event::bad_doorbell, 1);
  bench.run();
  const Completion c = bench.take();
  EXPECT_EQ(c.cid, 40);
  EXPECT_EQ(c.status, success);
  EXPECT_EQ(c.result, 0u | 1u << 8 | 1u << 16); // type error, invalid doorbell value, error log
  EXPECT_EQ(bench.controller.errors().count(), 1u);
}

TEST_F(NvmeAdmin, AnEventWaitsForARequestAndForItsLogPageToBeRead) {
  bench.front.raise_event(reg::host_event::bad_doorbell, 0);
  bench.run();
  EXPECT_EQ(async_event(41).cid, 41) << "kept until a request came";
  bench.front.raise_event(reg::host_event::bad_doorbell, 1);
  bench.run();
  async_event(42);
  EXPECT_TRUE(bench.front.completions.empty()) << "masked until the log page is read";
  const auto read_log = [this](std::uint32_t retain) {
    return bench.admin(sqe(nvme::admin::get_log_page, 0, 1u | retain << 15 | 15u << 16),
                       std::vector<std::uint8_t>(64));
  };
  EXPECT_EQ(read_log(1).status, success);
  EXPECT_TRUE(bench.front.completions.empty()) << "read, but the event was to be retained";
  EXPECT_EQ(read_log(0).status, success);
  EXPECT_EQ(bench.take().cid, 42);
}

TEST_F(NvmeAdmin, ATemperatureThresholdBelowTheTemperatureIsAnEventTheHostMayWant) {
  async_event(43);
  EXPECT_EQ(set_feature(4, 300).status, success);
  EXPECT_TRUE(bench.front.completions.empty()) << "not asked for";
  EXPECT_EQ(set_feature(0x0B, 2).status, success);
  const Completion c = bench.take();
  EXPECT_EQ(c.cid, 43);
  EXPECT_EQ(c.result, 1u | 1u << 8 | 2u << 16); // type health, temperature, SMART log
}

TEST_F(NvmeAdmin, ParksFourEventRequestsAndRefusesTheFifth) {
  for (std::uint16_t cid = 0; cid < 4; ++cid) async_event(cid);
  EXPECT_EQ(async_event(4).status, aer_limit);
}

TEST_F(NvmeAdmin, AbortsParkedEventRequestsOnly) {
  async_event(50);
  async_event(51);
  const auto abort = [](std::uint32_t sqid, std::uint32_t cid) {
    return sqe(nvme::admin::abort, 0, cid << 16 | sqid);
  };
  bench.front.fetch(0, abort(0, 51));
  bench.run();
  const Completion aborted = bench.take();
  EXPECT_EQ(aborted.cid, 51);
  EXPECT_EQ(aborted.status, abort_requested);
  EXPECT_EQ(bench.take().result, 0u);
  EXPECT_EQ(bench.admin(abort(0, 51)).result, 1u) << "not there any more";
  EXPECT_EQ(bench.admin(abort(3, 50)).result, 1u) << "not in that queue";
}

} // namespace
} // namespace twinplane::test::nvme_admin_test
