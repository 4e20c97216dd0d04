// Does the vfio-user server say, byte for byte, what the protocol wants, and refuse what it does not know?
#include "platform/pci_host/vfio_user_server.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/eventfd.h>
#include <sys/mman.h>

#include <cerrno>

#include "tests/pci_host/fake_device.h"

namespace twinplane::test::vfio_user_server_test {
namespace {

using platform::VfioUserServer;
using Served = platform::Transport::Served;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint32_t kNoReply = 0x10;
constexpr std::uint32_t kError = 0x20;

Bytes message(std::uint16_t command, const Bytes& payload, std::uint32_t flags = 0, std::uint16_t id = 7) {
  Bytes m;
  put(m, id, 2);
  put(m, command, 2);
  put(m, 16 + payload.size(), 4);
  put(m, flags, 4);
  put(m, 0, 4);
  m.insert(m.end(), payload.begin(), payload.end());
  return m;
}

Bytes words(std::initializer_list<std::uint32_t> values) {
  Bytes b;
  for (const std::uint32_t v : values) put(b, v, 4);
  return b;
}

Bytes version_payload(std::uint16_t major = 0, const std::string& json = "{\"capabilities\":{}}") {
  Bytes b;
  put(b, major, 2);
  put(b, 0, 2);
  b.insert(b.end(), json.begin(), json.end());
  b.push_back(0);
  return b;
}

Bytes access(std::uint32_t region, std::uint64_t offset, std::uint32_t count, std::uint64_t value = 0,
             std::size_t data = 0) {
  Bytes b;
  put(b, offset, 8);
  put(b, region, 4);
  put(b, count, 4);
  put(b, value, data);
  return b;
}

Bytes map(std::uint64_t address, std::uint64_t size, std::uint64_t offset = 0) {
  Bytes b = words({32, 3});
  put(b, offset, 8);
  put(b, address, 8);
  put(b, size, 8);
  return b;
}

Bytes unmap(std::uint64_t address, std::uint64_t size, std::uint32_t flags = 0) {
  Bytes b = words({24, flags});
  put(b, address, 8);
  put(b, size, 8);
  return b;
}

struct VfioUser : testing::Test {
  FakeDevice device;
  Ends ends;
  VfioUserServer server{std::move(ends.served)};

  /// Sends, lets it be served, and gives the whole answer.
  Bytes ask(const Bytes& sent, const std::vector<int>& files = {}) {
    ends.send(sent, files);
    EXPECT_EQ(server.serve(device), Served::message);
    return ends.received();
  }
  void greet() {
    ask(message(1, version_payload()));
    device.calls.clear();
  }
  /// The errno of an answer that is an error and nothing else; 0 for a good one.
  static int error_of(const Bytes& answer) {
    if (answer.size() < 16 || (get(answer, 8, 4) & kError) == 0) return 0;
    EXPECT_EQ(answer.size(), 16u);
    EXPECT_EQ(get(answer, 4, 4), 16u);
    return static_cast<int>(get(answer, 12, 4));
  }
};

TEST_F(VfioUser, AgreesOnVersionZeroAndNamesItsLimits) {
  const Bytes answer = ask(message(1, version_payload(), 0, 0x1234));
  EXPECT_EQ(get(answer, 0, 2), 0x1234u) << "the number of the request";
  EXPECT_EQ(get(answer, 2, 2), 1u);
  EXPECT_EQ(get(answer, 4, 4), answer.size());
  EXPECT_EQ(get(answer, 8, 4), 1u) << "a reply";
  EXPECT_EQ(get(answer, 12, 4), 0u);
  EXPECT_EQ(get(answer, 16, 4), 0u) << "0.0";
  const std::string json(answer.begin() + 20, answer.end() - 1);
  EXPECT_EQ(answer.back(), 0);
  EXPECT_THAT(json, testing::HasSubstr("\"max_dma_maps\":1024"));
  EXPECT_THAT(json, testing::HasSubstr("\"max_msg_fds\":16")); // QEMU takes no more
}

TEST_F(VfioUser, RefusesOtherVersionsAndBrokenCapabilities) {
  EXPECT_EQ(error_of(ask(message(1, version_payload(1)))), ENOTSUP);
  EXPECT_EQ(error_of(ask(message(1, version_payload(0, "{\"capabilities\":")))), EINVAL);
  EXPECT_EQ(error_of(ask(message(1, {0, 0}))), EINVAL);
  Bytes endless = version_payload();
  endless.back() = ' ';
  EXPECT_EQ(error_of(ask(message(1, endless))), EINVAL);
  EXPECT_EQ(error_of(ask(message(4, words({16, 0, 0, 0})))), EINVAL) << "no version has been agreed on";
}

TEST_F(VfioUser, TellsOfTheDeviceInAsManyBytesAsWereAskedFor) {
  greet();
  const Bytes answer = ask(message(4, words({16, 0, 0, 0})));
  EXPECT_EQ(Bytes(answer.begin() + 16, answer.end()), words({16, 3, 9, 5}));
  EXPECT_EQ(ask(message(4, words({20, 0, 0, 0, 0}))).size(), 36u);
  EXPECT_EQ(error_of(ask(message(4, words({16, 0})))), EINVAL);
  EXPECT_EQ(error_of(ask(message(4, words({8, 0, 0, 0})))), EINVAL);
}

TEST_F(VfioUser, TellsOfItsRegions) {
  greet();
  for (std::uint32_t index = 0; index < 9; ++index) {
    const Bytes answer = ask(message(5, words({32, 0, index, 0, 0, 0, 0, 0})));
    ASSERT_EQ(answer.size(), 48u);
    const std::uint64_t size = index == 0 ? 0x10000 : index == 7 ? 256 : 0;
    EXPECT_EQ(get(answer, 32, 8), size) << index;
    EXPECT_EQ(get(answer, 20, 4), size != 0 ? 3u : 0u);
  }
  EXPECT_EQ(error_of(ask(message(5, words({32, 0, 9, 0, 0, 0, 0, 0})))), EINVAL);
  EXPECT_EQ(error_of(ask(message(5, words({32, 0, 0})))), EINVAL);
}

TEST_F(VfioUser, TellsOfItsInterrupts) {
  greet();
  const auto about = [this](std::uint32_t index) {
    const Bytes answer = ask(message(7, words({16, 0, index, 0})));
    return Bytes(answer.begin() + 16, answer.end());
  };
  EXPECT_EQ(about(0), words({16, 7, 0, 1}));
  EXPECT_EQ(about(1), words({16, 0, 1, 0}));
  EXPECT_EQ(about(2), words({16, 9, 2, FakeDevice::kVectors}));
  EXPECT_EQ(error_of(ask(message(7, words({16, 0, 5, 0})))), EINVAL);
}

TEST_F(VfioUser, ReadsAndWritesRegistersInAlignedPieces) {
  greet();
  device.bar[0x1C] = 0x1234'5678;
  const Bytes answer = ask(message(9, access(0, 0x1C, 4)));
  EXPECT_EQ(answer.size(), 36u);
  EXPECT_EQ(get(answer, 16, 8), 0x1Cu);
  EXPECT_EQ(get(answer, 24, 4), 0u);
  EXPECT_EQ(get(answer, 28, 4), 4u);
  EXPECT_EQ(get(answer, 32, 4), 0x1234'5678u);
  const Bytes written = ask(message(10, access(0, 0x28, 8, 0x1'0000'2000, 8)));
  EXPECT_EQ(written.size(), 32u);
  EXPECT_THAT(device.calls, ElementsAre("bar read 1c/4 12345678", "bar write 28/8 100002000"));
  device.calls.clear();
  ask(message(9, access(7, 1, 7)));
  EXPECT_THAT(device.calls, ElementsAre("config read 1/1 0", "config read 2/2 0", "config read 4/4 0"));
  device.calls.clear();
  ask(message(9, access(0, 0x4, 0)));
  EXPECT_THAT(device.calls, IsEmpty());
}

TEST_F(VfioUser, ObeysWhenNoReplyIsWanted) {
  greet();
  EXPECT_THAT(ask(message(10, access(0, 0x1000, 4, 3, 4), kNoReply)), IsEmpty());
  EXPECT_THAT(device.calls, ElementsAre("bar write 1000/4 3"));
  EXPECT_THAT(ask(message(10, access(3, 0, 4, 3, 4), kNoReply)), IsEmpty()) << "an error, neither";
}

TEST_F(VfioUser, RefusesAccessesOutsideOfItsRegions) {
  greet();
  for (const Bytes& bad :
       {access(0, 0xFFFE, 4), access(0, 0x10000, 1), access(0, ~std::uint64_t{0}, 4), access(7, 256, 1),
        access(1, 0, 4), access(99, 0, 4), access(0, 0, 0x1000'0000), Bytes{1, 2, 3}}) {
    EXPECT_EQ(error_of(ask(message(9, bad))), EINVAL);
    EXPECT_EQ(error_of(ask(message(10, bad))), EINVAL);
  }
  EXPECT_EQ(error_of(ask(message(10, access(0, 0, 8, 0, 4)))), EINVAL) << "fewer data than it says";
  EXPECT_THAT(device.calls, IsEmpty());
}

TEST_F(VfioUser, RefusesCommandsThatItDoesNotKnow) {
  greet();
  for (const int command : {0, 6, 11, 12, 14, 15, 99, 0xFFFF})
    EXPECT_EQ(error_of(ask(message(static_cast<std::uint16_t>(command), {}))), ENOTSUP) << command;
}

TEST_F(VfioUser, EndsTheConnectionWhenMessagesMakeNoSense) {
  const auto ends_with = [](const Bytes& bytes) {
    FakeDevice d;
    Ends e;
    VfioUserServer s{std::move(e.served)};
    e.send(bytes);
    return s.serve(d);
  };
  Bytes shorter = message(4, {});
  shorter[4] = 15;
  EXPECT_EQ(ends_with(shorter), Served::closed);
  Bytes longer = message(4, {});
  longer[7] = 0x7F;
  EXPECT_EQ(ends_with(longer), Served::closed);
  EXPECT_EQ(ends_with(message(4, words({16, 0, 0, 0}), 1)), Served::closed) << "a reply to nothing";
}

TEST_F(VfioUser, TakesAMessageInAnyNumberOfPieces) {
  greet();
  const Bytes whole = message(9, access(0, 0x1C, 4));
  for (std::size_t i = 0; i < whole.size(); ++i) {
    EXPECT_EQ(server.serve(device), Served::nothing) << i;
    ends.send({whole[i]});
  }
  EXPECT_EQ(server.serve(device), Served::message);
  EXPECT_EQ(ends.received().size(), 36u);
  EXPECT_EQ(server.serve(device), Served::nothing);
}

TEST_F(VfioUser, EndsWhenTheSocketIsClosedAtAnyByte) {
  const Bytes whole = message(1, version_payload());
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    FakeDevice d;
    Ends e;
    VfioUserServer s{std::move(e.served)};
    if (cut != 0) e.send(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(cut)));
    e.ours = Descriptor();
    EXPECT_EQ(s.serve(d), Served::closed) << cut;
  }
}

struct VfioUserMemory : VfioUser {
  VfioUserMemory() {
    greet();
    file = Descriptor(::memfd_create("test", MFD_CLOEXEC));
    EXPECT_EQ(::ftruncate(file.get(), 0x4000), 0);
  }
  int map_it(std::uint64_t address, std::uint64_t size, std::uint64_t offset = 0) {
    return error_of(ask(message(2, map(address, size, offset)), {file.get()}));
  }
  bool reaches(std::uint64_t address) {
    std::uint8_t byte = 0;
    return device.mapped.read(address, &byte, 1);
  }
  Descriptor file;
};

TEST_F(VfioUserMemory, IsReachedWhereItIsMappedAndNowhereElse) {
  EXPECT_EQ(map_it(0x1'0000'0000, 0x2000, 0x1000), 0);
  const std::uint64_t value = 0x0102'0304'0506'0708;
  EXPECT_TRUE(device.mapped.write(0x1'0000'0008, &value, 8));
  std::uint64_t found = 0;
  EXPECT_EQ(::pread(file.get(), &found, 8, 0x1008), 8);
  EXPECT_EQ(found, value);
  EXPECT_FALSE(device.mapped.read(0x1'0000'1FFC, &found, 8)) << "half of it is behind the end";
  EXPECT_FALSE(reaches(0xFFFF'FFFF));
  const Bytes gone = ask(message(3, unmap(0x1'0000'0000, 0x2000)));
  EXPECT_EQ(Bytes(gone.begin() + 16, gone.end()), unmap(0x1'0000'0000, 0x2000));
  EXPECT_FALSE(reaches(0x1'0000'0000));
}

TEST_F(VfioUserMemory, RefusesWindowsThatAreNone) {
  EXPECT_EQ(map_it(0, 0), EINVAL);
  EXPECT_EQ(map_it(~std::uint64_t{0xFFF}, 0x2000), EINVAL);
  EXPECT_EQ(map_it(0, 0x8000), EINVAL) << "the file is shorter";
  EXPECT_EQ(map_it(0, 0x1000, 0x800), EINVAL) << "not at a page of the file";
  EXPECT_EQ(map_it(0, 0x2000), 0);
  EXPECT_EQ(map_it(0x1000, 0x2000), EEXIST);
  EXPECT_EQ(error_of(ask(message(2, words({32, 3})), {file.get()})), EINVAL);
  EXPECT_EQ(error_of(ask(message(3, words({24, 0})))), EINVAL);
  EXPECT_EQ(error_of(ask(message(3, unmap(1, 1, 2)))), EINVAL) << "everything, or this window?";
  EXPECT_EQ(device.mapped.windows(), 1u);
  ask(message(3, unmap(0, 0, 2)));
  EXPECT_EQ(device.mapped.windows(), 0u);
}

TEST_F(VfioUserMemory, IsNotWrittenWhereItIsReadOnly) {
  Bytes read_only = map(0, 0x1000);
  read_only[4] = 1;
  EXPECT_EQ(error_of(ask(message(2, read_only), {file.get()})), 0);
  EXPECT_TRUE(reaches(0));
  const char byte = 1;
  EXPECT_FALSE(device.mapped.writable(0, 1));
  EXPECT_FALSE(device.mapped.write(0, &byte, 1));
}

TEST_F(VfioUserMemory, WithoutAFileIsAcceptedAndNotReached) {
  EXPECT_EQ(error_of(ask(message(2, map(0xC0000, 0x1000)))), 0);
  EXPECT_FALSE(reaches(0xC0000));
  EXPECT_EQ(error_of(ask(message(3, unmap(0xC0000, 0x1000)))), 0);
}

TEST_F(VfioUserMemory, LeavesNoFileOpen) {
  const std::size_t before = open_files();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(map_it(0, 0x1000), 0);
    EXPECT_EQ(map_it(0, 0x1000), EEXIST);
    ask(message(99, {}), {file.get(), file.get()});
    ask(message(3, unmap(0, 0x1000)));
  }
  EXPECT_EQ(open_files(), before);
}

struct VfioUserIrqs : VfioUser {
  VfioUserIrqs() {
    greet();
    for (int i = 0; i < 3; ++i) events.emplace_back(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  }
  int set(std::uint32_t flags, std::uint32_t index, std::uint32_t start, std::uint32_t count,
          const std::vector<int>& files = {}, const Bytes& data = {}) {
    Bytes payload = words({20, flags, index, start, count});
    payload.insert(payload.end(), data.begin(), data.end());
    return error_of(ask(message(8, payload), files));
  }
  std::uint64_t fired(std::size_t event) {
    std::uint64_t count = 0;
    return ::read(events[event].get(), &count, sizeof count) == sizeof count ? count : 0;
  }
  std::vector<Descriptor> events;
};

constexpr std::uint32_t kTriggerByEvent = 0x24;

TEST_F(VfioUserIrqs, LetsMessagesFireTheEventsOfTheirVectors) {
  EXPECT_EQ(set(kTriggerByEvent, 2, 1, 3, {events[0].get(), events[1].get()}), 0);
  EXPECT_THAT(device.calls,
              testing::IsSupersetOf({"bar write 8010/8 fee00000", "bar write 8018/4 1", "bar write 801c/4 0",
                                     "bar write 802c/4 0", "bar write 803c/4 1", "config write 52/2 8000"}));
  server.message(0xFEE0'0000, 2);
  server.message(0xFEE0'0000, 2);
  server.message(0xFEE0'0000, 3);
  server.message(0xFEE0'0000, 77);
  server.message(0xFEE0'1000, 1);
  EXPECT_EQ(fired(0), 0u);
  EXPECT_EQ(fired(1), 2u);
  EXPECT_EQ(set(0x21, 2, 0, 0), 0) << "all off";
  server.message(0xFEE0'0000, 2);
  EXPECT_EQ(fired(1), 0u);
}

TEST_F(VfioUserIrqs, KeepsItsVectorsOverAReset) {
  EXPECT_EQ(set(kTriggerByEvent, 2, 0, 1, {events[0].get()}), 0);
  device.calls.clear();
  ask(message(13, {}));
  ASSERT_FALSE(device.calls.empty());
  EXPECT_EQ(device.calls.front(), "reset");
  EXPECT_EQ(device.calls.back(), "config write 52/2 8000");
  device.calls.clear();
  ask(message(10, access(7, 0x68, 2, 0x8000, 2)));
  EXPECT_EQ(device.calls.back(), "config write 52/2 8000") << "function level reset";
}

TEST_F(VfioUserIrqs, FiresVectorsThatTheClientTriggersItself) {
  EXPECT_EQ(set(kTriggerByEvent, 2, 0, 3, {events[0].get(), events[1].get(), events[2].get()}), 0);
  EXPECT_EQ(set(0x21, 2, 1, 1), 0);
  EXPECT_EQ(set(0x22, 2, 0, 3, {}, {1, 0, 1}), 0);
  EXPECT_EQ(fired(0), 1u);
  EXPECT_EQ(fired(1), 1u);
  EXPECT_EQ(fired(2), 1u);
}

TEST_F(VfioUserIrqs, MasksThePinWhenItHasFired) {
  EXPECT_EQ(set(kTriggerByEvent, 0, 0, 1, {events[0].get()}), 0);
  server.pin(true);
  EXPECT_EQ(fired(0), 1u);
  server.pin(false);
  server.pin(true);
  EXPECT_EQ(fired(0), 0u) << "masked until the client has served it";
  EXPECT_EQ(set(0x11, 0, 0, 1), 0);
  EXPECT_EQ(fired(0), 1u) << "still high";
  server.pin(false);
  EXPECT_EQ(set(0x11, 0, 0, 1), 0);
  EXPECT_EQ(fired(0), 0u);
  EXPECT_EQ(set(0x09, 0, 0, 1), 0);
  server.pin(true);
  EXPECT_EQ(fired(0), 0u);
}

TEST_F(VfioUserIrqs, RefusesRequestsThatMakeNoSense) {
  const int event = events[0].get();
  EXPECT_EQ(set(kTriggerByEvent, 2, 5, 1, {event}), EINVAL);
  EXPECT_EQ(set(kTriggerByEvent, 2, 0, 6, {event}), EINVAL);
  EXPECT_EQ(set(kTriggerByEvent, 2, 1, 0xFFFF'FFFF, {event}), EINVAL);
  EXPECT_EQ(set(kTriggerByEvent, 0, 1, 1, {event}), EINVAL);
  EXPECT_EQ(set(kTriggerByEvent, 1, 0, 1, {event}), EINVAL);
  EXPECT_EQ(set(kTriggerByEvent, 9, 0, 1, {event}), EINVAL);
  EXPECT_EQ(set(0x26, 2, 0, 1, {event}), EINVAL) << "two kinds of data";
  EXPECT_EQ(set(0x0C, 2, 0, 1, {event}), EINVAL) << "vectors are masked in the table";
  EXPECT_EQ(set(0x22, 2, 0, 4, {}, {1}), EINVAL) << "fewer data than it says";
  const Descriptor no_event(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  EXPECT_EQ(set(kTriggerByEvent, 2, 0, 1, {no_event.get()}), EINVAL);
  EXPECT_EQ(error_of(ask(message(8, words({20, kTriggerByEvent, 2})))), EINVAL);
}

TEST_F(VfioUserIrqs, DoesNotWaitForAnEventWithoutRoom) {
  const std::uint64_t full = ~std::uint64_t{0} - 1;
  EXPECT_EQ(::write(events[0].get(), &full, sizeof full), 8);
  EXPECT_EQ(::fcntl(events[0].get(), F_SETFL, 0), 0); // blocking
  EXPECT_EQ(set(kTriggerByEvent, 2, 0, 1, {events[0].get()}), 0);
  server.message(0xFEE0'0000, 0);
}

} // namespace
} // namespace twinplane::test::vfio_user_server_test
