// A client of the vfio-user server that means harm: lengths, files, regions, windows that overlap or vanish.
//
// An input is a row of messages: command, bytes of payload, whether the size in the header is right, files, the
// payload, and what the device does then.
#include "platform/pci_host/vfio_user_server.h"
#include "tests/fuzz/hostile_peer.h"

namespace {

using namespace twinplane;
using platform::vfio_user::Header;

std::vector<std::uint8_t> message_from(fuzz::Bytes& bytes, std::uint8_t& files) {
  Header header;
  header.command = bytes.take<std::uint8_t>() % 16;
  const auto payload = bytes.take<std::uint8_t>();
  const auto how = bytes.take<std::uint8_t>(); // 0: as it should be
  files = bytes.take<std::uint8_t>();
  header.size = static_cast<std::uint32_t>(sizeof header + payload);
  if ((how & 1) != 0) header.size = bytes.take<std::uint32_t>();
  if ((how & 2) != 0) header.flags = bytes.take<std::uint32_t>();
  std::vector<std::uint8_t> message(sizeof header + payload);
  std::memcpy(message.data(), &header, sizeof header);
  for (std::size_t i = sizeof header; i < message.size(); ++i) message[i] = bytes.take<std::uint8_t>();
  return message;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Bytes bytes(data, size);
  fuzz::HostilePeer peer;
  fuzz::CheckedFunction function;
  platform::VfioUserServer server(peer.take_end());
  bool open = true;
  while (open && !bytes.empty()) {
    std::uint8_t files = 0;
    const std::vector<std::uint8_t> message = message_from(bytes, files);
    peer.send(message, files);
    open = peer.serve(server, function);
    peer.act(bytes, server, function);
  }
  return 0;
}
