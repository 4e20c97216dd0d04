// A client of the vfio-user server that means harm: lengths, files, regions, windows that overlap or vanish.
//
// An input is a row of messages: command, bytes of payload, whether the size in the header is right, files, the
// payload, and what the device does then.
#include "platform/pci_host/vfio_user_server.h"
#include "tests/fuzz/hostile_peer.h"

namespace {

using namespace twinplane;
using platform::vfio_user::Header;

fuzz::HostileMessage message_from(fuzz::Bytes& bytes) {
  Header header;
  header.command = bytes.take<std::uint8_t>() % 16;
  const auto payload = bytes.take<std::uint8_t>();
  header.size = static_cast<std::uint32_t>(sizeof header + payload);
  return fuzz::hostile_message(bytes, header, payload, &Header::size, &Header::flags);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Bytes bytes(data, size);
  fuzz::HostilePeer peer;
  platform::VfioUserServer server(peer.take_end());
  fuzz::converse(bytes, peer, server, message_from);
  return 0;
}
