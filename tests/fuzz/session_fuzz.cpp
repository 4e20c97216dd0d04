// A recorded session whose file was tampered with: its accesses against a function that holds them to what it
// takes, and a device that reads and writes in between. An input is the row of events, as they are in the file.
#include <cstring>
#include <vector>

#include "platform/config/error.h"
#include "platform/pci_host/session_replay.h"
#include "tests/fuzz/checked_function.h"
#include "tests/fuzz/fuzzing.h"

namespace {

using namespace twinplane;

constexpr int kMostEvents = 1000;

/// The input, as the file of the session.
class Tape final : public StateVisitor {
 public:
  explicit Tape(std::string_view bytes) : bytes_(bytes) {}
  bool loading() const override { return true; }
  void section(const char*) override {}
  void bytes(void* data, std::size_t size) override {
    if (size > bytes_.size()) refuse("it ends");
    std::memcpy(data, bytes_.data(), size);
    bytes_.remove_prefix(size);
  }
  [[noreturn]] void refuse(const char* why) override { throw platform::InputError(why); }
  bool more() const { return !bytes_.empty(); }

 private:
  std::string_view bytes_;
};

void play(platform::SessionReplay& session, TimePs& now) {
  fuzz::CheckedFunction function;
  std::vector<std::uint8_t> data(4096);
  for (int i = 0; i < kMostEvents && !session.ended(); ++i) {
    if (!session.waits()) {
      now = session.at();
      session.act(function);
    } else if (!session.read(0x1000, data.data(), data.size()) && !session.writable(0x1000, 16)) {
      session.message(platform::kMessageWindow, 1);
      session.pin(true);
      session.stands_still();
    }
    session.check();
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Tape tape(fuzz::text_of(data, size));
  TimePs now = 0;
  try {
    platform::SessionReplay session(
        tape, [&now] { return now; }, "FILE: ", [&tape] { return tape.more(); });
    play(session, now);
  } catch (const platform::InputError&) {
  }
  return 0;
}
