// Does the link to QEMU's proxy device speak, byte for byte, what QEMU 7.2 does?
#include "platform/pci_host/mpqemu_link.h"

#include <gmock/gmock.h>
#include <sys/mman.h>

#include "tests/pci_host/fake_device.h"

namespace twinplane::test::mpqemu_link_test {
namespace {

using platform::MpqemuLink;
using Served = platform::Transport::Served;
using testing::ElementsAre;
using testing::IsEmpty;

Bytes message(std::uint32_t command, const Bytes& payload = {}) {
  Bytes m;
  put(m, command, 4);
  put(m, 0, 4);
  put(m, payload.size(), 8);
  m.insert(m.end(), payload.begin(), payload.end());
  return m;
}

Bytes config_access(std::uint32_t command, std::uint32_t offset, std::uint32_t value, std::uint32_t bytes) {
  Bytes b;
  put(b, offset, 4);
  put(b, value, 4);
  put(b, bytes, 4);
  return message(command, b);
}

Bytes bar_access(std::uint32_t command, std::uint64_t address, std::uint64_t value, std::uint32_t bytes,
                 std::uint8_t memory = 1) {
  Bytes b;
  put(b, address, 8);
  put(b, value, 8);
  put(b, bytes, 4);
  put(b, memory, 4);
  return message(command, b);
}

struct Window {
  std::uint64_t address, size, offset;
};

Bytes memory_map(const std::vector<Window>& windows) {
  Bytes b;
  for (const auto field : {&Window::address, &Window::size, &Window::offset}) {
    for (std::size_t i = 0; i < 8; ++i) put(b, i < windows.size() ? windows[i].*field : 0, 8);
  }
  return message(0, b);
}

struct Mpqemu : testing::Test {
  FakeDevice device;
  Ends ends, qtest;
  MpqemuLink link{std::move(ends.served), std::move(qtest.served)};

  Bytes ask(const Bytes& sent, const std::vector<int>& files = {}) {
    ends.send(sent, files);
    EXPECT_EQ(link.serve(device), Served::message);
    return ends.received();
  }
  static std::uint64_t value_of(const Bytes& answer) {
    EXPECT_EQ(answer.size(), 24u);
    EXPECT_EQ(get(answer, 0, 4), 1u) << "RET";
    EXPECT_EQ(get(answer, 8, 8), 8u);
    return get(answer, 16, 8);
  }
  Served fate_of(const Bytes& sent) {
    ends.send(sent);
    return link.serve(device);
  }
};

TEST_F(Mpqemu, AnswersConfigurationReadsExtendedByZeros) {
  device.config[0x00] = 0x0001'5450;
  device.config[0x0C] = 0xFFFF'FFFF;
  EXPECT_EQ(value_of(ask(config_access(3, 0x00, 0, 4))), 0x0001'5450u);
  EXPECT_EQ(value_of(ask(config_access(3, 0x0C, 0, 4))), 0xFFFF'FFFFu) << "all ones in 64 bits is an error";
  EXPECT_EQ(value_of(ask(config_access(2, 0x04, 0x106, 2))), 0u);
  EXPECT_THAT(device.calls,
              ElementsAre("config read 0/4 15450", "config read c/4 ffffffff", "config write 4/2 106"));
}

TEST_F(Mpqemu, TakesUnalignedConfigurationAccessesByteByByte) {
  device.config[0x05] = 0x34;
  device.config[0x06] = 0x12;
  EXPECT_EQ(value_of(ask(config_access(3, 0x05, 0, 2))), 0x1234u);
  ask(config_access(2, 0x05, 0xABCD, 2));
  EXPECT_THAT(device.calls, ElementsAre("config read 5/1 34", "config read 6/1 12", "config write 5/1 cd",
                                        "config write 6/1 ab"));
  EXPECT_EQ(value_of(ask(config_access(3, 0xFFFF'FFF0, 0, 2))), 0xFFFFu);
}

TEST_F(Mpqemu, ReachesNothingBehindConfigurationSpace) {
  EXPECT_EQ(value_of(ask(config_access(3, 4095, 0, 4))), 0xFFFF'FFFFu);
  EXPECT_EQ(value_of(ask(config_access(2, 4094, 7, 4))), 0u);
  EXPECT_THAT(device.calls, IsEmpty());
}

TEST_F(Mpqemu, HidesTheUpperHalfOfTheBarFromQemusOwnProbe) {
  device.config[0x14] = 0xFFFF'FFFF;
  EXPECT_EQ(value_of(ask(config_access(3, 0x14, 0, 4))), 0u);
  EXPECT_EQ(value_of(ask(message(7))), 0u);
  EXPECT_EQ(value_of(ask(config_access(3, 0x14, 0, 4))), 0xFFFF'FFFFu) << "the guest's firmware sees it";
  EXPECT_EQ(device.calls.front(), "reset");
}

TEST_F(Mpqemu, TakesBarAccessesByTheirAddress) {
  device.bar[0x1C] = 0x11;
  EXPECT_EQ(value_of(ask(bar_access(5, FakeDevice::kBar + 0x1C, 0, 4))), 0x11u);
  EXPECT_EQ(value_of(ask(bar_access(4, FakeDevice::kBar + 0x1000, 3, 4))), 0u);
  EXPECT_EQ(value_of(ask(bar_access(4, FakeDevice::kBar + 0x28, 0x1'0000'2000, 8))), 0u);
  EXPECT_THAT(device.calls,
              ElementsAre("bar read 1c/4 11", "bar write 1000/4 3", "bar write 28/8 100002000"));
  device.calls.clear();
  EXPECT_EQ(value_of(ask(bar_access(5, 0x1000, 0, 4))), 0xFFFF'FFFFu);
  EXPECT_EQ(value_of(ask(bar_access(5, FakeDevice::kBar, 0, 2, 0))), 0xFFFFu) << "in I/O space";
  EXPECT_EQ(value_of(ask(bar_access(4, 0x1000, 7, 8))), 0u);
  EXPECT_THAT(device.calls, IsEmpty());
}

TEST_F(Mpqemu, TakesTheWholeMemoryOfTheGuestAnewWithoutAnAnswer) {
  const Descriptor file(::memfd_create("test", MFD_CLOEXEC));
  ASSERT_EQ(::ftruncate(file.get(), 0x4000), 0);
  const std::size_t before = open_files();
  EXPECT_THAT(ask(memory_map({{0, 0x1000, 0}, {0x1'0000'0000, 0x2000, 0x1000}}), {file.get(), file.get()}),
              IsEmpty());
  EXPECT_EQ(device.mapped.windows(), 2u);
  EXPECT_TRUE(device.mapped.writable(0x1'0000'1000, 0x1000));
  ask(memory_map({{0x8000, 0x4000, 0}}), {file.get()});
  EXPECT_EQ(device.mapped.windows(), 1u);
  EXPECT_FALSE(device.mapped.writable(0, 1));
  EXPECT_TRUE(device.mapped.writable(0x8000, 0x4000));
  ask(memory_map({{0, 0x8000, 0}, {0x8000, 0x1000, 0}}), {file.get(), file.get()});
  EXPECT_EQ(device.mapped.windows(), 1u) << "one of them is longer than its file";
  ask(memory_map({}));
  EXPECT_EQ(device.mapped.windows(), 0u);
  EXPECT_EQ(open_files(), before);
}

TEST_F(Mpqemu, TakesInterruptEventsAndMakesNoUseOfThem) {
  const std::size_t before = open_files();
  EXPECT_THAT(ask(message(6), {ends.ours.get(), ends.ours.get()}), IsEmpty());
  EXPECT_EQ(open_files(), before);
}

TEST_F(Mpqemu, SendsMessagesAsWritesOfQtest) {
  link.message(0xFEE0'1004, 0x4023);
  link.message(0xFEE0'0000, 0x21);
  const Bytes sent = qtest.received();
  EXPECT_EQ(std::string(sent.begin(), sent.end()), "writel 0xfee01004 0x4023\nwritel 0xfee00000 0x21\n");
  const std::string answers = "OK\nOK\n";
  qtest.send(Bytes(answers.begin(), answers.end()));
  EXPECT_EQ(link.serve(device), Served::nothing);
}

TEST_F(Mpqemu, LosesNoMessageWhenQemuReadsLate) {
  const int count = 20000; // more than a socket holds
  for (int i = 0; i < count; ++i) link.message(0xFEE0'0000, 0x20);
  std::size_t bytes = 0;
  for (Bytes part = qtest.received(); !part.empty(); part = qtest.received()) {
    bytes += part.size();
    EXPECT_EQ(link.serve(device), Served::nothing);
  }
  EXPECT_EQ(bytes, count * std::string("writel 0xfee00000 0x20\n").size());
}

TEST_F(Mpqemu, EndsWithQtest) {
  qtest.ours = Descriptor();
  link.message(0xFEE0'0000, 0x20);
  EXPECT_EQ(link.serve(device), Served::closed);
}

TEST_F(Mpqemu, RefusesWhatThisVersionDoesNotSend) {
  EXPECT_EQ(fate_of(message(8)), Served::closed);
}

TEST_F(Mpqemu, RefusesPayloadsOfAnotherLength) {
  EXPECT_EQ(fate_of(message(3, Bytes(16))), Served::closed);
}

TEST_F(Mpqemu, RefusesWidthsThatThereAreNot) {
  EXPECT_EQ(fate_of(config_access(3, 0, 0, 3)), Served::closed);
}

TEST_F(Mpqemu, RefusesNegativeWidths) {
  EXPECT_EQ(fate_of(config_access(3, 0, 0, 0x8000'0000)), Served::closed);
}

TEST_F(Mpqemu, RefusesWideMemoryAccesses) {
  EXPECT_EQ(fate_of(bar_access(5, FakeDevice::kBar, 0, 16)), Served::closed);
}

TEST_F(Mpqemu, EndsWhenTheSocketIsClosedAtAnyByte) {
  const Bytes whole = config_access(3, 0, 0, 4);
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    FakeDevice d;
    Ends e, q;
    MpqemuLink l{std::move(e.served), std::move(q.served)};
    if (cut != 0) e.send(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(cut)));
    e.ours = Descriptor();
    EXPECT_EQ(l.serve(d), Served::closed) << cut;
  }
}

} // namespace
} // namespace twinplane::test::mpqemu_link_test
