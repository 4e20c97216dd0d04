// A guest that does again what another one did, from the file of its session: its accesses, its memory's
// answers. The player lets the drive's time pass:
//
//   while (!session.ended()) {
//     if (session.waits()) let one thing happen in the drive; else { get to session.at(); session.act(drive);
//     } session.check();
//   }
#pragma once

#include <string>

#include "platform/pci_host/pci_device.h"
#include "platform/pci_host/session.h"

namespace twinplane::platform {

class SessionReplay final : public GuestMemory, public InterruptSink {
 public:
  /// `about` begins the message about a drive that does something else. `more`: the file has another event;
  /// one that has not ends the session where it is.
  SessionReplay(
      StateVisitor& file, SessionClock now, std::string about,
      std::function<bool()> more = [] { return true; });

  bool ended() const { return head_.kind == SessionEvent::Kind::end; }
  /// It has ended because its file does.
  bool cut_short() const { return cut_short_; }
  /// Of a session that has ended: by a signal, or with its file.
  bool interrupted() const { return head_.ok == 0; }
  /// The drive acts next, not the guest.
  bool waits() const { return !head_.is_access(); }
  /// When the next access is, or the end.
  TimePs at() const { return head_.at; }
  /// The next access.
  void act(PciDevice& device);
  /// The drive had nothing to do, and the session says otherwise.
  void stands_still();
  /// Throws InputError once the drive has done otherwise than in the session, or the file is bad.
  void check() const;

  bool read(std::uint64_t address, void* data, std::uint64_t length) override;
  bool write(std::uint64_t address, const void* data, std::uint64_t length) override;
  bool writable(std::uint64_t address, std::uint64_t length) override;
  void message(std::uint64_t address, std::uint32_t data) override;
  void pin(bool level) override;

 private:
  void next();
  bool matches(const SessionEvent& done);
  bool memory(SessionEvent::Kind kind, std::uint64_t address, std::uint64_t length, void* data);
  void answer(std::uint64_t value, const SessionEvent& access);

  StateVisitor& file_;
  SessionClock now_;
  std::string about_;
  std::function<bool()> more_;
  bool cut_short_ = false;
  SessionEvent head_;
  std::string trouble_;
};

} // namespace twinplane::platform
