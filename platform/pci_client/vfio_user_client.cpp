#include "platform/pci_client/vfio_user_client.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <thread>

#include "platform/config/error.h"

namespace twinplane::platform {

using namespace vfio_user;

namespace {

constexpr int kPatienceMs = 60'000;    // for an answer
constexpr int kTryMs = 20;             // between two tries to connect
constexpr std::size_t kMostFiles = 16; // with one message of ours
constexpr const char* kCapabilities = R"({"capabilities":{"max_msg_fds":16,"max_data_xfer_size":1048576}})";

/// How many descriptors the server takes with one message: 1 where it does not say (vfio-user, "Version data
/// format").
std::size_t files_taken(const std::vector<std::uint8_t>& reply) {
  const auto from = reply.begin() + std::min<std::ptrdiff_t>(sizeof(Version), reply.end() - reply.begin());
  const auto said = nlohmann::json::parse(from, std::find(from, reply.end(), 0), nullptr, false);
  if (!said.is_object()) return 1;
  const nlohmann::json capabilities = said.value("capabilities", nlohmann::json());
  if (!capabilities.is_object()) return 1;
  const nlohmann::json files = capabilities.value("max_msg_fds", nlohmann::json());
  return files.is_number_unsigned() ? std::clamp<std::size_t>(files.get<std::size_t>(), 1, kMostFiles) : 1;
}

/// The payload of region_write.
struct RegionWrite {
  RegionWrite(const RegionAccess& access, std::uint64_t value)
      : length(static_cast<std::uint32_t>(sizeof access) + access.count) {
    std::memcpy(bytes, &access, sizeof access);
    std::memcpy(bytes + sizeof access, &value, access.count);
  }
  std::uint8_t bytes[sizeof(RegionAccess) + 8];
  std::uint32_t length;
};

Descriptor connect_to(const std::string& path, int milliseconds) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path)
    throw InputError(path + ": expected the path of a socket");
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  for (;; milliseconds -= kTryMs) {
    Descriptor made(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (::connect(made.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return made;
    if (milliseconds <= 0) throw InputError(path + ": cannot connect: " + std::strerror(errno));
    std::this_thread::sleep_for(std::chrono::milliseconds(kTryMs));
  }
}

} // namespace

VfioUserClient::VfioUserClient(const std::string& path, int milliseconds)
    : VfioUserClient(connect_to(path, milliseconds), path) {}

VfioUserClient::VfioUserClient(Descriptor connection, std::string name)
    : name_(std::move(name)), socket_(std::move(connection)) {
  greet();
}

VfioUserClient::~VfioUserClient() {
  for (const Shared& s : shared_) ::munmap(s.memory, s.bytes);
}

void VfioUserClient::require(int error, const char* what) const {
  if (error == 0) return;
  throw InputError(name_ + ": the server refuses " + what + ": " + std::strerror(error));
}

void VfioUserClient::greet() {
  std::vector<std::uint8_t> payload(sizeof(Version));
  payload.insert(payload.end(), kCapabilities, kCapabilities + std::strlen(kCapabilities) + 1);
  std::vector<std::uint8_t> reply;
  require(command(version, payload.data(), static_cast<std::uint32_t>(payload.size()), {}, &reply),
          "our version");
  files_taken_ = files_taken(reply);
}

void VfioUserClient::send(const Header& header, const void* payload, const std::vector<int>& files) {
  iovec pieces[2] = {{const_cast<Header*>(&header), sizeof header},
                     {const_cast<void*>(payload), header.size - sizeof header}};
  if (files.size() > kMostFiles) throw InputError(name_ + ": too many files for one message");
  alignas(cmsghdr) char control[CMSG_SPACE(kMostFiles * sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = pieces;
  message.msg_iovlen = 2;
  if (!files.empty()) {
    const std::size_t bytes = files.size() * sizeof(int);
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(bytes);
    cmsghdr* const head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(bytes);
    std::memcpy(CMSG_DATA(head), files.data(), bytes);
  }
  const ssize_t sent = ::sendmsg(socket_.get(), &message, MSG_NOSIGNAL);
  if (sent != static_cast<ssize_t>(header.size)) throw InputError(name_ + ": the server has gone");
}

void VfioUserClient::receive(void* to, std::size_t bytes) {
  auto* at = static_cast<std::uint8_t*>(to);
  while (bytes != 0) {
    pollfd answer{socket_.get(), POLLIN, 0};
    if (::poll(&answer, 1, kPatienceMs) == 0) throw InputError(name_ + ": the server does not answer");
    const ssize_t got = ::recv(socket_.get(), at, bytes, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw InputError(name_ + ": the server has gone");
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
}

int VfioUserClient::command(std::uint16_t number, const void* payload, std::uint32_t bytes,
                            const std::vector<int>& files, std::vector<std::uint8_t>* reply) {
  Header header;
  header.id = ++next_id_;
  header.command = number;
  header.size = static_cast<std::uint32_t>(sizeof header) + bytes;
  send(header, payload, files);
  Header answer;
  receive(&answer, sizeof answer);
  if (answer.id != header.id || answer.size < sizeof answer || answer.size > kMostMessage)
    throw InputError(name_ + ": the server answers something else");
  std::vector<std::uint8_t> body(answer.size - sizeof answer);
  receive(body.data(), body.size());
  if (reply != nullptr) *reply = std::move(body);
  return (answer.flags & flag::error) != 0 ? static_cast<int>(answer.error) : 0;
}

// --- memory ---

std::uint8_t* VfioUserClient::share(std::uint64_t address, std::uint64_t bytes) {
  const Descriptor file(::memfd_create("twinplane guest memory", MFD_CLOEXEC));
  if (!file.is_open() || ::ftruncate(file.get(), static_cast<off_t>(bytes)) != 0)
    throw InputError(std::string("no memory to share: ") + std::strerror(errno));
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (memory == MAP_FAILED) throw InputError(std::string("no memory to share: ") + std::strerror(errno));
  shared_.push_back({address, bytes, static_cast<std::uint8_t*>(memory)});
  DmaMap map;
  map.address = address;
  map.size = bytes;
  require(command(dma_map, &map, sizeof map, {file.get()}), "our memory");
  return shared_.back().memory;
}

void VfioUserClient::take_away(std::uint64_t address) {
  const auto found = std::find_if(shared_.begin(), shared_.end(),
                                  [address](const Shared& s) { return s.given && s.address == address; });
  if (found == shared_.end()) return;
  DmaUnmap unmap;
  unmap.address = address;
  unmap.size = found->bytes;
  found->given = false;
  require(command(dma_unmap, &unmap, sizeof unmap, {}), "to unmap memory");
}

// --- regions ---

std::uint64_t VfioUserClient::read(std::uint32_t region, std::uint64_t offset, std::uint32_t bytes) {
  const RegionAccess access{offset, region, bytes};
  std::vector<std::uint8_t> reply;
  require(command(region_read, &access, sizeof access, {}, &reply), "a read");
  std::uint64_t value = 0;
  if (reply.size() >= sizeof access + bytes) std::memcpy(&value, reply.data() + sizeof access, bytes);
  return value;
}

void VfioUserClient::write(std::uint32_t region, std::uint64_t offset, std::uint32_t bytes,
                           std::uint64_t value) {
  const RegionWrite payload({offset, region, bytes}, value);
  require(command(region_write, payload.bytes, payload.length, {}), "a write");
}

void VfioUserClient::post(std::uint32_t region, std::uint64_t offset, std::uint32_t bytes,
                          std::uint64_t value) {
  const RegionWrite payload({offset, region, bytes}, value);
  Header header;
  header.id = ++next_id_;
  header.command = region_write;
  header.size = static_cast<std::uint32_t>(sizeof header) + payload.length;
  header.flags = flag::no_reply;
  send(header, payload.bytes, {});
}

void VfioUserClient::reset() {
  require(command(device_reset, nullptr, 0, {}), "a reset");
}

// --- interrupts ---

void VfioUserClient::enable_vectors(std::uint32_t count) {
  events_.clear();
  for (std::uint32_t i = 0; i < count; ++i) events_.emplace_back(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  fired_.assign(count, false);
  while (count != 0) {
    SetIrqs request;
    request.flags = irq::data_eventfd | irq::trigger;
    request.index = kMsix;
    request.start = vectors() - count;
    request.count = std::min(count, static_cast<std::uint32_t>(files_taken_));
    std::vector<int> files;
    for (std::uint32_t i = 0; i < request.count; ++i) files.push_back(events_[request.start + i].get());
    require(command(device_set_irqs, &request, sizeof request, files), "our interrupts");
    count -= request.count;
  }
}

bool VfioUserClient::wait(int milliseconds) {
  std::vector<pollfd> waiting;
  for (const Descriptor& e : events_) waiting.push_back({e.get(), POLLIN, 0});
  waiting.push_back({socket_.get(), POLLRDHUP, 0});
  ::poll(waiting.data(), waiting.size(), milliseconds);
  if ((waiting.back().revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0)
    throw InputError(name_ + ": the server has gone");
  bool any = false;
  for (std::size_t v = 0; v < events_.size(); ++v) {
    std::uint64_t count = 0;
    const bool has = (waiting[v].revents & POLLIN) != 0;
    fired_[v] = has && ::read(events_[v].get(), &count, sizeof count) == sizeof count;
    any = any || fired_[v];
  }
  return any;
}

} // namespace twinplane::platform
