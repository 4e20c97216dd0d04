// A stub of gdb's remote serial protocol for one Arm core: `target remote 127.0.0.1:PORT`.
//
// The core is run by another object, which asks now and then whether the client wants it to stand still, and
// calls serve() when it does. While that lasts nothing else of the program happens.
//
// A client that closes its connection has detached: points are removed, the core runs on, and another client
// may come. What is no packet, or one with a wrong checksum, is dropped; a packet that is too long ends the
// connection; what this stub does not know gets the protocol's empty answer, bad arguments an error.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "platform/debug/debug_target.h"
#include "platform/debug/gdb_packets.h"
#include "platform/debug/gdb_socket.h"

namespace twinplane::platform {

class GdbServer {
 public:
  /// `given_up` is asked while it waits: true when the wait is to end. Throws std::runtime_error
  /// when it cannot listen.
  GdbServer(DebugTarget& target, std::uint16_t port, std::function<bool()> given_up);

  std::uint16_t port() const { return socket_.port(); }
  bool connected() const { return socket_.connected(); }
  /// False: given up.
  bool wait_for_client();
  /// The core runs: whether it is to stand still, because of Ctrl-C or since a client has come.
  bool wants_stop();
  /// The core stands still: tells the client, does what it asks for, and says how to go on.
  DebugResume serve(const DebugStop& stop);
  /// The program ends.
  void exited(int status);

 private:
  using Answer = std::string;

  bool accept(int milliseconds);
  void send(std::string_view text);
  bool next_packet(int milliseconds, bool& interrupted);
  Answer stop_reply() const;
  /// The answer to text(); sets resume_ and goes_on_ where the core runs on, without one.
  void answer();
  Answer answer_to(std::string_view packet);
  Answer query(std::string_view packet);
  Answer read_registers() const;
  Answer write_registers(std::string_view packet);
  Answer read_register(std::string_view packet) const;
  Answer write_register(std::string_view packet);
  Answer read_memory(std::string_view packet);
  Answer write_memory(std::string_view packet);
  Answer change_point(std::string_view packet, bool insert);
  Answer monitor(std::string_view hex);
  bool resumes(std::string_view packet);
  void go_on(DebugResume::How how) {
    resume_ = {how, 0, 0};
    goes_on_ = true;
  }

  DebugTarget& target_;
  GdbSocket socket_;
  GdbPackets packets_;
  std::function<bool()> given_up_;
  std::string received_; // and not looked at
  DebugStop stop_;
  DebugResume resume_;
  bool goes_on_ = false;
  bool has_packet_ = false; // that has not been answered
  bool waits_ = false;      // the client has let the core run, and wants to know how that ends
  bool acknowledges_ = true;
};

} // namespace twinplane::platform
