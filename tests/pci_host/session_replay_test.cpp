// Does a session lead another drive through the same accesses, and is one noticed that does otherwise?
#include <gmock/gmock.h>

#include <sys/mman.h>
#include <unistd.h>

#include "platform/config/error.h"
#include "platform/pci_host/session_recorder.h"
#include "platform/pci_host/session_replay.h"
#include "tests/pci_host/fake_device.h"

namespace twinplane::test::session_replay_test {
namespace {

using platform::SessionRecorder;
using platform::SessionReplay;
using testing::HasSubstr;

/// A file in memory.
class Tape final : public StateVisitor {
 public:
  bool loading() const override { return loading_; }
  void section(const char*) override {}
  void bytes(void* data, std::size_t size) override {
    auto* const raw = static_cast<std::uint8_t*>(data);
    if (!loading_) return void(bytes_.insert(bytes_.end(), raw, raw + size));
    if (at_ + size > bytes_.size()) refuse("too short");
    std::memcpy(raw, bytes_.data() + at_, size);
    at_ += size;
  }
  void refuse(const char* why) override { throw platform::InputError(why); }
  void rewind() { loading_ = true; }

 private:
  Bytes bytes_;
  std::size_t at_ = 0;
  bool loading_ = false;
};

class Sink final : public platform::InterruptSink {
 public:
  void message(std::uint64_t, std::uint32_t) override {}
  void pin(bool) override {}
};

class Session : public testing::Test {
 protected:
  static constexpr std::uint64_t kThere = 0x1000;

  /// What this guest does: a doorbell, for which the device reads an entry, answers and interrupts.
  void record() {
    Sink sink;
    SessionRecorder recorder(
        tape_, [this] { return now_; }, device_, sink);
    device_.bar[0x1C] = 1;
    const Descriptor file = file_of(4096);
    ASSERT_EQ(device_.mapped.map({kThere, 4096, 0, true}, file), 0);
    std::uint8_t entry[4] = {1, 2, 3, 4};
    ASSERT_TRUE(device_.mapped.write(kThere, entry, 4));
    now_ = 100;
    EXPECT_EQ(recorder.read_bar(0x1C, 4), 1u);
    recorder.write_bar(0x1000, 4, 7);
    now_ = 250;
    EXPECT_TRUE(recorder.read(kThere, entry, 4));
    EXPECT_FALSE(recorder.read(0, entry, 4));
    EXPECT_TRUE(recorder.writable(kThere, 16));
    recorder.message(0xFEE0'0000, 3);
    now_ = 300;
    recorder.pin(true);
    recorder.reset();
    recorder.end(true);
    tape_.rewind();
    now_ = 0;
  }
  static Descriptor file_of(std::size_t bytes) {
    Descriptor file(::memfd_create("memory", MFD_CLOEXEC));
    if (::ftruncate(file.get(), static_cast<off_t>(bytes)) != 0) std::abort();
    return file;
  }
  SessionReplay replay() {
    return SessionReplay(
        tape_, [this] { return now_; }, "FILE: ");
  }
  /// Up to what the device does at 250.
  void begin(SessionReplay& session, FakeDevice& drive) {
    for (int access = 0; access < 2; ++access) {
      ASSERT_FALSE(session.waits());
      now_ = session.at();
      session.act(drive);
      session.check();
    }
    ASSERT_TRUE(session.waits());
    now_ = 250;
  }
  std::string trouble(const SessionReplay& session) {
    try {
      session.check();
    } catch (const platform::InputError& error) {
      return error.what();
    }
    return "none";
  }

  TimePs now_ = 0;
  FakeDevice device_;
  Tape tape_;
};

TEST_F(Session, AccessesThatNoGuestCanMakeAreDamage) {
  using Kind = platform::SessionEvent::Kind;
  const struct {
    Kind kind;
    std::uint64_t where;
    std::uint32_t bytes;
    std::uint64_t value = 0;
  } kAccesses[] = {{Kind::config_read, 0xFFFF'FFFF, 1},
                   {Kind::config_write, 4094, 4},
                   {Kind::config_read, 2, 4},
                   {Kind::config_read, 0, 8},
                   {Kind::bar_read, 0, 4096},
                   {Kind::bar_write, 0, 3},
                   {Kind::bar_read, FakeDevice::kBarBytes - 4, 8},
                   {Kind::bar_write, 1ull << 32, 4},
                   {Kind::config_write, 4, 2, 0x10000}};
  for (const auto& bad : kAccesses) {
    Tape tape;
    platform::SessionEvent event;
    event.kind = bad.kind;
    event.where = bad.where;
    event.bytes = bad.bytes;
    event.value = bad.value;
    tape.value(event);
    tape.rewind();
    SessionReplay session(
        tape, [] { return TimePs{0}; }, "FILE: ");
    EXPECT_THROW(session.act(device_), platform::InputError) << bad.where << "/" << bad.bytes;
    EXPECT_THAT(device_.calls, testing::IsEmpty());
  }
}

TEST_F(Session, AnotherDriveSeesTheSameAccessesAndTheSameMemory) {
  record();
  FakeDevice other;
  other.bar[0x1C] = 1;
  SessionReplay session = replay();
  begin(session, other);
  std::uint8_t entry[4] = {};
  EXPECT_TRUE(session.read(kThere, entry, 4));
  EXPECT_EQ(entry[3], 4);
  EXPECT_FALSE(session.read(0, entry, 4));
  EXPECT_TRUE(session.writable(kThere, 16));
  session.message(0xFEE0'0000, 3);
  now_ = 300;
  session.pin(true);
  ASSERT_FALSE(session.waits());
  session.act(other);
  session.check();
  EXPECT_TRUE(session.ended());
  EXPECT_TRUE(session.interrupted());
  EXPECT_EQ(other.calls, device_.calls);
}

TEST_F(Session, ADriveThatAnswersOtherwiseIsNoticed) {
  record();
  FakeDevice other;
  other.bar[0x1C] = 9;
  SessionReplay session = replay();
  now_ = session.at();
  session.act(other);
  EXPECT_THAT(trouble(session),
              HasSubstr("FILE: expected an answer at 0.000 us (4 bytes at 0x1c, value 0x1), found an "
                        "answer at 0.000 us (4 bytes at 0x1c, value 0x9)"));
}

TEST_F(Session, ADriveThatReadsAnotherPlaceOrAtAnotherTimeIsNoticed) {
  record();
  FakeDevice other;
  other.bar[0x1C] = 1;
  SessionReplay session = replay();
  begin(session, other);
  now_ = 251;
  std::uint8_t entry[4] = {};
  EXPECT_FALSE(session.read(kThere, entry, 4));
  EXPECT_THAT(trouble(session), HasSubstr("expected a read of memory"));
}

TEST_F(Session, ADriveThatDoesNothingOrTooMuchIsNoticed) {
  record();
  FakeDevice other;
  other.bar[0x1C] = 1;
  SessionReplay session = replay();
  session.message(0xFEE0'0000, 3);
  EXPECT_THAT(trouble(session), HasSubstr("found an MSI-X message"));
}

TEST_F(Session, ADriveThatStandsStillIsNoticed) {
  record();
  FakeDevice other;
  other.bar[0x1C] = 1;
  SessionReplay session = replay();
  begin(session, other);
  session.stands_still();
  EXPECT_THAT(trouble(session), HasSubstr("found a drive that does nothing"));
}

TEST_F(Session, AFileThatEndsWhileTheDriveReadsIsNoticedAtTheNextLook) {
  Sink sink;
  SessionRecorder recorder(
      tape_, [this] { return now_; }, device_, sink);
  recorder.pin(true);
  tape_.rewind();
  SessionReplay session = replay();
  EXPECT_THROW(session.pin(true), platform::InputError);
}

} // namespace
} // namespace twinplane::test::session_replay_test
