// Which status has every admin command, whatever its opcode, identifier and fields? The answers are those of
// NVM Express 1.4; where it leaves a choice, both are allowed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/nvme/status_bench.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::admin_status_test {
namespace {

namespace st = nvme::status;
using testing::AnyOf;

const char* const kBuffered = "[ftl]\nwrite_buffer = 16\nwrite_ack = \"buffered\"\n";

// --- opcodes (figure 139) ---

/// With all fields 0.
constexpr int kNoneYet = -1;
int of_admin_opcode(std::uint32_t opcode) {
  switch (opcode) {
    case nvme::admin::delete_sq:
    case nvme::admin::create_sq:
    case nvme::admin::delete_cq:
    case nvme::admin::create_cq:
      return st::qid_invalid; // the admin queues
    case nvme::admin::get_log_page:
      return st::log_page;
    case nvme::admin::identify:
    case nvme::admin::format:
      return st::invalid_namespace;
    case nvme::admin::abort:
      return st::success;
    case nvme::admin::set_features:
    case nvme::admin::get_features:
    case nvme::admin::self_test:
      return st::invalid_field;
    case nvme::admin::async_event:
      return kNoneYet; // until something happens
    default:
      return st::invalid_opcode;
  }
}

TEST_F(Commands, OfEveryAdminOpcodeHaveTheStatusOfTheirKind) {
  start();
  for (std::uint32_t opcode = 0; opcode < 256; ++opcode) {
    EXPECT_EQ(admin(static_cast<std::uint8_t>(opcode)), of_admin_opcode(opcode)) << "opcode " << opcode;
  }
}

// --- features (section 5.21.1) ---

constexpr std::uint32_t kCache = 0x06;
constexpr std::uint32_t kTimestamp = 0x0E;
bool is_feature(std::uint32_t id, bool cache) {
  return (id >= 1 && id <= 0x0B && id != 3 && (id != kCache || cache)) || id == kTimestamp;
}

class FeatureCommands : public Commands, public testing::WithParamInterface<bool> {};

TEST_P(FeatureCommands, ThatGetAreAnsweredByTheIdentifier) {
  const bool cache = GetParam();
  start(cache ? kBuffered : "");
  for (std::uint32_t id = 0; id < 256; ++id) {
    for (std::uint32_t select = 0; select < 8; ++select) {
      const int expected = is_feature(id, cache) && select < 4 ? st::success : st::invalid_field;
      EXPECT_EQ(admin(nvme::admin::get_features, id | select << 8), expected) << id << " select " << select;
      EXPECT_EQ(written, expected == st::success && id == kTimestamp && select == 0 ? 8u : 0u) << id;
    }
  }
}

TEST_P(FeatureCommands, ThatSetAreAnsweredByTheIdentifier) {
  const bool cache = GetParam();
  start(cache ? kBuffered : "");
  constexpr std::uint32_t kSave = 1u << 31;
  for (std::uint32_t id = 0; id < 256; ++id) {
    const bool known = is_feature(id, cache);
    EXPECT_EQ(admin(nvme::admin::set_features, id), known ? st::success : st::invalid_field) << id;
    EXPECT_EQ(admin(nvme::admin::set_features, id | kSave),
              known ? st::feature_not_saveable : st::invalid_field)
        << id;
  }
}
INSTANTIATE_TEST_SUITE_P(WithAndWithoutCache, FeatureCommands, testing::Bool(), parameter_name);

TEST_F(Commands, ThatSetAFeatureToWhatTheDriveCannotDoAreRefused) {
  start_io();
  const struct {
    std::uint32_t id, value;
    int status;
  } rows[] = {
      {0x02, 1, st::invalid_field},                     // power state 1 of 0
      {0x02, 5, st::invalid_field},                     //
      {0x04, 2u << 20 | 300, st::invalid_field},        // a reserved kind of threshold
      {0x04, 1u << 16 | 300, st::invalid_field},        // sensor 1, that there is not
      {0x04, 15u << 16 | 343, st::success},             // all sensors
      {0x05, 1u << 16, st::invalid_field},              // DULBE: the namespace does not support it
      {0x07, 0x0001'0001, st::command_sequence},        // after the first I/O queue
      {0x07, 0xFFFF'FFFF, st::invalid_field},           // 65,536 queues
      {0x09, queues + 1, st::invalid_field},            // no such vector
      {0x09, 1u << 16 | 4, st::feature_not_changeable}, // one vector's coalescing
  };
  for (const auto& row : rows) {
    const int status = admin(nvme::admin::set_features, row.id, row.value);
    if (row.id == 7 && row.status == st::invalid_field) {
      EXPECT_THAT(status, AnyOf(st::invalid_field, st::command_sequence));
    } else {
      EXPECT_EQ(status, row.status) << row.id << ' ' << row.value;
    }
  }
  EXPECT_EQ(admin(nvme::admin::get_features, 0x09, queues + 1), st::invalid_field);
  EXPECT_EQ(admin(nvme::admin::get_features, 0x04, 2u << 20), st::invalid_field);
}

TEST_F(Commands, ThatSetTheDrivesFeaturesForOneNamespaceAreRefused) { // figure 128: 10Fh
  start(kBuffered);
  constexpr std::uint32_t kErrorRecovery = 0x05; // the only one of a namespace's own
  for (std::uint32_t id = 0; id < 256; ++id) {
    if (!is_feature(id, true)) continue;
    EXPECT_EQ(admin(nvme::admin::set_features, id, 0, 1),
              id == kErrorRecovery ? st::success : st::feature_not_of_namespace)
        << id;
    EXPECT_EQ(admin(nvme::admin::set_features, id, 0, 2), st::invalid_namespace) << id;
    EXPECT_EQ(admin(nvme::admin::set_features, id, 0, kAll), st::success) << id;
  }
}

TEST_F(Commands, ThatSetTheTimestampFailWithTheirData) {
  start();
  const nvme::Sqe sqe = DriveBench::admin(nvme::admin::set_features, kTimestamp);
  EXPECT_EQ(answer(0, with_prp(sqe, DriveBench::kData + 2)), st::prp_offset);
  EXPECT_EQ(answer(0, with_prp(sqe, DriveBench::kNowhere)), st::data_transfer_error);
}

// --- identify (section 5.15) ---

TEST_F(Commands, ThatIdentifyAreAnsweredByTheirCnsAndNamespace) {
  start();
  for (std::uint32_t cns = 0; cns < 256; ++cns) {
    for (const std::uint32_t nsid : {0u, 1u, 2u, 0xFFFF'FFFEu, kAll}) {
      int expected = st::success;
      if ((cns == 0 || cns == 3) && nsid != 1) expected = st::invalid_namespace;
      if (cns == 2 && nsid >= 0xFFFF'FFFE) expected = st::invalid_namespace;
      if (cns > 3) expected = st::invalid_field;
      EXPECT_EQ(admin(nvme::admin::identify, cns, 0, nsid), expected) << cns << " of " << nsid;
      EXPECT_EQ(written, expected == st::success ? kPage : 0u);
    }
  }
}

TEST_F(Commands, ThatIdentifyFailWithTheirPointers) {
  start();
  const nvme::Sqe sqe = DriveBench::admin(nvme::admin::identify, 1);
  EXPECT_EQ(answer(0, with_prp(sqe, DriveBench::kData + 2)), st::prp_offset);
  EXPECT_EQ(answer(0, with_prp(sqe, DriveBench::kNowhere)), st::data_transfer_error);
  EXPECT_EQ(answer(0, with_prp(sqe, DriveBench::kData + 4, DriveBench::kData + kPage)), st::success);
  EXPECT_EQ(written, kPage);
}

// --- log pages (section 5.14) ---

/// Bytes of the page; 0 when there is none.
std::uint32_t log_bytes(std::uint32_t id) {
  switch (id) {
    case 0x01: // 64 errors of 64 bytes
    case 0x04: // changed namespaces
    case 0x05: // commands supported and effects
      return 4096;
    case 0x06: // self-tests
      return 564;
    case 0x07: // telemetry that the host has asked for
      return 2048;
    case 0x02: // health
    case 0x03: // firmware slot
    case 0x08: // telemetry of the controller's own
    case 0xC0: // flash statistics
      return 512;
    default:
      return 0;
  }
}

TEST_F(Commands, ThatReadALogAreAnsweredByItsIdentifier) {
  start();
  for (std::uint32_t id = 0; id < 256; ++id) {
    for (const std::uint32_t dwords : {1u, 128u, 1024u}) {
      const std::uint32_t there = log_bytes(id);
      if ((id == 0x07 || id == 0x08) && dwords == 1) { // comes in blocks of 512 bytes
        EXPECT_EQ(admin(nvme::admin::get_log_page, id), st::invalid_field);
        continue;
      }
      EXPECT_EQ(admin(nvme::admin::get_log_page, id | (dwords - 1) << 16),
                there != 0 ? st::success : st::log_page)
          << id;
      EXPECT_EQ(written, std::min(there, dwords * 4)) << id;
    }
    EXPECT_EQ(admin(nvme::admin::get_log_page, id | 127u << 16, 0, kAll),
              log_bytes(id) != 0 ? st::success : st::log_page)
        << id;
  }
}

TEST_F(Commands, ThatReadALogOfOneNamespaceOrBehindItAreRefused) {
  start();
  for (const std::uint32_t id : {0x01u, 0x02u, 0x03u, 0x04u, 0x05u, 0x06u, 0xC0u}) {
    EXPECT_EQ(admin(nvme::admin::get_log_page, id | 127u << 16, 0, 1), st::invalid_field) << "LPA bit 0 is 0";
    nvme::Sqe sqe = DriveBench::admin(nvme::admin::get_log_page, id | 3u << 16);
    for (const std::uint32_t offset : {1u, 2u, 3u, log_bytes(id) + 4}) {
      sqe.cdw12 = offset;
      EXPECT_EQ(answer(0, sqe), st::invalid_field) << id << " from " << offset;
    }
    sqe.cdw12 = log_bytes(id) - 8;
    EXPECT_EQ(answer(0, sqe), st::success);
    EXPECT_EQ(written, 8u) << "to the end";
    sqe.cdw12 = 0;
    sqe.cdw13 = 1;
    EXPECT_EQ(answer(0, sqe), st::invalid_field) << id << " from 4 GiB";
    EXPECT_EQ(admin(nvme::admin::get_log_page, id | 0xFFFFu << 16, 0xFFFF), st::invalid_field) << "16 GiB";
  }
}

// --- queues (sections 5.3 to 5.6) ---

TEST_F(Commands, ThatCreateCompletionQueuesAreChecked) {
  start();
  const auto create = [&](std::uint32_t id, std::uint32_t size, std::uint32_t cdw11) {
    return admin(nvme::admin::create_cq, (size - 1) << 16 | id, cdw11);
  };
  EXPECT_EQ(create(0, 8, 3), st::qid_invalid);
  EXPECT_EQ(create(queues + 1, 8, 3), st::qid_invalid);
  EXPECT_EQ(create(0xFFFF, 8, 3), st::qid_invalid);
  EXPECT_EQ(create(1, 1, 3), st::queue_size);
  EXPECT_EQ(create(1, entries + 1, 3), st::queue_size) << "CAP.MQES";
  EXPECT_EQ(create(1, 65536, 3), st::queue_size);
  EXPECT_EQ(create(1, 8, 2), st::invalid_field) << "CAP.CQR is 1";
  EXPECT_EQ(create(1, 8, 3 | (queues + 1) << 16), st::interrupt_vector);
  EXPECT_EQ(create(1, 8, 3 | 2047u << 16), st::interrupt_vector);
  EXPECT_EQ(answer(0, DriveBench::admin(nvme::admin::create_cq, 7u << 16 | 1, 3, 0, DriveBench::kData + 8)),
            st::prp_offset);
  EXPECT_EQ(create(1, entries, 3 | queues << 16), st::success);
  EXPECT_EQ(create(1, 8, 3), st::qid_invalid) << "there is one";
  EXPECT_EQ(create(queues, 2, 3), st::success);
}

TEST_F(Commands, ThatCreateSubmissionQueuesAreChecked) {
  start();
  const auto create = [&](std::uint32_t id, std::uint32_t size, std::uint32_t cqid, std::uint32_t flags = 1) {
    return admin(nvme::admin::create_sq, (size - 1) << 16 | id, flags | cqid << 16);
  };
  EXPECT_EQ(create(1, 8, 1), st::cq_invalid) << "not yet";
  ASSERT_EQ(admin(nvme::admin::create_cq, 7u << 16 | 1, 3), st::success);
  EXPECT_EQ(create(1, 8, 0), st::qid_invalid) << "the admin completion queue";
  EXPECT_EQ(create(1, 8, 2), st::cq_invalid);
  EXPECT_EQ(create(1, 8, queues + 1), st::qid_invalid) << "outside what the drive supports";
  EXPECT_EQ(create(1, 8, 1000), st::qid_invalid);
  EXPECT_EQ(create(0, 8, 1), st::qid_invalid);
  EXPECT_EQ(create(queues + 1, 8, 1), st::qid_invalid);
  EXPECT_EQ(create(0xFFFF, 8, 1), st::qid_invalid);
  EXPECT_EQ(create(1, 1, 1), st::queue_size);
  EXPECT_EQ(create(1, entries + 1, 1), st::queue_size);
  EXPECT_EQ(create(1, 8, 1, 0), st::invalid_field) << "CAP.CQR is 1";
  EXPECT_EQ(answer(0, DriveBench::admin(nvme::admin::create_sq, 7u << 16 | 1, 1u << 16 | 1, 0,
                                        DriveBench::kData + 4)),
            st::prp_offset);
  EXPECT_EQ(create(1, 8, 1), st::success);
  EXPECT_EQ(create(1, 8, 1), st::qid_invalid) << "there is one";
  EXPECT_EQ(create(queues, entries, 1, 7), st::success) << "another, low priority";
}

TEST_F(Commands, ThatDeleteQueuesAreChecked) {
  start();
  for (const std::uint32_t id : {0u, 1u, queues, queues + 1, 0xFFFFu}) {
    EXPECT_EQ(admin(nvme::admin::delete_sq, id), st::qid_invalid) << id;
    EXPECT_EQ(admin(nvme::admin::delete_cq, id), st::qid_invalid) << id;
  }
  ASSERT_TRUE(host().create_pair(1, 8, 8));
  EXPECT_EQ(admin(nvme::admin::delete_cq, 1), st::invalid_queue_deletion) << "its submission queue is there";
  EXPECT_EQ(admin(nvme::admin::delete_sq, 1), st::success);
  EXPECT_EQ(admin(nvme::admin::delete_sq, 1), st::qid_invalid);
  EXPECT_EQ(admin(nvme::admin::delete_cq, 1), st::success);
  EXPECT_EQ(admin(nvme::admin::delete_cq, 1), st::qid_invalid);
}

// --- abort and asynchronous events (sections 5.1 and 5.2) ---

TEST_F(Commands, ThatAbortSayWhetherTheyDid) {
  start();
  EXPECT_EQ(admin(nvme::admin::abort, 77u << 16), st::success);
  EXPECT_EQ(result, 1u) << "no such command";
  EXPECT_EQ(admin(nvme::admin::abort, 77u << 16 | 0xFFFF), st::success);
  EXPECT_EQ(result, 1u) << "no such queue";
}

TEST_F(Commands, ThatWaitForEventsAreTakenUpToTheLimit) {
  start();
  const int limit = *host().memory.at(DriveBench::kData + 259) + 1; // AERL
  for (int i = 0; i < limit; ++i) EXPECT_EQ(admin(nvme::admin::async_event), kNone);
  EXPECT_EQ(admin(nvme::admin::async_event), st::aer_limit);
  EXPECT_EQ(admin(nvme::admin::identify, 1), st::success) << "others go on";
}

} // namespace
} // namespace twinplane::test::admin_status_test
