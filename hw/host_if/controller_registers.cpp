#include "hw/host_if/controller_registers.h"

#include <cstring>
#include <utility>

#include "hw/core/register_access.h"
#include "hw/spec/nvme.h"
#include "hw/spec/registers.h"

namespace twinplane::hw {

namespace {

constexpr std::uint32_t kDoorbellStride = 4; // CAP.DSTRD = 0
constexpr std::uint32_t kEntrySizes = 6;     // CC.IOSQES: 2^6 bytes
constexpr std::uint32_t kCqEntrySizes = 4;   // CC.IOCQES: 2^4 bytes
constexpr std::uint64_t kPageMask = 4095;
constexpr std::uint32_t kPendingBytes = 0x1000;
// asynchronous event information of error events (section 5.2, figure 146)
constexpr std::uint32_t kInvalidRegister = 0; // doorbell of a queue that does not exist
constexpr std::uint32_t kInvalidValue = 1;

std::uint32_t low(std::uint64_t value) {
  return static_cast<std::uint32_t>(value);
}
std::uint32_t high(std::uint64_t value) {
  return static_cast<std::uint32_t>(value >> 32);
}
std::uint64_t with_low(std::uint64_t old, std::uint32_t value) {
  return (old >> 32 << 32) | value;
}
std::uint64_t with_high(std::uint64_t old, std::uint32_t value) {
  return std::uint64_t{value} << 32 | low(old);
}

} // namespace

ControllerRegisters::ControllerRegisters(std::string name, const HostInterfaceConfig& config, FrontEnd& front)
    : name_(std::move(name)),
      config_(config),
      front_(front),
      shadow_doorbells_(ShadowDoorbells::Path{front.host, front.link, front.queues}, doorbell_user()) {
  front.poster.on_held([this](std::uint32_t cqid, TimePs at) { shadow_doorbells_.wait_for_head(cqid, at); });
}

// --- BAR0 ---

void ControllerRegisters::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const TimePs issued = time_at(delay);
  if (front_.ahead != nullptr && front_.ahead->passed(issued)) return refuse_late_access(payload, issued);
  const tlm::tlm_response_status status = access(payload, front_.link.register_write(issued));
  if (status == tlm::TLM_OK_RESPONSE && payload.is_read()) {
    delay += to_sc_time(front_.link.register_read(issued) - issued);
  }
  payload.set_response_status(status);
}

bool ControllerRegisters::read32(std::uint64_t address, std::uint32_t& value, TimePs& at) {
  if (!takes_word(address, at)) return false;
  value = read(static_cast<std::uint32_t>(address), front_.link.register_write(at));
  at = front_.link.register_read(at);
  return true;
}

bool ControllerRegisters::write32(std::uint64_t address, std::uint32_t value, TimePs& at) {
  if (!takes_word(address, at)) return false;
  write(static_cast<std::uint32_t>(address), value, front_.link.register_write(at));
  return true;
}

void ControllerRegisters::refuse_late_access(tlm::tlm_generic_payload& payload, TimePs at) {
  payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
  const std::string text =
      name_ + ": a register access at " + to_sc_time(at).to_string() +
      " comes too late, the drive has gone on ahead of the kernel because nothing was "
      "pending before: with a host that acts unannounced (between two calls of sc_start(), "
      "from an OS thread) set cpu.run_ahead to 0";
  SC_REPORT_ERROR("twinplane.host_if", text.c_str());
}

unsigned ControllerRegisters::transport_dbg(tlm::tlm_generic_payload& payload) {
  if (!payload.is_read()) return 0; // registers act: a debugger may look only
  return access(payload, kernel_now()) == tlm::TLM_OK_RESPONSE ? payload.get_data_length() : 0;
}

inline tlm::tlm_response_status ControllerRegisters::access(tlm::tlm_generic_payload& payload, TimePs at) {
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) return tlm::TLM_OK_RESPONSE; // and nothing happens
  const std::uint32_t length = payload.get_data_length();
  const std::uint64_t address = payload.get_address();
  if (address >= nvme::bar::size) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if ((length != 4 && length != 8) || (address & (length - 1)) != 0 || streams(payload))
    return tlm::TLM_BURST_ERROR_RESPONSE;
  if (payload.get_byte_enable_ptr() != nullptr) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  for (std::uint32_t done = 0; done < length; done += 4) {
    const auto offset = static_cast<std::uint32_t>(address) + done;
    std::uint32_t word = 0;
    if (payload.is_read()) {
      word = read(offset, at);
      std::memcpy(payload.get_data_ptr() + done, &word, sizeof word);
    } else {
      std::memcpy(&word, payload.get_data_ptr() + done, sizeof word);
      write(offset, word, at);
    }
  }
  return tlm::TLM_OK_RESPONSE;
}

std::uint64_t ControllerRegisters::capabilities() const {
  const std::uint64_t mqes = config_.max_queue_entries - 1;
  return mqes | 1u << 16                                     // CQR: queues are physically contiguous
         | 1u << 17                                          // AMS: weighted round robin with urgent class
         | std::uint64_t{config_.ready_timeout & 0xFF} << 24 // TO
         | std::uint64_t{1} << 37; // CSS: NVM command set; DSTRD, MPSMIN, MPSMAX = 0
}

std::uint32_t ControllerRegisters::controller_status(TimePs at) const {
  return (ready_.at(at) ? nvme::csts::rdy : 0) | (front_.fatal ? nvme::csts::cfs : 0) | shutdown_status_;
}

std::uint32_t ControllerRegisters::read(std::uint32_t offset, TimePs at) {
  namespace bar0 = nvme::bar;
  switch (offset) {
    case bar0::cap:
      return low(capabilities());
    case bar0::cap + 4:
      return high(capabilities());
    case bar0::vs:
      return nvme::kVersion14;
    case bar0::intms:
    case bar0::intmc:
      return front_.interrupts.mask();
    case bar0::cc:
      return cc_;
    case bar0::csts:
      return controller_status(at);
    case bar0::aqa:
      return aqa_;
    case bar0::asq:
      return low(asq_);
    case bar0::asq + 4:
      return high(asq_);
    case bar0::acq:
      return low(acq_);
    case bar0::acq + 4:
      return high(acq_);
    case bar0::msix_control:
      return front_.interrupts.control();
    default:
      break;
  }
  if (offset >= bar0::msix_pba && offset < bar0::msix_pba + kPendingBytes) {
    return front_.interrupts.read_pending((offset - bar0::msix_pba) / 4);
  }
  if (offset >= bar0::msix_table && offset < bar0::msix_pba) {
    return front_.interrupts.read_table((offset - bar0::msix_table) / 4);
  }
  return 0; // reserved registers and doorbells read as zero
}

void ControllerRegisters::write(std::uint32_t offset, std::uint32_t value, TimePs at) {
  namespace bar0 = nvme::bar;
  if (offset >= bar0::doorbells && offset < bar0::msix_table) {
    doorbell(offset - bar0::doorbells, value, at);
    return;
  }
  switch (offset) {
    case bar0::intms:
      front_.interrupts.set_mask(value, at);
      break;
    case bar0::intmc:
      front_.interrupts.clear_mask(value, at);
      break;
    case bar0::cc:
      write_cc(value, at);
      break;
    case bar0::aqa:
      aqa_ = value & 0x0FFF'0FFF;
      break;
    case bar0::asq:
      asq_ = with_low(asq_, value);
      break;
    case bar0::asq + 4:
      asq_ = with_high(asq_, value);
      break;
    case bar0::acq:
      acq_ = with_low(acq_, value);
      break;
    case bar0::acq + 4:
      acq_ = with_high(acq_, value);
      break;
    case bar0::msix_control:
      set_msix(static_cast<std::uint16_t>(value), at);
      break;
    default:
      if (offset >= bar0::msix_table && offset < bar0::msix_pba) {
        front_.interrupts.write_table((offset - bar0::msix_table) / 4, value, at);
      }
  }
  front_.arm();
}

void ControllerRegisters::write_cc(std::uint32_t value, TimePs at) {
  const std::uint32_t old = cc_;
  cc_ = value;
  if ((value & nvme::cc::en) != 0 && (old & nvme::cc::en) == 0) enable_or_fail(at);
  if ((value & nvme::cc::en) == 0 && (old & nvme::cc::en) != 0) disable(at);
  if (nvme::cc::shn(value) != 0 && nvme::cc::shn(old) == 0 && (value & nvme::cc::en) != 0) {
    shutdown_status_ = nvme::csts::shst_in_progress;
    post_event(reg::host_event::shutdown, at);
  }
}

void ControllerRegisters::enable_or_fail(TimePs at) {
  shutdown_status_ = 0;
  if (enable()) {
    post_event(reg::host_event::enabled, at);
  } else {
    front_.fatal = true;
  }
}

// False when the host's settings are not those this controller supports: CSTS.CFS.
bool ControllerRegisters::enable() {
  const std::uint32_t sq_entries = (aqa_ & 0xFFF) + 1;
  const std::uint32_t cq_entries = (aqa_ >> 16) + 1;
  const std::uint32_t arbitration = nvme::cc::ams(cc_);
  if (nvme::cc::mps(cc_) != 0 || nvme::cc::css(cc_) != 0 || arbitration > 1) return false;
  if (nvme::cc::iosqes(cc_) != kEntrySizes || nvme::cc::iocqes(cc_) != kCqEntrySizes) return false;
  if (asq_ == 0 || acq_ == 0 || (asq_ & kPageMask) != 0 || (acq_ & kPageMask) != 0) return false;
  front_.queues.reset();
  QueueRequest admin_cq;
  admin_cq.base = acq_;
  admin_cq.entries = cq_entries;
  admin_cq.flags = 1; // interrupts on, vector 0
  QueueRequest admin_sq;
  admin_sq.base = asq_;
  admin_sq.entries = sq_entries;
  if (front_.queues.create_cq(admin_cq) != nvme::status::success) return false;
  if (front_.queues.create_sq(admin_sq) != nvme::status::success) return false;
  front_.fetch_engine.arbiter().set_weighted(arbitration == 1);
  front_.fetch_engine.arbiter().reset();
  return true; // entries are fetched once firmware is ready
}

void ControllerRegisters::disable(TimePs at) {
  front_.fetch_engine.set_enabled(false);
  shadow_doorbells_.stop();
  front_.queues.reset();
  front_.slots.orphan_all();
  front_.host.forget_posted();
  front_.interrupts.reset(at);
  front_.fatal = halted_;
  shutdown_status_ = 0;
  ready_.revoke(at); // firmware, ahead of the host, may have got ready for what has just ended
  event_ &= ~(reg::host_event::enabled | reg::host_event::shutdown);
  post_event(reg::host_event::disabled, at);
}

void ControllerRegisters::doorbell(std::uint32_t offset, std::uint32_t value, TimePs at) {
  if ((cc_ & nvme::cc::en) == 0 || front_.fatal) return;
  const std::uint32_t index = offset / kDoorbellStride;
  if (shadow_doorbells_.covers(index)) {
    shadowed_doorbell(index, value, at);
  } else if ((index & 1) == 0) {
    sq_doorbell(index / 2, value, at);
  } else {
    cq_doorbell(index / 2, value, at);
  }
}

// False, here and below: there is no such queue, or the value makes no sense.
bool ControllerRegisters::sq_doorbell(std::uint32_t id, std::uint32_t value, TimePs at) {
  if (!front_.queues.has_sq(id)) return bad_doorbell(kInvalidRegister, at);
  SubmissionQueue& queue = front_.queues.sq(id);
  if (value >= queue.entries) return bad_doorbell(kInvalidValue, at);
  front_.queues.announce(queue, value);
  front_.fetch_engine.note_doorbell(id);
  front_.fetch(at);
  return true;
}

// The new head must lie between the old head and the tail: a host cannot take what was not posted.
bool ControllerRegisters::cq_doorbell(std::uint32_t id, std::uint32_t value, TimePs at) {
  if (!front_.queues.has_cq(id)) return bad_doorbell(kInvalidRegister, at);
  const CompletionQueue& queue = front_.queues.cq(id);
  if (value >= queue.entries) return bad_doorbell(kInvalidValue, at);
  const std::uint32_t taken = value >= queue.head ? value - queue.head : value + queue.entries - queue.head;
  const std::uint32_t posted =
      queue.tail >= queue.head ? queue.tail - queue.head : queue.tail + queue.entries - queue.head;
  if (taken > posted) return bad_doorbell(kInvalidValue, at);
  front_.poster.on_head(id, value, at);
  front_.interrupts.review_pin(at);
  if (front_.fetch_engine.starved()) {
    front_.fetch(at);
  } else {
    front_.arm();
  }
  return true;
}

bool ControllerRegisters::bad_doorbell(std::uint32_t info, TimePs at) {
  ++bad_doorbells_;
  event_info_ = info;
  post_event(reg::host_event::bad_doorbell, at);
  return false;
}

/// The register is written, and what counts is in memory; what could not be there is reported as ever.
void ControllerRegisters::shadowed_doorbell(std::uint32_t number, std::uint32_t value, TimePs at) {
  const std::uint32_t id = number / 2;
  const bool head = (number & 1) != 0;
  const bool exists = head ? front_.queues.has_cq(id) : front_.queues.has_sq(id);
  if (exists && value < (head ? front_.queues.cq(id).entries : front_.queues.sq(id).entries)) {
    shadow_doorbells_.written(number, value, at);
  } else {
    head ? cq_doorbell(id, value, at) : sq_doorbell(id, value, at);
  }
}

ShadowDoorbells::User ControllerRegisters::doorbell_user() {
  ShadowDoorbells::User user;
  user.take = [this](std::uint32_t number, std::uint32_t value, TimePs at) {
    return (number & 1) == 0 ? sq_doorbell(number / 2, value, at) : cq_doorbell(number / 2, value, at);
  };
  user.wants_head = [this](const CompletionQueue& queue) {
    return queue.interrupts && front_.interrupts.pin_in_use();
  };
  user.lost = [this] {
    shadow_doorbells_.stop();
    front_.fetch_engine.set_enabled(false);
    front_.fatal = true;
  };
  return user;
}

// An answer to what the host asked before a reset that firmware has not seen is void.
bool ControllerRegisters::answers_host() const {
  return (cc_ & nvme::cc::en) != 0 && (event_ & reg::host_event::disabled) == 0;
}

void ControllerRegisters::control(std::uint32_t bits, TimePs at) {
  const bool current = answers_host();
  if ((bits & reg::host_control::clear_ready) != 0) {
    ready_.set(false, at, kernel_now());
    front_.fetch_engine.set_enabled(false);
  }
  if ((bits & reg::host_control::set_ready) != 0 && current) {
    ready_.set(true, at, kernel_now());
    front_.fetch_engine.set_enabled(!front_.fatal);
    front_.fetch(at);
  }
  if ((bits & reg::host_control::shutdown_complete) != 0 && current &&
      shutdown_status_ == nvme::csts::shst_in_progress)
    shutdown_status_ = nvme::csts::shst_complete;
  if ((bits & reg::host_control::set_fatal) != 0) front_.fatal = true;
  if ((bits & reg::host_control::halted) != 0) {
    front_.fatal = halted_ = true;
    front_.fetch_engine.set_enabled(false);
  }
}

/// A controller reset (NVMe 1.4 section 7.3.2: FLR is one of its causes), and all registers. A controller
/// that its firmware has given up stays so.
void ControllerRegisters::reset(TimePs at) {
  if ((cc_ & nvme::cc::en) != 0) disable(at);
  ready_.revoke(at);
  ready_.set(false, at, kernel_now());
  cc_ = aqa_ = 0;
  asq_ = acq_ = 0;
  front_.fatal = halted_;
  shutdown_status_ = 0;
  front_.interrupts.reset_table(at);
  front_.arm();
}

void ControllerRegisters::set_msix(std::uint16_t control, TimePs at) {
  front_.interrupts.set_control(control, at);
  shadow_doorbells_.review_heads(at);
  front_.arm();
}

} // namespace twinplane::hw
