// The host that the conformance rules play: queues, doorbells and data by hand, over any transport.
#pragma once

#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "hw/spec/nvme.h"
#include "tests/nvme/conformance/transport.h"

namespace twinplane::test::conformance {

class Host {
 public:
  static constexpr std::uint32_t kPage = 4096;
  static constexpr std::uint32_t kCc = 6u << 16 | 4u << 20; // entry sizes; CC without EN
  static constexpr std::uint32_t kAll = 0xFFFF'FFFF;        // all namespaces

  explicit Host(Transport& transport) : transport_(transport) {}

  // --- findings ---
  /// Notes `what` when it does not hold; the rule goes on.
  void expect(bool holds, const std::string& what);
  void expect_equal(std::uint64_t is, std::uint64_t should_be, const std::string& what);
  /// Of a command: -1 is none.
  void expect_status(int is, int should_be, const std::string& what);
  /// Ends the rule when it does not hold.
  void require(bool holds, const std::string& what);
  [[nodiscard]] const std::vector<std::string>& findings() const { return findings_; }
  struct Stop {}; // thrown by require()

  // --- registers ---
  std::uint32_t read(std::uint32_t offset) { return transport_.read(offset); }
  void write(std::uint32_t offset, std::uint32_t value) { transport_.write(offset, value); }
  std::uint64_t read64(std::uint32_t offset) { return read(offset) | std::uint64_t{read(offset + 4)} << 32; }
  void doorbell(std::uint32_t number, std::uint32_t value) {
    write(nvme::bar::doorbells + 4 * number, value);
  }
  bool wait_status(std::uint32_t mask, std::uint32_t value);
  void wait(std::uint32_t microseconds) { transport_.wait(microseconds); }
  [[nodiscard]] bool in_step() const { return transport_.in_step(); }
  std::uint64_t messages(std::uint16_t vector) { return transport_.messages(vector); }

  // --- memory ---
  /// So many pages that are not in use, zeroed; they stay the caller's.
  std::uint64_t pages(std::uint32_t count);
  std::uint8_t* at(std::uint64_t address) { return transport_.memory() + address; }
  [[nodiscard]] std::uint64_t nowhere() const { return transport_.memory_bytes() + kPage; }
  template <typename T>
  T load(std::uint64_t address) {
    T value;
    std::memcpy(&value, at(address), sizeof value);
    return value;
  }
  template <typename T>
  void store(std::uint64_t address, const T& value) {
    std::memcpy(at(address), &value, sizeof value);
  }
  void fill(std::uint64_t address, std::uint64_t bytes, std::uint8_t value) {
    std::memset(at(address), value, bytes);
  }

  // --- controller ---
  /// AQA, ASQ, ACQ; CC is left alone.
  void set_up_admin_queues(std::uint32_t entries = 32);
  /// ... and CC.EN with `more` in its other fields; CSTS.RDY is awaited.
  void enable(std::uint32_t entries = 32, std::uint32_t more = 0);
  void disable();
  /// enable(), and what the drive says of itself.
  void start();
  /// ... and one pair of I/O queues, 1.
  void start_io(std::uint32_t entries = 64);

  /// What start() has found out.
  std::uint64_t sectors = 0;
  std::uint32_t sector_bytes = 0;
  std::uint32_t most_sectors = 0;       // of one command, by MDTS; as far as the host's memory goes
  bool limited = false;                 // MDTS says so
  std::uint32_t queues = 0;             // of each kind
  std::uint32_t most_entries = 0;       // CAP.MQES + 1
  std::vector<std::uint8_t> controller; // identify data
  std::vector<std::uint8_t> name_space;
  std::uint16_t oacs = 0, oncs = 0;

  // --- queues ---
  struct Sq {
    std::uint16_t cqid = 0;
    std::uint32_t entries = 0, tail = 0, head = 0;
    std::uint64_t base = 0;
  };
  struct Cq {
    std::uint32_t entries = 0, head = 0;
    std::uint64_t base = 0;
    bool phase = true;
  };
  std::set<std::uint16_t> statuses; // of all entries that were taken, without DNR
  std::map<std::uint16_t, Sq> sq;
  std::map<std::uint16_t, Cq> cq;
  /// The status of the command that creates it. The host knows the queue then, whatever the status.
  int create_cq(std::uint16_t id, std::uint32_t entries, std::uint16_t vector = 0);
  int create_sq(std::uint16_t id, std::uint32_t entries, std::uint16_t cqid, std::uint32_t priority = 0);
  void create_pair(std::uint16_t id, std::uint32_t entries);

  /// Puts the command into the queue under an identifier of its own, which it returns; ring() makes it count.
  std::uint16_t push(std::uint16_t id, nvme::Sqe sqe);
  void ring(std::uint16_t id) { doorbell(2u * id, sq[id].tail); }
  /// The next entry of a completion queue; its doorbell is not rung.
  std::optional<nvme::Cqe> take(std::uint16_t id);
  void ring_head(std::uint16_t id) { doorbell(2u * id + 1, cq[id].head); }
  /// Takes until `count` have come or patience ends; the doorbell is rung as they come.
  std::vector<nvme::Cqe> collect(std::uint16_t id, std::size_t count);

  /// Sends one command and takes the next entry: its status without DNR, -1 when none came.
  int execute(std::uint16_t id, const nvme::Sqe& sqe);
  nvme::Cqe last{}; // of execute()
  int admin(std::uint8_t opcode, std::uint32_t cdw10 = 0, std::uint32_t cdw11 = 0, std::uint32_t nsid = 0,
            std::uint64_t prp1 = 0);
  static nvme::Sqe io(std::uint8_t opcode, std::uint64_t lba, std::uint32_t count, std::uint64_t prp1 = 0,
                      std::uint64_t prp2 = 0);

  /// Data of `bytes` at `address`, which must be page aligned, as PRPs; lists are made where needed.
  void attach(nvme::Sqe& sqe, std::uint64_t address, std::uint64_t bytes);
  /// Status of a read or write of whole pages at `address`.
  int transfer(std::uint8_t opcode, std::uint64_t lba, std::uint32_t count, std::uint64_t address);
  /// Fills `count` sectors in memory with something that `seed` and their place decide.
  void make(std::uint64_t address, std::uint32_t count, std::uint32_t seed);
  [[nodiscard]] bool holds(std::uint64_t address, std::uint32_t count, std::uint32_t seed);
  [[nodiscard]] bool holds_zeros(std::uint64_t address, std::uint64_t bytes);

 private:
  void learn();

  Transport& transport_;
  std::vector<std::string> findings_;
  std::uint64_t next_page_ = 1;
  std::uint16_t next_cid_ = 0x100;
};

} // namespace twinplane::test::conformance
