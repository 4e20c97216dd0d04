// A TCP port of this machine that takes one client at a time. A client may go at any time: then there is
// none, and the next one is welcome.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace twinplane::platform {

class GdbSocket {
 public:
  /// Listens on 127.0.0.1; 0: on any port that is free. Throws std::runtime_error.
  explicit GdbSocket(std::uint16_t port);
  ~GdbSocket();
  GdbSocket(const GdbSocket&) = delete;
  GdbSocket& operator=(const GdbSocket&) = delete;

  std::uint16_t port() const { return port_; }
  bool connected() const { return client_ >= 0; }
  /// Whether a client has come within that time.
  bool accept(int milliseconds);
  /// Sends all, or the client is gone.
  void send(const std::string& bytes);
  /// What has come within that time: 0 bytes are nothing yet, or that the client is gone.
  std::size_t receive(char* to, std::size_t most, int milliseconds);
  void close_client();

 private:
  int listener_ = -1;
  int client_ = -1;
  std::uint16_t port_ = 0;
};

} // namespace twinplane::platform
