// Does the conformance suite find a drive that breaks the standard? A sound drive whose registers, entries,
// commands, data or interrupts are spoilt on their way, one way each: the rule that is named has to break.
#include <gtest/gtest.h>

#include "tests/nvme/simulated_drive.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::broken_drives_test {
namespace {

namespace bar0 = nvme::bar;

constexpr std::uint8_t kFlush = 0x00, kGetFeatures = 0x0A;

/// What is done to it; null: nothing.
struct Fault {
  const char* name;
  const char* rule;
  std::uint32_t (*read)(std::uint32_t offset, std::uint32_t value, std::uint32_t cc) = nullptr;
  bool (*write)(std::uint32_t offset, std::uint32_t& value, std::uint64_t number) = nullptr; // false: lost
  bool (*entry)(nvme::Cqe& entry, std::uint64_t number) = nullptr;                           // false: lost
  void (*command)(nvme::Sqe& sqe, bool admin) = nullptr;
  void (*data)(std::uint8_t* data, std::uint32_t bytes) = nullptr;
  bool silent = false; // no interrupts
  bool twice = false;  // an entry lies in the next place, too
  bool after = false;  // an entry comes when the controller has been disabled
};

bool is_sq_doorbell(std::uint32_t offset) {
  return offset >= bar0::doorbells && offset < bar0::msix_table && offset % 8 == 0;
}
bool is_cq_doorbell(std::uint32_t offset) {
  return offset >= bar0::doorbells && offset < bar0::msix_table && offset % 8 == 4;
}
std::uint16_t status_of(const nvme::Cqe& entry) {
  return static_cast<std::uint16_t>(entry.status >> 1 & 0x7FF);
}
template <std::uint8_t kFrom, std::uint8_t kTo, bool kAdmin>
void instead(nvme::Sqe& sqe, bool admin) {
  if (admin != kAdmin || sqe.opcode != kFrom) return;
  sqe.opcode = kTo;
  if (kAdmin) sqe.cdw10 = 1;
}

const Fault kFaults[] = {
    // --- registers ---
    {"ReadyFollowsNothing", "ready_follows_enable",
     [](std::uint32_t o, std::uint32_t v, std::uint32_t) { return o == bar0::csts ? v | 1u : v; }},
    {"DisableIsIgnored", "ready_follows_enable", nullptr,
     [](std::uint32_t o, std::uint32_t& v, std::uint64_t) { return o != bar0::cc || (v & 1) != 0; }},
    {"ReadyWhateverIsAskedFor", "enable_with_what_is_not_supported_never_gets_ready_and_a_reset_mends_it",
     [](std::uint32_t o, std::uint32_t v, std::uint32_t cc) { return o == bar0::csts ? v | (cc & 1) : v; }},
    {"NoQueueEntries", "capabilities_are_those_of_an_nvm_controller",
     [](std::uint32_t o, std::uint32_t v, std::uint32_t) { return o == bar0::cap ? v & 0xFFFF'0000u : v; }},
    {"AdminAttributesAreForgotten", "admin_queue_registers_keep_what_is_written",
     [](std::uint32_t o, std::uint32_t v, std::uint32_t) { return o == bar0::aqa ? 0 : v; }},
    {"ShutdownDoesNotEnd", "shutdown_completes",
     [](std::uint32_t o, std::uint32_t v, std::uint32_t) { return o == bar0::csts ? v & ~nvme::csts::shst_mask : v; }},
    {"BasesWithAnOffsetAreTaken", "queue_bases_that_are_not_page_aligned_never_get_ready",
     [](std::uint32_t o, std::uint32_t v, std::uint32_t) { return o == bar0::asq || o == bar0::acq ? v | 0x40u : v; },
     [](std::uint32_t o, std::uint32_t& v, std::uint64_t) {
       if (o == bar0::asq || o == bar0::acq) v &= ~0xFFFu;
       return true;
     }},
    // --- doorbells ---
    {"DoorbellsOfNoQueueAreNotReported", "doorbells_of_queues_that_are_not_there_are_reported", nullptr,
     [](std::uint32_t o, std::uint32_t&, std::uint64_t) {
       return o < bar0::doorbells + 8 * 2 || o >= bar0::msix_table;
     }},
    {"TailsAreCutToTheQueue", "values_beyond_the_queue_are_reported_and_ignored", nullptr,
     [](std::uint32_t o, std::uint32_t& v, std::uint64_t) {
       if (is_sq_doorbell(o) && v > 31) v = 0;
       return true;
     }},
    {"HeadsAreIgnored", "queues_wrap_and_phases_turn", nullptr,
     [](std::uint32_t o, std::uint32_t&, std::uint64_t) {
       return !is_cq_doorbell(o) || o < bar0::doorbells + 8;
     }},
    {"ADoorbellIsLost", "queues_wrap_and_phases_turn", nullptr,
     [](std::uint32_t o, std::uint32_t&, std::uint64_t n) { return !is_sq_doorbell(o) || n % 20 != 19; }},
    // --- completion queue entries ---
    {"PhasesDoNotTurn", "queues_wrap_and_phases_turn", nullptr, nullptr,
     [](nvme::Cqe& e, std::uint64_t) {
       e.status |= 1;
       return true;
     }},
    {"AnotherIdentifier", "written_data_are_read", nullptr, nullptr,
     [](nvme::Cqe& e, std::uint64_t) {
       e.cid ^= 1;
       return true;
     }},
    {"AnotherSubmissionQueue", "several_submission_queues_share_a_completion_queue", nullptr, nullptr,
     [](nvme::Cqe& e, std::uint64_t) {
       if (e.sq_id > 1) e.sq_id = 1;
       return true;
     }},
    {"HeadStandsStill", "queues_wrap_and_phases_turn", nullptr, nullptr,
     [](nvme::Cqe& e, std::uint64_t) {
       e.sq_head = 0;
       return true;
     }},
    {"NothingFails", "unknown_admin_opcodes_are_refused", nullptr, nullptr,
     [](nvme::Cqe& e, std::uint64_t) {
       e.status &= 1;
       return true;
     }},
    {"AnEntryIsLost", "a_deep_queue_of_writes_loses_nothing", nullptr, nullptr,
     [](nvme::Cqe&, std::uint64_t n) { return n % 30 != 29; }},
    {"NoResults", "abort_says_whether_it_did", nullptr, nullptr,
     [](nvme::Cqe& e, std::uint64_t) {
       e.result = 0;
       return true;
     }},
    {"TooManyEventRequestsAreKept", "event_requests_are_limited", nullptr, nullptr,
     [](nvme::Cqe& e, std::uint64_t) { return status_of(e) != nvme::status::aer_limit; }},
    {"AnAbortedCommandDoesNotEnd", "abort_says_whether_it_did", nullptr, nullptr,
     [](nvme::Cqe& e, std::uint64_t) { return status_of(e) != nvme::status::abort_requested; }},
    {"AnEntryComesTwice", "a_deep_queue_of_writes_loses_nothing", nullptr, nullptr, nullptr, nullptr, nullptr, false,
     true},
    {"AnEntryComesBehindAReset", "a_reset_drops_commands_and_leaves_memory_alone", nullptr, nullptr, nullptr,
     nullptr, nullptr, false, false, true},
    // --- commands ---
    {"AbortDoesNothing", "abort_says_whether_it_did", nullptr, nullptr, nullptr,
     instead<nvme::admin::abort, kGetFeatures, true>},
    {"QueuesAreNotDeleted", "queues_are_deleted_in_their_order", nullptr, nullptr, nullptr,
     instead<nvme::admin::delete_sq, kGetFeatures, true>},
    {"FeaturesAreNotSet", "features_keep_what_is_set_until_a_reset", nullptr, nullptr, nullptr,
     instead<nvme::admin::set_features, kGetFeatures, true>},
    {"FormatDoesNothing", "format_takes_all_data", nullptr, nullptr, nullptr,
     instead<nvme::admin::format, kGetFeatures, true>},
    {"SanitizeDoesNothing", "sanitize_takes_all_data_and_says_so", nullptr, nullptr, nullptr,
     instead<nvme::admin::sanitize, kGetFeatures, true>},
    {"SelfTestDoesNothing", "a_self_test_is_logged", nullptr, nullptr, nullptr,
     instead<nvme::admin::self_test, kGetFeatures, true>},
    {"DoorbellBuffersAreForgotten", "doorbells_in_memory_lose_no_command", nullptr, nullptr, nullptr,
     instead<nvme::admin::doorbell_buffers, kGetFeatures, true>},
    {"WriteZeroesDoesNothing", "write_zeroes_makes_zeros", nullptr, nullptr, nullptr,
     instead<nvme::io::write_zeroes, kFlush, false>},
    {"WriteUncorrectableDoesNothing", "uncorrectable_sectors_fail_reads_until_they_are_written", nullptr, nullptr,
     nullptr, instead<nvme::io::write_uncorrectable, kFlush, false>},
    {"EverythingIsEqual", "compare_tells_whether_data_are_equal", nullptr, nullptr, nullptr,
     instead<nvme::io::compare, nvme::io::verify, false>},
    {"VerifyMovesData", "verify_moves_no_data", nullptr, nullptr, nullptr,
     instead<nvme::io::verify, nvme::io::read, false>},
    {"WritesGoBeside", "written_data_are_read", nullptr, nullptr, nullptr,
     [](nvme::Sqe& s, bool admin) {
       if (!admin && s.opcode == nvme::io::write) s.cdw10 ^= 1;
     }},
    {"AnyNamespaceWillDo", "commands_that_name_sectors_check_range_and_namespace", nullptr, nullptr, nullptr,
     [](nvme::Sqe& s, bool admin) {
       if (!admin) s.nsid = 1;
     }},
    {"AnyAddressWillDo", "commands_that_name_sectors_check_range_and_namespace", nullptr, nullptr, nullptr,
     [](nvme::Sqe& s, bool admin) {
       if (admin || s.opcode == nvme::io::dataset_management) return;
       s.cdw10 &= 0x1FF;
       s.cdw11 = 0;
     }},
    {"OffsetsArePages", "data_may_begin_at_any_dword_of_a_page", nullptr, nullptr, nullptr,
     [](nvme::Sqe& s, bool admin) {
       if (!admin) s.prp1 &= ~std::uint64_t{4095};
     }},
    {"AnyVectorWillDo", "completion_queue_creation_is_checked", nullptr, nullptr, nullptr,
     [](nvme::Sqe& s, bool admin) {
       if (admin && s.opcode == nvme::admin::create_cq) s.cdw11 &= 0x3;
     }},
    // --- data and interrupts ---
    {"AByteIsWrong", "written_data_are_read", nullptr, nullptr, nullptr, nullptr,
     [](std::uint8_t* data, std::uint32_t bytes) { data[bytes - 1] ^= 0x10; }},
    {"TooManyBytes", "log_pages_answer_by_identifier_and_offset", nullptr, nullptr, nullptr, nullptr,
     [](std::uint8_t* data, std::uint32_t bytes) { data[bytes] ^= 0xFF; }},
    {"TheHealthPageStandsStill", "the_health_page_counts_reads_and_writes", nullptr, nullptr, nullptr, nullptr,
     [](std::uint8_t* data, std::uint32_t bytes) {
       if (bytes == 512) std::memset(data + 32, 0, 64);
     }},
    {"NoEntrySizes", "identify_data_are_consistent", nullptr, nullptr, nullptr, nullptr,
     [](std::uint8_t* data, std::uint32_t bytes) {
       if (bytes == 4096 && data[512] == 0x66) data[512] = 0;
     }},
    {"NoInterrupts", "interrupts_come_with_completions", nullptr, nullptr, nullptr, nullptr, nullptr, true},
};

void PrintTo(const Fault& fault, std::ostream* to) {
  *to << fault.name;
}

class BrokenDrive final : public SimulatedDrive {
 public:
  explicit BrokenDrive(const Fault& fault) : SimulatedDrive(conformance::DriveKind::sound), fault_(fault) {
    host_memory().on_write = [this](std::uint64_t address, std::uint32_t bytes) {
      if (bytes == sizeof before_) before_ = host_memory().load<nvme::Cqe>(address);
    };
    host_memory().on_written = [this](std::uint64_t address, std::uint32_t bytes) {
      bytes == sizeof(nvme::Cqe) ? spoil_entry(address) : spoil_data(address, bytes);
    };
  }

  std::uint32_t read(std::uint32_t offset) override {
    const std::uint32_t value = SimulatedDrive::read(offset);
    return fault_.read == nullptr ? value : fault_.read(offset, value, cc_);
  }
  void write(std::uint32_t offset, std::uint32_t value) override {
    if (offset == bar0::cc) note_control(value);
    if (offset == bar0::asq) queues_[0].base = value;
    if (offset == bar0::aqa) queues_[0].entries = (value & 0xFFF) + 1;
    if (is_sq_doorbell(offset)) look_at_commands((offset - bar0::doorbells) / 8, value);
    if (fault_.write == nullptr || fault_.write(offset, value, writes_++))
      SimulatedDrive::write(offset, value);
  }
  void wait(std::uint32_t microseconds) override {
    SimulatedDrive::wait(microseconds);
    if (late_ && microseconds >= 1000 && (SimulatedDrive::read(bar0::csts) & nvme::csts::rdy) == 0)
      post_late();
  }
  [[nodiscard]] std::uint64_t messages(std::uint16_t vector) override {
    const std::uint64_t came = SimulatedDrive::messages(vector);
    return fault_.silent ? 0 : came;
  }

 private:
  struct Queue {
    std::uint64_t base = 0;
    std::uint32_t entries = 0, tail = 0;
  };

  void note_control(std::uint32_t value) {
    late_ = late_ || (fault_.after && (cc_ & 1) != 0 && (value & 1) == 0);
    cc_ = value;
    if ((value & 1) != 0) return;
    queues_[0].tail = 0;
    queues_.erase(queues_.upper_bound(0), queues_.end());
  }
  /// What the doorbell makes the drive's.
  void look_at_commands(std::uint32_t id, std::uint32_t tail) {
    const auto found = queues_.find(id);
    if (found == queues_.end() || tail >= found->second.entries) return;
    Queue& queue = found->second;
    for (; queue.tail != tail; queue.tail = (queue.tail + 1) % queue.entries) {
      const std::uint64_t at = queue.base + queue.tail * sizeof(nvme::Sqe);
      auto sqe = host_memory().load<nvme::Sqe>(at);
      if (id == 0 && sqe.opcode == nvme::admin::create_sq)
        queues_[sqe.cdw10 & 0xFFFF] = {sqe.prp1, (sqe.cdw10 >> 16) + 1, 0};
      if (id == 0 && sqe.opcode == nvme::admin::create_cq) last_cq_ = sqe.prp1;
      if (fault_.command != nullptr) fault_.command(sqe, id == 0);
      host_memory().store(at, sqe);
    }
  }
  void spoil_entry(std::uint64_t address) {
    auto entry = host_memory().load<nvme::Cqe>(address);
    const bool kept = fault_.entry == nullptr || fault_.entry(entry, entries_++);
    host_memory().store(address, kept ? entry : before_);
    if (fault_.twice) host_memory().store(address + sizeof entry, entry);
  }
  void spoil_data(std::uint64_t address, std::uint32_t bytes) {
    if (fault_.data != nullptr && bytes >= 16) fault_.data(host_memory().at(address), bytes);
  }
  void post_late() {
    late_ = false;
    if (last_cq_ != 0) host_memory().store(last_cq_, nvme::Cqe{0xBAD, 0, 0, 0, 0xBAD, 3});
  }

  const Fault& fault_;
  std::map<std::uint32_t, Queue> queues_{{0, {}}};
  nvme::Cqe before_{};
  std::uint64_t writes_ = 0, entries_ = 0, last_cq_ = 0;
  std::uint32_t cc_ = 0;
  bool late_ = false;
};

class BrokenDrives : public testing::TestWithParam<Fault> {};

TEST_P(BrokenDrives, AreFound) {
  BrokenDrive drive(GetParam());
  for (const conformance::Rule& rule : conformance::rules()) {
    if (std::string(rule.name) != GetParam().rule) continue;
    const conformance::Verdict verdict = conformance::judge(rule, drive);
    EXPECT_FALSE(verdict.findings.empty()) << rule.name << " finds nothing";
    return;
  }
  FAIL() << "no rule is called " << GetParam().rule;
}

INSTANTIATE_TEST_SUITE_P(Nvme, BrokenDrives, testing::ValuesIn(kFaults), parameter_name);

} // namespace
} // namespace twinplane::test::broken_drives_test
