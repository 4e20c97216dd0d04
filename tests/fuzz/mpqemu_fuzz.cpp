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

fuzz::HostileMessage message_from(fuzz::Bytes& bytes) {
  Header header;
  header.command = bytes.take<std::uint8_t>() % 8;
  header.size = kPayloads[header.command];
  return fuzz::hostile_message(bytes, header, header.size, &Header::size, &Header::command);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Bytes bytes(data, size);
  fuzz::HostilePeer peer;
  fuzz::HostilePeer qtest;
  platform::MpqemuLink link(peer.take_end(), qtest.take_end());
  fuzz::converse(bytes, peer, link, message_from);
  return 0;
}
