// Memory of a host that plays by no rules but TLM's: pages that answer errors, direct access granted,
// withheld, in parts or taken back, accesses that take time or wait.
#pragma once

#include <tlm_utils/simple_target_socket.h>
#include <cstdint>
#include <cstring>
#include <functional>
#include <systemc>
#include <vector>

namespace twinplane::test {

class HostMemory : public sc_core::sc_module {
 public:
  static constexpr std::uint64_t kPage = 4096;
  static constexpr std::uint64_t kMessages = 0xFEE0'0000; // message-signalled interrupts go here
  static constexpr std::uint64_t kMessageBytes = 0x10'0000;
  enum class Direct { never, whole, parts }; // DMI: none, all memory, 64 KiB at a time

  tlm_utils::simple_target_socket<HostMemory> socket{"socket"};

  HostMemory(const sc_core::sc_module_name& name, std::uint64_t pages);

  std::uint64_t pages() const { return refused_.size(); }
  std::uint64_t size() const { return bytes_.size(); }
  std::uint8_t* at(std::uint64_t address) { return bytes_.data() + address; }
  template <typename T>
  T load(std::uint64_t address) const {
    T value;
    std::memcpy(&value, bytes_.data() + address, sizeof value);
    return value;
  }
  template <typename T>
  void store(std::uint64_t address, const T& value) {
    std::memcpy(bytes_.data() + address, &value, sizeof value);
  }

  void set_direct(Direct direct);
  /// Accesses of the page are answered with an error, or again as they should.
  void refuse(std::uint64_t page, bool refused);
  bool refused(std::uint64_t address, std::uint64_t length) const;
  std::uint64_t refusals() const { return refusals_; }

  sc_core::sc_time latency;                                                 // of every access
  bool latency_waits = false;                                               // it is waited for, not annotated
  std::function<void(std::uint64_t address, std::uint32_t bytes)> on_write; // what goes by transactions
  std::function<void(std::uint64_t address, std::uint32_t bytes)> on_written; // ... when it is there
  std::function<void(std::uint32_t offset, std::uint32_t data)> on_message;

 private:
  void on_access(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void on_send(const tlm::tlm_generic_payload& payload);
  bool on_direct(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
  bool span(std::uint64_t address, std::uint64_t& start, std::uint64_t& end) const;

  std::vector<std::uint8_t> bytes_;
  std::vector<bool> refused_; // by page
  Direct direct_ = Direct::never;
  std::uint64_t refusals_ = 0;
};

} // namespace twinplane::test
