// The device's way into host memory: by pointer where the host grants DMI, by b_transport elsewhere.
//
// The host may call wait() in b_transport. So transactions come from threads of the front end only; any other
// caller gets the answer `later` and leaves the access to a thread. When the host has promised not to wait,
// every caller makes the transaction itself and never gets `later`.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <systemc>
#include <tlm>
#include <vector>

#include "hw/core/register_port.h"
#include "hw/core/run_ahead.h"
#include "hw/spec/data_mode.h"
#include "hw/spec/sim_time.h"

namespace twinplane::hw {

enum class HostAnswer : std::uint8_t { ok, error, later };

/// Who wants an access, and for when.
struct HostCall {
  TimePs at = 0;          // absolute
  bool in_thread = false; // the caller may be made to wait
  TimePs answered = 0;    // out: when the host had answered, if later than before
};

/// A write that the front end does not wait for: a completion queue entry or an interrupt message.
struct PostedWrite {
  std::uint64_t address = 0;
  std::uint8_t data[16] = {};
  std::uint32_t length = 0;
  TimePs at = 0;
  std::uint16_t cqid = 0; // of an entry
  std::uint32_t entry = 0;
  std::uint32_t generation = 0; // of the queue; 0: not an entry
};

class HostAccess {
 public:
  using Socket = tlm::tlm_initiator_socket<>;
  HostAccess(Socket& socket, bool host_waits) : socket_(socket), host_waits_(host_waits) {}

  /// A part of host memory that the host has granted: [start, end]. Valid until the next transaction.
  struct Grant {
    std::uint64_t start = 1;
    std::uint64_t end = 0; // inclusive
    std::uint8_t* memory = nullptr;

    std::uint8_t* at(std::uint64_t address, std::uint64_t length) const {
      return address >= start && address + (length - 1) <= end ? memory + (address - start) : nullptr;
    }
  };

  /// At end of elaboration: a host may take messages by call.
  void bind_message_port() { messages_ = RegisterPort(socket_.operator->()).typed(); }
  /// Who is told that the host has been called or an event notified; not needed if the drive is never ahead.
  void bind_run_ahead(RunAhead& ahead) { ahead_ = &ahead; }
  /// Host memory may be accessed; when not, every access is answered with an error.
  void set_enabled(bool enabled);
  /// Notifies an event of the front end.
  void notify(sc_core::sc_event& event, const sc_core::sc_time& delay) {
    kernel_changes();
    event.notify(delay);
  }

  /// Direct pointer to [address, address + length), or null when there is no grant for it (yet).
  std::uint8_t* direct(std::uint64_t address, std::uint64_t length) {
    std::uint8_t* const memory = grant_[0].at(address, length);
    return memory != nullptr ? memory : direct_elsewhere(address, length);
  }
  /// Most accesses are to a sector's tag: a copy of known size needs no call, 25 instructions of a request.
  static void copy(void* to, const void* from, std::uint32_t length) {
    if (length == kTagBytes) {
      std::memcpy(to, from, kTagBytes);
    } else {
      std::memcpy(to, from, length);
    }
  }

  /// The host may wait: there are threads for what it does not grant.
  bool host_waits() const { return host_waits_; }
  /// An access there needs no thread.
  bool is_at_once(std::uint64_t address, std::uint64_t length) {
    return !host_waits_ || direct(address, length) != nullptr;
  }

  HostAnswer read(std::uint64_t address, void* data, std::uint32_t length, HostCall& call) {
    if (const std::uint8_t* memory = direct(address, length)) {
      copy(data, memory, length);
      return HostAnswer::ok;
    }
    return transport(tlm::TLM_READ_COMMAND, address, data, length, call);
  }
  HostAnswer write(std::uint64_t address, const void* data, std::uint32_t length, HostCall& call) {
    if (std::uint8_t* memory = direct(address, length)) {
      copy(memory, data, length);
      return HostAnswer::ok;
    }
    return transport(tlm::TLM_WRITE_COMMAND, address, const_cast<void*>(data), length, call);
  }
  /// Writes an entry when that can be done at once and in the order of posted writes; else it must be posted.
  bool write_at_once(std::uint64_t address, const void* entry, std::uint32_t length, TimePs at) {
    HostCall call{at};
    const bool in_order = posted_.empty(); // a granted entry must not overtake one that is not
    return in_order && write(address, entry, length, call) != HostAnswer::later;
  }
  /// A thread will write it.
  void post(const PostedWrite& write);
  /// Sends an interrupt message. Always a transaction: the host must see it at its time.
  void send(std::uint64_t address, std::uint32_t word, TimePs at);
  /// Notified when there is something for send_posted().
  const sc_core::sc_event& posted() const { return posted_event_; }
  std::size_t posted_writes() const { return posted_.size(); }
  /// Controller reset: what has not left is not wanted any more. One that is leaving goes its way.
  void forget_posted();
  /// In a thread: the oldest posted write, of which there must be one, goes to the host. Returns it.
  PostedWrite send_posted();

  /// DMI invalidation: forgets grants that overlap [start, end].
  void invalidate(std::uint64_t start, std::uint64_t end);

 private:
  void kernel_changes() {
    if (ahead_ != nullptr) ahead_->kernel_changed();
  }
  std::uint8_t* direct_elsewhere(std::uint64_t address, std::uint64_t length);
  HostAnswer transport(tlm::tlm_command command, std::uint64_t address, void* data, std::uint32_t length,
                       HostCall& call);
  HostAnswer transport_alone(tlm::tlm_command command, std::uint64_t address, void* data,
                             std::uint32_t length, HostCall& call);
  HostAnswer transport(tlm::tlm_generic_payload& payload, std::uint64_t address, HostCall& call);
  void ask_for_grant(tlm::tlm_generic_payload& payload, std::uint64_t address);

  Socket& socket_;
  bool host_waits_;
  bool enabled_ = true;
  RunAhead* ahead_ = nullptr;
  /// Of a host that takes messages by call.
  RegisterTarget* messages_ = nullptr;
  tlm::tlm_generic_payload payload_;              // of callers that cannot be made to wait: one at a time
  std::deque<tlm::tlm_generic_payload> payloads_; // of the others; as many as have ever waited at a time
  std::vector<tlm::tlm_generic_payload*> idle_payloads_;
  std::deque<PostedWrite> posted_;
  bool sending_ = false; // the oldest of them
  sc_core::sc_event posted_event_{"posted_writes"};
  std::array<Grant, 8> grant_{}; // the one used last comes first
  std::uint32_t grants_ = 0;
  std::uint32_t next_victim_ = 0;
};

} // namespace twinplane::hw
