// A debugger's bytes on its connection, whatever they are.
#include <arpa/inet.h>
#include <sys/socket.h>

#include <array>
#include <cstring>

#include "platform/debug/gdb_server.h"
#include "tests/fuzz/fuzzing.h"

namespace {

using namespace twinplane;
using namespace twinplane::platform;

class PlainTarget final : public DebugTarget {
 public:
  std::uint32_t reg(unsigned number) const override {
    fuzz::claim(number < kRegisters, "only registers that there are are read");
    return regs_[number];
  }
  void set_reg(unsigned number, std::uint32_t value) override {
    fuzz::claim(number < kRegisters, "only registers that there are are set");
    regs_[number] = value;
  }
  bool read(std::uint32_t address, void* to, std::size_t bytes) override {
    if (address > memory_.size() || bytes > memory_.size() - address) return false;
    std::memcpy(to, memory_.data() + address, bytes);
    return true;
  }
  bool write(std::uint32_t address, const void* from, std::size_t bytes) override {
    if (address > memory_.size() || bytes > memory_.size() - address) return false;
    std::memcpy(memory_.data() + address, from, bytes);
    return true;
  }
  bool insert(const DebugPoint&) override { return true; }
  void remove(const DebugPoint&) override {}
  void remove_all() override {}
  std::string monitor(const std::string& command) override { return command; }

 private:
  std::array<std::uint32_t, kRegisters> regs_{};
  std::array<std::uint8_t, 65536> memory_{};
};

/// A connection that is reset at its end, so that no port stays taken.
int connect_to(std::uint16_t port) {
  const int made = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const linger at_once{1, 0};
  ::setsockopt(made, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  fuzz::claim(::connect(made, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0,
              "the server listens");
  return made;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static PlainTarget target;
  static GdbServer server(target, 0, [] { return false; });
  if (size > 32768) return 0; // more than the connection holds
  const int client = connect_to(server.port());
  (void)!::send(client, data, size, MSG_NOSIGNAL);
  ::shutdown(client, SHUT_WR);
  fuzz::claim(server.wait_for_client(), "a client is welcome");
  for (int stops = 0; server.connected() && stops < 100; ++stops) {
    server.serve({});
    server.wants_stop();
  }
  ::close(client);
  while (server.connected()) server.serve({});
  return 0;
}
