#include "platform/pci_host/vfio_user_server.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

#include "hw/spec/pci.h"

namespace twinplane::platform {

using namespace vfio_user;

namespace {

constexpr const char* kCapabilities =
    R"({"capabilities":{"max_msg_fds":16,"max_data_xfer_size":1048576,"pgsizes":4096,"max_dma_maps":1024}})";
constexpr std::uint32_t kConfigBytes = 256; // what the function has

/// Bytes of the next piece of an access: naturally aligned, at most `most`.
std::uint32_t piece_at(std::uint64_t offset, std::uint32_t left, std::uint32_t most) {
  std::uint32_t bytes = most;
  while (bytes > left || (offset & (bytes - 1)) != 0) bytes /= 2;
  return bytes;
}

} // namespace

VfioUserServer::Handler VfioUserServer::handler_of(std::uint16_t command) {
  static constexpr struct {
    std::uint16_t command;
    Handler handler;
  } kHandlers[] = {
      {version, &VfioUserServer::on_version},
      {dma_map, &VfioUserServer::on_map},
      {dma_unmap, &VfioUserServer::on_unmap},
      {device_get_info, &VfioUserServer::on_info},
      {device_get_region_info, &VfioUserServer::on_region_info},
      {device_get_irq_info, &VfioUserServer::on_irq_info},
      {device_set_irqs, &VfioUserServer::on_set_irqs},
      {region_read, &VfioUserServer::on_read},
      {region_write, &VfioUserServer::on_write},
      {device_reset, &VfioUserServer::on_reset},
  };
  for (const auto& row : kHandlers) {
    if (row.command == command) return row.handler;
  }
  return nullptr;
}

Transport::Served VfioUserServer::serve(PciDevice& device) {
  const MessageSocket::State head = socket_.fill(sizeof(Header));
  if (head == MessageSocket::State::partial) return Served::nothing;
  if (head == MessageSocket::State::closed) {
    return socket_.size() == 0 ? Served::closed : reject("it ends in the middle of a message");
  }
  std::memcpy(&header_, socket_.data(), sizeof header_);
  if (header_.size < sizeof(Header)) return reject("a message is shorter than its header");
  if (header_.size > kMostMessage) return reject("a message is longer than was agreed");
  const MessageSocket::State body = socket_.fill(header_.size);
  if (body == MessageSocket::State::partial) return Served::nothing;
  if (body == MessageSocket::State::closed) return reject("it ends in the middle of a message");
  if ((header_.flags & flag::type_mask) != 0) return reject("a reply to nothing");
  reply_.assign(sizeof(Header), 0);
  const Handler handler = handler_of(header_.command);
  const bool in_order = greeted_ || header_.command == version;
  const int error = !in_order ? EINVAL : handler == nullptr ? ENOTSUP : (this->*handler)(device);
  const bool sent = answer(error);
  socket_.next();
  return sent ? Served::message : Served::closed;
}

Transport::Served VfioUserServer::reject(const char* why) {
  std::fprintf(stderr, "twinplane: vfio-user: the client breaks the protocol: %s; the connection ends\n",
               why);
  return Served::closed;
}

bool VfioUserServer::answer(int error) {
  if ((header_.flags & flag::no_reply) != 0) {
    if (error != 0) {
      std::fprintf(stderr, "twinplane: vfio-user: command %u, which wants no reply, failed: %s\n",
                   header_.command, std::strerror(error));
    }
    return true;
  }
  if (error != 0) reply_.resize(sizeof(Header));
  Header head;
  head.id = header_.id;
  head.command = header_.command;
  head.size = static_cast<std::uint32_t>(reply_.size());
  head.flags = flag::reply | (error != 0 ? flag::error : 0);
  head.error = static_cast<std::uint32_t>(error);
  std::memcpy(reply_.data(), &head, sizeof head);
  return socket_.send(reply_.data(), reply_.size());
}

bool VfioUserServer::take_at(void* request, std::size_t bytes) const {
  if (payload_bytes() < bytes) return false;
  std::memcpy(request, payload(), bytes);
  return true;
}

void VfioUserServer::put(const void* bytes, std::size_t count) {
  const auto* from = static_cast<const std::uint8_t*>(bytes);
  reply_.insert(reply_.end(), from, from + count);
}

int VfioUserServer::on_version(PciDevice& device) {
  Version asked;
  if (!take(asked)) return EINVAL;
  const std::size_t text = payload_bytes() - sizeof asked;
  const char* const json = reinterpret_cast<const char*>(payload()) + sizeof asked;
  if (text != 0) { // it may be left out
    if (json[text - 1] != 0) return EINVAL;
    if (nlohmann::json::parse(json, json + text - 1, nullptr, false).is_discarded()) return EINVAL;
  }
  if (asked.major != 0) return ENOTSUP;
  vectors_.resize(device.vectors());
  greeted_ = true;
  const Version ours;
  put(&ours, sizeof ours);
  put(kCapabilities, std::strlen(kCapabilities) + 1);
  return 0;
}

int VfioUserServer::on_map(PciDevice& device) {
  DmaMap map;
  if (!take(map) || map.argsz < sizeof map) return EINVAL;
  if (socket_.descriptors().empty()) return 0; // reachable by messages only, which this server does not send
  const bool writable = (map.flags & dma_writable) != 0;
  return device.memory().map({map.address, map.size, map.offset, writable}, socket_.descriptors().front());
}

/// What was mapped without a file is not known here.
int VfioUserServer::on_unmap(PciDevice& device) {
  DmaUnmap unmap;
  if (!take(unmap) || unmap.argsz < sizeof unmap) return EINVAL;
  if ((unmap.flags & unmap_all) != 0) {
    if (unmap.address != 0 || unmap.size != 0) return EINVAL;
    device.memory().clear();
  } else {
    device.memory().unmap(unmap.address, unmap.size);
  }
  put(&unmap, sizeof unmap);
  return 0;
}

/// In as many bytes as were asked for: some clients know a longer form.
int VfioUserServer::on_info(PciDevice&) {
  DeviceInfo info;
  if (!take(info) || info.argsz < sizeof info) return EINVAL;
  info = {};
  info.argsz = static_cast<std::uint32_t>(payload_bytes());
  info.flags = info_flags;
  info.regions = kRegions;
  info.irqs = kIrqs;
  put(&info, sizeof info);
  reply_.resize(socket_.size());
  return 0;
}

int VfioUserServer::on_region_info(PciDevice& device) {
  RegionInfo info;
  if (!take(info) || info.argsz < sizeof info || info.index >= kRegions) return EINVAL;
  const std::uint32_t index = info.index;
  info = {};
  info.index = index;
  if (index == kBar0) info.size = device.bar_bytes();
  if (index == kConfig) info.size = kConfigBytes;
  if (info.size != 0) info.flags = region_flags;
  put(&info, sizeof info);
  return 0;
}

int VfioUserServer::on_irq_info(PciDevice& device) {
  IrqInfo info;
  if (!take(info) || info.argsz < sizeof info || info.index >= kIrqs) return EINVAL;
  const std::uint32_t index = info.index;
  info = {};
  info.index = index;
  if (index == kPin) {
    info.flags = 7;
    info.count = 1;
  } else if (index == kMsix) {
    info.flags = 9;
    info.count = device.vectors();
  }
  put(&info, sizeof info);
  return 0;
}

int VfioUserServer::on_read(PciDevice& device) {
  RegionAccess access;
  if (!take(access) || access.count > kMostData) return EINVAL;
  const std::uint64_t size = access.region == kBar0     ? device.bar_bytes()
                             : access.region == kConfig ? kConfigBytes
                                                        : 0;
  if (access.offset > size || access.count > size - access.offset) return EINVAL;
  put(&access, sizeof access);
  for (std::uint32_t done = 0; done < access.count;) {
    const auto at = static_cast<std::uint32_t>(access.offset) + done;
    const bool config = access.region == kConfig;
    const std::uint32_t bytes = piece_at(at, access.count - done, config ? 4 : 8);
    const std::uint64_t value = config ? device.read_config(at, bytes) : device.read_bar(at, bytes);
    put(&value, bytes);
    done += bytes;
  }
  return 0;
}

int VfioUserServer::on_write(PciDevice& device) {
  RegionAccess access;
  if (!take(access) || payload_bytes() - sizeof access < access.count) return EINVAL;
  const std::uint64_t size = access.region == kBar0     ? device.bar_bytes()
                             : access.region == kConfig ? kConfigBytes
                                                        : 0;
  if (access.offset > size || access.count > size - access.offset) return EINVAL;
  const std::uint8_t* const data = payload() + sizeof access;
  for (std::uint32_t done = 0; done < access.count;) {
    const auto at = static_cast<std::uint32_t>(access.offset) + done;
    const bool config = access.region == kConfig;
    const std::uint32_t bytes = piece_at(at, access.count - done, config ? 4 : 8);
    std::uint64_t value = 0;
    std::memcpy(&value, data + done, bytes);
    if (config) {
      device.write_config(at, bytes, static_cast<std::uint32_t>(value));
    } else {
      device.write_bar(at, bytes, value);
    }
    done += bytes;
  }
  const bool resets = access.region == kConfig && access.offset <= pci::express::device_control + 1 &&
                      pci::express::device_control + 1 < access.offset + access.count;
  if (resets) restore_vectors(device);
  put(&access, sizeof access);
  return 0;
}

int VfioUserServer::on_reset(PciDevice& device) {
  device.reset();
  restore_vectors(device);
  return 0;
}

// --- interrupts ---

int VfioUserServer::on_set_irqs(PciDevice& device) {
  SetIrqs request;
  if (!take(request) || request.argsz < sizeof request) return EINVAL;
  const std::uint32_t data = request.flags & irq::data_mask;
  if (data != irq::data_none && data != irq::data_bool && data != irq::data_eventfd) return EINVAL;
  if (data == irq::data_bool && payload_bytes() - sizeof request < request.count) return EINVAL;
  for (const Descriptor& file : socket_.descriptors()) {
    if (!EventLine::is_event(file)) return EINVAL;
  }
  if (request.index == kMsix) return set_vectors(device, request);
  if (request.index == kPin) return set_pin(request);
  return EINVAL;
}

bool VfioUserServer::chosen(const SetIrqs& request, std::uint32_t number) const {
  if ((request.flags & irq::data_mask) == irq::data_none) return true;
  return payload()[sizeof request + number] != 0;
}

int VfioUserServer::set_vectors(PciDevice& device, const SetIrqs& request) {
  if ((request.flags & ~irq::data_mask) != irq::trigger) return EINVAL; // vectors are not maskable here
  if (request.start > vectors_.size() || request.count > vectors_.size() - request.start) return EINVAL;
  const std::uint32_t data = request.flags & irq::data_mask;
  if (data == irq::data_eventfd) {
    std::vector<Descriptor>& events = socket_.descriptors();
    for (std::uint32_t i = 0; i < request.count; ++i) {
      give_vector(device, request.start + i, i < events.size() ? &events[i] : nullptr);
    }
    device.write_config(pci::msix::control, 2, pci::msix::enable);
  } else if (data == irq::data_none && request.count == 0) {
    device.write_config(pci::msix::control, 2, 0);
    for (std::uint32_t v = 0; v < vectors_.size(); ++v) give_vector(device, v, nullptr);
  } else {
    for (std::uint32_t i = 0; i < request.count; ++i) {
      EventLine& line = vectors_[request.start + i];
      if (chosen(request, i) && line.is_open()) line.signal();
    }
  }
  return 0;
}

/// A vector without an eventfd is masked in the device, so that its messages stay pending.
void VfioUserServer::give_vector(PciDevice& device, std::uint32_t vector, Descriptor* event) {
  vectors_[vector] = event != nullptr ? EventLine(std::move(*event)) : EventLine();
  program_vector(device, vector);
}

void VfioUserServer::program_vector(PciDevice& device, std::uint32_t vector) {
  const std::uint32_t entry = device.vector_table() + 16 * vector;
  device.write_bar(entry, 8, kMessageWindow);
  device.write_bar(entry + 8, 4, vector);
  device.write_bar(entry + 12, 4, vectors_[vector].is_open() ? 0 : 1);
}

/// A reset of the function has emptied the device's table; the client's eventfds are still what it wants.
void VfioUserServer::restore_vectors(PciDevice& device) {
  const bool any =
      std::any_of(vectors_.begin(), vectors_.end(), [](const EventLine& v) { return v.is_open(); });
  if (!any) return;
  for (std::uint32_t v = 0; v < vectors_.size(); ++v) program_vector(device, v);
  device.write_config(pci::msix::control, 2, pci::msix::enable);
}

int VfioUserServer::set_pin(const SetIrqs& request) {
  if (request.start + std::uint64_t{request.count} > 1) return EINVAL;
  const std::uint32_t data = request.flags & irq::data_mask;
  const std::uint32_t action = request.flags & ~irq::data_mask;
  const bool any = request.count != 0 && (data == irq::data_eventfd || chosen(request, 0));
  if (action == irq::trigger && data == irq::data_eventfd) {
    std::vector<Descriptor>& events = socket_.descriptors();
    pin_event_ = events.empty() ? EventLine() : EventLine(std::move(events.front()));
    pin_masked_ = false;
    fire_pin();
  } else if (action == irq::trigger && request.count == 0) {
    pin_event_ = EventLine();
  } else if (action == irq::trigger) {
    if (any && pin_event_.is_open()) pin_event_.signal();
  } else if (action == irq::mask && data != irq::data_eventfd) {
    pin_masked_ = pin_masked_ || any;
  } else if (action == irq::unmask && data != irq::data_eventfd) {
    if (any) pin_masked_ = false;
    fire_pin();
  } else {
    return EINVAL;
  }
  return 0;
}

void VfioUserServer::message(std::uint64_t address, std::uint32_t data) {
  if (address == kMessageWindow && data < vectors_.size() && vectors_[data].is_open())
    vectors_[data].signal();
}

void VfioUserServer::pin(bool level) {
  pin_ = level;
  fire_pin();
}

/// The eventfd stands for an edge: the pin counts as masked from then on, until the client unmasks it.
void VfioUserServer::fire_pin() {
  if (!pin_ || pin_masked_ || !pin_event_.is_open()) return;
  pin_masked_ = true;
  pin_event_.signal();
}

} // namespace twinplane::platform
