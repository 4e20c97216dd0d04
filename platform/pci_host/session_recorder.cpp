#include "platform/pci_host/session_recorder.h"

namespace twinplane::platform {

using Kind = SessionEvent::Kind;

void SessionRecorder::note(Kind kind, std::uint64_t where, std::uint64_t bytes, std::uint64_t value,
                           bool ok) {
  boundary_();
  SessionEvent event;
  event.kind = kind;
  event.ok = ok ? 1 : 0;
  event.bytes = static_cast<std::uint32_t>(bytes);
  event.at = now_();
  event.where = where;
  event.value = value;
  file_.value(event);
}

void SessionRecorder::end(bool interrupted) {
  note(Kind::end, 0, 0, 0, !interrupted);
}

// An access is written down before what follows from it.

std::uint32_t SessionRecorder::read_config(std::uint32_t offset, std::uint32_t bytes) {
  note(Kind::config_read, offset, bytes);
  const std::uint32_t value = device_.read_config(offset, bytes);
  note(Kind::answer, offset, bytes, value);
  return value;
}

void SessionRecorder::write_config(std::uint32_t offset, std::uint32_t bytes, std::uint32_t value) {
  note(Kind::config_write, offset, bytes, value);
  device_.write_config(offset, bytes, value);
}

std::uint64_t SessionRecorder::read_bar(std::uint32_t offset, std::uint32_t bytes) {
  note(Kind::bar_read, offset, bytes);
  const std::uint64_t value = device_.read_bar(offset, bytes);
  note(Kind::answer, offset, bytes, value);
  return value;
}

void SessionRecorder::write_bar(std::uint32_t offset, std::uint32_t bytes, std::uint64_t value) {
  note(Kind::bar_write, offset, bytes, value);
  device_.write_bar(offset, bytes, value);
}

void SessionRecorder::reset() {
  note(Kind::reset);
  device_.reset();
}

bool SessionRecorder::read(std::uint64_t address, void* data, std::uint64_t length) {
  const bool ok = memory().read(address, data, length);
  note(Kind::memory_read, address, length, 0, ok);
  if (ok) file_.bytes(data, length);
  return ok;
}

bool SessionRecorder::write(std::uint64_t address, const void* data, std::uint64_t length) {
  const bool ok = memory().write(address, data, length);
  note(Kind::memory_write, address, length, 0, ok);
  return ok;
}

bool SessionRecorder::writable(std::uint64_t address, std::uint64_t length) {
  const bool ok = memory().writable(address, length);
  note(Kind::memory_test, address, length, 0, ok);
  return ok;
}

void SessionRecorder::message(std::uint64_t address, std::uint32_t data) {
  note(Kind::message, address, sizeof data, data);
  guest_.message(address, data);
}

void SessionRecorder::pin(bool level) {
  note(Kind::pin, 0, 0, level ? 1 : 0);
  guest_.pin(level);
}

} // namespace twinplane::platform
