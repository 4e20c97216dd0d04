// A Cortex-R5 on Unicorn (docs/firmware.md has what it costs, and its limits).
#include <exception>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "hw/iss/instruction_core.h"
#include "hw/iss/unicorn_library.h"

namespace twinplane::hw {
namespace {

constexpr int kRegisters[arm::registers] = {
    UC_ARM_REG_R0,  UC_ARM_REG_R1, UC_ARM_REG_R2, UC_ARM_REG_R3, UC_ARM_REG_R4,  UC_ARM_REG_R5,
    UC_ARM_REG_R6,  UC_ARM_REG_R7, UC_ARM_REG_R8, UC_ARM_REG_R9, UC_ARM_REG_R10, UC_ARM_REG_R11,
    UC_ARM_REG_R12, UC_ARM_REG_SP, UC_ARM_REG_LR, UC_ARM_REG_PC, UC_ARM_REG_CPSR};

class UnicornCore final : public InstructionCore {
 public:
  UnicornCore() : u_(load_unicorn()) {
    check(u_.open(UC_ARCH_ARM, UC_MODE_ARM, &uc_));
    // uc_ctl_set_cpu_model() is a macro that names uc_ctl
    check(u_.ctl(uc_, UC_CTL_WRITE(UC_CTL_CPU_MODEL, 1), UC_CPU_ARM_CORTEX_R5));
    hook(UC_HOOK_MEM_INVALID, reinterpret_cast<void*>(&bad_access), this, 1, 0);
    hook(UC_HOOK_INTR, reinterpret_cast<void*>(&exception_taken), this, 1, 0);
  }
  ~UnicornCore() override { u_.close(uc_); }
  UnicornCore(const UnicornCore&) = delete;
  UnicornCore& operator=(const UnicornCore&) = delete;

  void map_memory(std::uint32_t base, std::uint32_t bytes, Access access) override {
    std::uint32_t rights = UC_PROT_READ;
    if (access == Access::data) rights |= UC_PROT_WRITE;
    if (access == Access::code) rights |= UC_PROT_EXEC;
    check(u_.mem_map(uc_, base, bytes, rights));
  }
  void map_shared(std::uint32_t base, std::uint64_t bytes, void* memory) override {
    check(u_.mem_map_ptr(uc_, base, bytes, UC_PROT_READ | UC_PROT_WRITE, memory));
  }
  void map_device(std::uint32_t base, std::uint32_t bytes, Device& device) override {
    mapped_.push_back(std::make_unique<Mapped>(Mapped{*this, device, base}));
    check(
        u_.mmio_map(uc_, base, bytes, read_device, mapped_.back().get(), write_device, mapped_.back().get()));
  }
  void listen(BlockListener& listener) override {
    blocks_ = &listener;
    hook(UC_HOOK_BLOCK, reinterpret_cast<void*>(&block), this, 1, 0);
  }
  void listen(InstructionListener& listener) override { listen_between(listener, 1, 0); }
  void listen(InstructionListener& listener, std::uint32_t address) override {
    listen_between(listener, address, address);
  }
  void listen(AccessListener& listener, std::uint32_t begin, std::uint32_t end) override {
    accesses_.push_back(
        std::make_unique<Listening<AccessListener>>(Listening<AccessListener>{*this, listener, 0}));
    accesses_.back()->handle = hook(UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE, reinterpret_cast<void*>(&access),
                                    accesses_.back().get(), begin, end - 1u);
    translate_anew();
  }
  void forget(AccessListener& listener) override {
    for (const auto& l : accesses_) {
      if (&l->listener == &listener && l->handle != 0) check(u_.hook_del(uc_, std::exchange(l->handle, 0)));
    }
    forgets_ = true; // the engine does so at the end of the next run
  }

  Reason run(std::uint32_t pc, std::uint32_t until) override {
    fault_ = CoreFault();
    has_run_ = true;
    const bool forgets = std::exchange(forgets_, false);
    const uc_err error = u_.emu_start(uc_, pc, until, 0, 0);
    if (forgets) translate_anew();
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
    if (!fault_.what.empty()) return Reason::fault;
    if (stopped_) return Reason::stopped;
    if (error != UC_ERR_OK) {
      fault_.what = error == UC_ERR_INSN_INVALID ? "undefined instruction" : u_.strerror(error);
      fault_.pc = reg(arm::pc);
      return Reason::fault;
    }
    return reg(arm::pc) == until ? Reason::reached : Reason::waits;
  }
  void stop() override {
    stopped_ = true;
    u_.emu_stop(uc_);
  }
  const CoreFault& fault() const override { return fault_; }

  std::uint32_t reg(unsigned number) const override {
    std::uint32_t value = 0;
    check(u_.reg_read(uc_, kRegisters[number], &value));
    return value;
  }
  void set_reg(unsigned number, std::uint32_t value) override {
    check(u_.reg_write(uc_, kRegisters[number], &value));
  }
  bool read(std::uint32_t address, void* to, std::size_t bytes) const override {
    return u_.mem_read(uc_, address, to, bytes) == UC_ERR_OK;
  }
  bool write(std::uint32_t address, const void* from, std::size_t bytes) override {
    return u_.mem_write(uc_, address, from, bytes) == UC_ERR_OK;
  }

 private:
  struct Mapped {
    UnicornCore& core;
    Device& device;
    std::uint32_t base;
  };

  template <class Listener>
  struct Listening {
    UnicornCore& core;
    Listener& listener;
    uc_hook handle = 0;
  };

  void check(uc_err error) const {
    if (error != UC_ERR_OK) throw std::runtime_error(std::string("Unicorn: ") + u_.strerror(error));
  }
  uc_hook hook(int type, void* callback, void* user, std::uint64_t begin, std::uint64_t end) {
    uc_hook handle = 0;
    check(u_.hook_add(uc_, &handle, type, callback, user, begin, end));
    return handle;
  }
  /// Whether accesses are told is decided where a piece of code is translated.
  void translate_anew() {
    if (has_run_) check(u_.ctl(uc_, UC_CTL_WRITE(UC_CTL_TB_FLUSH, 0)));
  }

  void listen_between(InstructionListener& listener, std::uint64_t first, std::uint64_t last) {
    instructions_.push_back(
        std::make_unique<Listening<InstructionListener>>(Listening<InstructionListener>{*this, listener, 0}));
    hook(UC_HOOK_CODE, reinterpret_cast<void*>(&instruction), instructions_.back().get(), first, last);
  }

  /// Exceptions must not cross the engine's frames.
  template <class Action>
  void guard(Action action) {
    if (thrown_) return;
    try {
      action();
    } catch (...) {
      thrown_ = std::current_exception();
      u_.emu_stop(uc_);
    }
  }

  void refuse(const char* what, std::uint32_t address) {
    fault_ = CoreFault{what, reg(arm::pc), true, address};
    u_.emu_stop(uc_);
  }

  /// Before a hook of an access the engine sets the state of an IT block (Thumb) to that of the instruction.
  /// The code that goes on carries it out by itself and leaves it there, for the next piece of code to
  /// stumble on.
  void leave_it_block() {
    constexpr std::uint32_t kItState = 0x0600FC00;
    const std::uint32_t state = reg(arm::cpsr);
    if ((state & kItState) != 0) set_reg(arm::cpsr, state & ~kItState);
  }

  static bool is_word(std::uint64_t offset, unsigned bytes) { return bytes == 4 && offset % 4 == 0; }
  static std::uint64_t read_device(uc_engine*, std::uint64_t offset, unsigned bytes, void* user) {
    Mapped& m = *static_cast<Mapped*>(user);
    const auto at = static_cast<std::uint32_t>(offset);
    std::uint32_t value = 0;
    if (!is_word(offset, bytes)) {
      m.core.refuse("read of a register that is not of a word", m.base + at);
    } else {
      m.core.guard([&] { value = m.device.read(at); });
    }
    return value;
  }
  static void write_device(uc_engine*, std::uint64_t offset, unsigned bytes, std::uint64_t value,
                           void* user) {
    Mapped& m = *static_cast<Mapped*>(user);
    const auto at = static_cast<std::uint32_t>(offset);
    if (!is_word(offset, bytes)) {
      m.core.refuse("write to a register that is not of a word", m.base + at);
    } else {
      m.core.guard([&] { m.device.write(at, static_cast<std::uint32_t>(value)); });
    }
  }
  static void block(uc_engine*, std::uint64_t address, std::uint32_t bytes, void* user) {
    UnicornCore& core = *static_cast<UnicornCore*>(user);
    core.guard([&] { core.blocks_->on_block(static_cast<std::uint32_t>(address), bytes); });
  }
  static void instruction(uc_engine*, std::uint64_t address, std::uint32_t, void* user) {
    const auto& l = *static_cast<const Listening<InstructionListener>*>(user);
    l.core.guard([&] { l.listener.on_instruction(static_cast<std::uint32_t>(address)); });
  }
  static void access(uc_engine*, uc_mem_type type, std::uint64_t address, int bytes, std::int64_t,
                     void* user) {
    const auto& l = *static_cast<const Listening<AccessListener>*>(user);
    l.core.guard([&] {
      l.listener.on_access(static_cast<std::uint32_t>(address), static_cast<std::uint32_t>(bytes),
                           type == UC_MEM_WRITE);
    });
    l.core.leave_it_block();
  }
  static bool bad_access(uc_engine*, uc_mem_type type, std::uint64_t address, int, std::int64_t, void* user) {
    const char* what = "access that is not allowed";
    switch (type) {
      case UC_MEM_READ_UNMAPPED:
        what = "read where nothing is";
        break;
      case UC_MEM_WRITE_UNMAPPED:
        what = "write where nothing is";
        break;
      case UC_MEM_FETCH_UNMAPPED:
        what = "jump to where nothing is";
        break;
      case UC_MEM_WRITE_PROT:
        what = "write to memory that is only read";
        break;
      case UC_MEM_FETCH_PROT:
        what = "jump to memory that is not for code";
        break;
      default:
        break;
    }
    static_cast<UnicornCore*>(user)->refuse(what, static_cast<std::uint32_t>(address));
    return false;
  }
  static void exception_taken(uc_engine*, std::uint32_t number, void* user) {
    static constexpr const char* kNames[] = {"exception", "undefined instruction", "supervisor call",
                                             "jump that ends in a prefetch abort",
                                             "access that ends in a data abort"};
    UnicornCore& core = *static_cast<UnicornCore*>(user);
    core.fault_ =
        CoreFault{number < std::size(kNames) ? kNames[number] : kNames[0], core.reg(arm::pc), false, 0};
    core.u_.emu_stop(core.uc_);
  }

  UnicornLibrary u_;
  uc_engine* uc_ = nullptr;
  BlockListener* blocks_ = nullptr;
  std::vector<std::unique_ptr<Listening<InstructionListener>>> instructions_;
  std::vector<std::unique_ptr<Listening<AccessListener>>> accesses_;
  std::vector<std::unique_ptr<Mapped>> mapped_;
  CoreFault fault_;
  std::exception_ptr thrown_;
  bool has_run_ = false;
  bool forgets_ = false;
  bool stopped_ = false;
};

} // namespace

std::unique_ptr<InstructionCore> make_cortex_r5() {
  return std::make_unique<UnicornCore>();
}

} // namespace twinplane::hw
