#include "platform/host/host_memory.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>

namespace twinplane::platform {

HostMemory::HostMemory(std::uint64_t base, std::uint64_t bytes)
    : base_(base), bytes_(bytes), arena_(static_cast<std::uint8_t*>(std::calloc(bytes, 1))) {
  if (arena_ == nullptr) throw std::bad_alloc();
}

std::uint64_t HostMemory::allocate(std::uint64_t bytes, std::uint64_t alignment) {
  const std::uint64_t start = (used_ + alignment - 1) & ~(alignment - 1);
  if (start > bytes_ || bytes > bytes_ - start) throw std::length_error("the host's memory is used up");
  used_ = start + bytes;
  return base_ + start;
}

void HostMemory::access(tlm::tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  const std::uint64_t length = payload.get_data_length();
  std::uint8_t* data = payload.get_data_ptr();
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  if (in_arena(address, length)) {
    std::uint8_t* memory = pointer(address);
    std::memcpy(payload.is_write() ? memory : data, payload.is_write() ? data : memory, length);
    payload.set_dmi_allowed(true);
    return;
  }
  for (std::uint64_t done = 0; done < length;) {
    const std::uint64_t at = address + done;
    const std::uint64_t piece = std::min(length - done, kPageSize - at % kPageSize);
    access_page(payload.is_write(), at, data + done, piece);
    done += piece;
  }
}

void HostMemory::access_page(bool write, std::uint64_t address, std::uint8_t* data, std::uint64_t length) {
  auto found = pages_.find(address / kPageSize);
  if (found == pages_.end()) {
    if (!write) {
      std::memset(data, 0, length);
      return;
    }
    found = pages_.emplace(address / kPageSize, std::make_unique<Page>()).first;
  }
  std::uint8_t* memory = found->second->bytes + address % kPageSize;
  std::memcpy(write ? memory : data, write ? data : memory, length);
}

bool HostMemory::direct(std::uint64_t address, tlm::tlm_dmi& dmi) {
  if (!in_arena(address, 1)) return false;
  dmi.set_dmi_ptr(arena_.get());
  dmi.set_start_address(base_);
  dmi.set_end_address(base_ + bytes_ - 1);
  dmi.allow_read_write();
  return true;
}

} // namespace twinplane::platform
