// QEMU's end of the link of a process for a device, if it meant harm. An input is a row of messages: command,
// whether the size is right, files, the payload, and what the device does then.
#include "platform/pci_host/mpqemu_link.h"
#include "tests/fuzz/hostile_peer.h"

namespace {

using namespace twinplane;

struct Header {
  std::int32_t command = 0;
  std::uint32_t padding = 0;
  std::uint64_t size = 0;
};

constexpr std::uint64_t kPayloads[] = {192, 8, 12, 12, 24, 24, 0, 8}; // by command

std::vector<std::uint8_t> message_from(fuzz::Bytes& bytes, std::uint8_t& files) {
  Header header;
  const auto command = bytes.take<std::uint8_t>();
  const auto how = bytes.take<std::uint8_t>(); // 0: as it should be
  files = bytes.take<std::uint8_t>();
  header.command = command % 8;
  const std::uint64_t payload = kPayloads[command % 8];
  header.size = payload;
  if ((how & 1) != 0) header.size = bytes.take<std::uint64_t>();
  if ((how & 2) != 0) header.command = bytes.take<std::int32_t>();
  std::vector<std::uint8_t> message(sizeof header + payload);
  std::memcpy(message.data(), &header, sizeof header);
  for (std::size_t i = sizeof header; i < message.size(); ++i) message[i] = bytes.take<std::uint8_t>();
  return message;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Bytes bytes(data, size);
  fuzz::HostilePeer peer;
  fuzz::HostilePeer qtest;
  fuzz::CheckedFunction function;
  platform::MpqemuLink link(peer.take_end(), qtest.take_end());
  bool open = true;
  while (open && !bytes.empty()) {
    std::uint8_t files = 0;
    const std::vector<std::uint8_t> message = message_from(bytes, files);
    peer.send(message, files);
    open = peer.serve(link, function);
    peer.act(bytes, link, function);
  }
  return 0;
}
