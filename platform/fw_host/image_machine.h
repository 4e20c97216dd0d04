// An image and the core that executes it: memory map, calls from outside, cycles that become the modelled
// core's time, and where the image is when it cannot go on.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "firmware/boot/firmware.h"
#include "firmware/target/image.h"
#include "hw/cpu/core_block.h"
#include "hw/iss/cycle_counter.h"
#include "hw/iss/elf_image.h"
#include "hw/iss/instruction_core.h"
#include "platform/config/config.h"
#include "platform/fw_host/alignment_check.h"
#include "platform/fw_host/image_meter.h"
#include "platform/fw_host/tlm_hal.h"

namespace twinplane::platform {

/// A debugger: sees each instruction and access of a turn before it is carried out (not those of calls from
/// outside), and the core as it is when it cannot go on. While it thinks nothing else happens.
class MachineDebugger : public hw::InstructionCore::InstructionListener,
                        public hw::InstructionCore::AccessListener {
 public:
  enum class End : std::uint8_t { illegal, bad_access, stopped, panic };
  virtual void on_end(End how) = 0;

 protected:
  ~MachineDebugger() = default;
};

class ImageMachine final : private hw::InstructionCore::Device,
                           private hw::InstructionCore::AccessListener,
                           private hw::InstructionCore::InstructionListener,
                           private hw::CycleCounter::LimitWatch {
 public:
  /// Loads the image cpu.firmware. `debug` has the registers of the debug window. Throws InputError.
  ImageMachine(const CpuKeys& keys, hw::CoreBlock& core, hw::InstructionCore::Device& debug);
  /// Its meter keeps a profile.
  void profile();
  /// Before the first run: all accesses are looked at for their alignment, not only the first ones.
  void look_at_all_accesses() { alignment_.look_always(); }

  /// Once DRAM is there: maps it, and tells the image of its drive.
  void power_on(TlmHal& hal, const fw::FirmwareConfig& config);

  /// Before the first run: at the image's probe points for `who` it can be asked what there is to see ...
  void find_probes(fw::Watch who);
  /// An image may do without: then it cannot be asked what goes on in it.
  bool has_probe_points() const { return header_.probes_begin != header_.probes_end; }
  /// ... and is, from now on.
  void look(fw::Watch who) { looking_ |= 1u << static_cast<std::uint32_t>(who); }

  /// Before the first run; from then on each instruction and access is told of.
  void attach(MachineDebugger& debugger);

  /// Executes until the core waits for an interrupt. Throws FirmwarePanic when it cannot go on.
  void run();
  /// Calls a function of the image, in no time.
  std::uint64_t call(fw::target::Call function, std::uint32_t first = 0, std::uint32_t second = 0);

  /// Memory of the image, by the core's address. Throws FirmwarePanic when there is none.
  std::uint8_t* memory(std::uint32_t address, std::uint64_t bytes);
  template <class T>
  T& at(std::uint32_t address) {
    return *reinterpret_cast<T*>(memory(address, sizeof(T)));
  }
  /// Of its constants or data, up to the zero.
  std::string text(std::uint32_t address) const;

  /// The cycles so far become the core's local time.
  void spend();

  /// " at 1 ms", where the image is, and through which calls.
  std::string where() const;
  [[noreturn]] void fail(const std::string& what) const;
  /// The image has said its last words.
  [[noreturn]] void panic(const std::string& what);

  // --- for debuggers ---
  hw::InstructionCore& core() { return *core_; }
  hw::CoreBlock& core_block() { return core_block_; }
  bool called_from_outside() const { return calling_; }
  /// Memory that is no register; false where all of it is not, or may not be written.
  bool read_memory(std::uint32_t address, void* to, std::size_t bytes) const;
  bool write_memory(std::uint32_t address, const void* from, std::size_t bytes);

  ImageMeter& meter() { return meter_; }
  const hw::ElfImage& image() const { return image_; }

 private:
  [[noreturn]] void fail_unaligned(std::uint32_t address, std::uint32_t bytes, bool write) const;
  std::uint32_t read(std::uint32_t offset) override;
  void write(std::uint32_t offset, std::uint32_t value) override;
  void on_access(std::uint32_t address, std::uint32_t bytes, bool write) override;
  void on_instruction(std::uint32_t address) override;
  bool goes_on() override;
  /// It has to come back within `turns` of the watchdog.
  std::uint64_t call(std::uint32_t function,
                     const std::array<std::uint32_t, fw::target::ProbePoint::kArguments>& arguments,
                     std::uint64_t turns);
  void check_header();
  void load_segments();
  void finish(hw::InstructionCore::Reason reason);
  void tell_end(MachineDebugger::End how) const;
  void limit_from_now(std::uint64_t turns);

  const CpuKeys keys_;
  hw::CoreBlock& core_block_;
  const std::unique_ptr<hw::InstructionCore> core_;
  const hw::ElfImage image_;
  fw::target::ImageHeader header_{};
  std::map<std::uint32_t, fw::target::ProbePoint> probes_; // that were found, by address
  std::uint32_t looking_ = 0;                              // fw::Watch, as bits
  std::vector<std::uint8_t> code_;                         // what the image is loaded into
  std::vector<std::uint8_t> data_;
  std::vector<std::uint8_t> window_;
  std::vector<std::uint8_t> boot_;
  std::uint8_t* dram_ = nullptr;
  std::uint64_t dram_bytes_ = 0;
  hw::CycleCounter counter_;
  AlignmentCheck alignment_;
  MachineDebugger* debugger_ = nullptr;
  std::uint64_t spent_ = 0; // thousandths of a cycle that the core's time has
  std::uint32_t pc_ = 0;
  std::uint64_t limit_ = 0; // in thousandths of a cycle: the watchdog's end
  bool hurries_ = false;    // a signal has asked the run to end
  bool in_turn_ = false;
  bool calling_ = false;
  ImageMeter meter_{counter_};
};

} // namespace twinplane::platform
