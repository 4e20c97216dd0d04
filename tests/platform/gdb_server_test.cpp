// Does the stub speak gdb's remote protocol, and bear a client that does not? Over a socket, with a target of
// plain memory; packets as gdb's manual has them.
#include "platform/debug/gdb_server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace twinplane::platform::gdb_server_test {
namespace {

class PlainTarget final : public DebugTarget {
 public:
  static constexpr std::uint32_t kBase = 0x1000;
  std::uint32_t reg(unsigned number) const override { return regs[number]; }
  void set_reg(unsigned number, std::uint32_t value) override { regs[number] = value; }
  bool read(std::uint32_t address, void* to, std::size_t bytes) override {
    if (address < kBase || address - kBase + bytes > memory.size()) return false;
    std::memcpy(to, memory.data() + (address - kBase), bytes);
    return true;
  }
  bool write(std::uint32_t address, const void* from, std::size_t bytes) override {
    if (address < kBase || address - kBase + bytes > memory.size()) return false;
    std::memcpy(memory.data() + (address - kBase), from, bytes);
    return true;
  }
  bool insert(const DebugPoint& point) override {
    points.push_back(point);
    return point.address != 0xBAD;
  }
  void remove(const DebugPoint&) override { points.pop_back(); }
  void remove_all() override { points.clear(); }
  std::string monitor(const std::string& command) override { return std::string(lines, '.') + command; }

  std::array<std::uint32_t, kRegisters> regs{};
  std::array<std::uint8_t, 64> memory{};
  std::vector<DebugPoint> points;
  std::size_t lines = 0;
};

class Client {
 public:
  explicit Client(std::uint16_t port) {
    fd_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
      throw std::runtime_error("no connection");
  }
  ~Client() { close(); }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  void raw(const std::string& bytes) {
    ASSERT_EQ(::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }
  /// The next packet's text; empty acknowledgements before it are skipped.
  std::string packet() {
    std::string text;
    char c = 0;
    while (::read(fd_, &c, 1) == 1 && c != '$') nacks += c == '-' ? 1 : 0;
    while (::read(fd_, &c, 1) == 1 && c != '#') text += c;
    char sum[2];
    EXPECT_EQ(::read(fd_, sum, 2), 2);
    return text;
  }
  std::string ask(const std::string& text) {
    raw(gdb_packet(text));
    return packet();
  }
  bool is_closed() {
    char c = 0;
    ssize_t n = 0;
    while ((n = ::read(fd_, &c, 1)) > 0) {
    }
    return n <= 0;
  }
  int nacks = 0;

 private:
  int fd_ = -1;
};

/// The target stands still in a thread of its own until the client lets it go on.
class GdbStub : public testing::Test {
 protected:
  ~GdbStub() override { join(); }
  void stop_at(const DebugStop& stop) {
    join();
    thread_ = std::thread([this, stop] { resume = server.serve(stop); });
  }
  void join() {
    if (thread_.joinable()) thread_.join();
  }
  Client attach() {
    Client client(server.port());
    EXPECT_TRUE(server.wait_for_client());
    stop_at(DebugStop());
    return client;
  }
  PlainTarget target;
  GdbServer server{target, 0, [] { return false; }};
  DebugResume resume;

 private:
  std::thread thread_;
};

TEST_F(GdbStub, ShowsRegistersAndMemoryLittleEndian) {
  target.regs[0] = 0x11223344;
  target.regs[16] = 0x600001D3;
  target.memory = {1, 2, 0xAB, 0xCD};
  Client gdb = attach();
  EXPECT_EQ(gdb.ask("?"), "T05thread:1;");
  const std::string all = gdb.ask("g");
  EXPECT_EQ(all.size(), 17 * 8u);
  EXPECT_EQ(all.substr(0, 8), "44332211");
  EXPECT_EQ(all.substr(16 * 8), "d3010060");
  EXPECT_EQ(gdb.ask("p10"), "d3010060");
  EXPECT_EQ(gdb.ask("m1000,4"), "0102abcd");
  EXPECT_EQ(gdb.ask("M1002,2:beef"), "OK");
  EXPECT_EQ(gdb.ask("m0,0"), "") << "of no bytes the target is not asked";
  EXPECT_EQ(gdb.ask("m1002,2"), "beef");
  EXPECT_EQ(gdb.ask("P2=78563412"), "OK");
  EXPECT_EQ(target.regs[2], 0x12345678u);
  gdb.raw(gdb_packet("D"));
}

TEST_F(GdbStub, DescribesTheCoreInPieces) {
  Client gdb = attach();
  EXPECT_NE(gdb.ask("qSupported:multiprocess+").find("qXfer:features:read+"), std::string::npos);
  std::string xml;
  for (std::string part = "m"; part.front() == 'm'; xml += part.substr(1)) {
    char command[64];
    std::snprintf(command, sizeof command, "qXfer:features:read:target.xml:%zx,40", xml.size());
    part = gdb.ask(command);
    ASSERT_FALSE(part.empty());
  }
  EXPECT_NE(xml.find("org.gnu.gdb.arm.core"), std::string::npos);
  EXPECT_EQ(xml.substr(xml.size() - 9), "</target>");
  gdb.raw(gdb_packet("D"));
}

TEST_F(GdbStub, StepsRunsAndTellsWhatWasWatched) {
  Client gdb = attach();
  gdb.raw(gdb_packet("vCont;r1000,1010:1;c"));
  join();
  EXPECT_EQ(resume.how, DebugResume::How::step);
  EXPECT_EQ(resume.begin, 0x1000u);
  EXPECT_EQ(resume.end, 0x1010u);
  stop_at({DebugStop::kTrap, true, {PointKind::access, 0x40000018, 4}});
  EXPECT_EQ(gdb.packet(), "T05thread:1;awatch:40000018;");
  gdb.raw(gdb_packet("s"));
  join();
  EXPECT_EQ(resume.how, DebugResume::How::step);
  EXPECT_EQ(resume.end, 0u);
  stop_at({DebugStop::kSegment, false, DebugPoint()});
  EXPECT_EQ(gdb.packet(), "T0bthread:1;");
  gdb.raw(gdb_packet("C0b"));
  join();
  EXPECT_EQ(resume.how, DebugResume::How::run);
  server.exited(70);
  EXPECT_EQ(gdb.packet(), "W46");
  EXPECT_TRUE(gdb.is_closed());
}

TEST_F(GdbStub, SetsPointsOfEachKind) {
  Client gdb = attach();
  EXPECT_EQ(gdb.ask("Z0,1000,4"), "OK");
  EXPECT_EQ(gdb.ask("Z1,1004,2"), "OK");
  EXPECT_EQ(gdb.ask("Z2,2000,4"), "OK");
  EXPECT_EQ(gdb.ask("Z3,2000,4"), "OK");
  EXPECT_EQ(gdb.ask("Z4,2000,4"), "OK");
  EXPECT_EQ(gdb.ask("Z4,bad,4"), "E01");
  EXPECT_EQ(gdb.ask("Z5,2000,4"), "");
  ASSERT_EQ(target.points.size(), 6u);
  EXPECT_EQ(target.points[1].kind, PointKind::code);
  EXPECT_EQ(target.points[2].kind, PointKind::write);
  EXPECT_EQ(target.points[3].kind, PointKind::read);
  EXPECT_EQ(target.points[4].kind, PointKind::access);
  gdb.raw(gdb_packet("D"));
  join();
  EXPECT_TRUE(target.points.empty()) << "detach leaves points";
}

TEST_F(GdbStub, AnswersBadArgumentsWithAnErrorAndTheUnknownWithNothing) {
  Client gdb = attach();
  for (const char* bad : {"p11",
                          "p",
                          "pzz",
                          "P2",
                          "P2=12",
                          "P2=1234567g",
                          "m",
                          "m1000",
                          "m1000,",
                          "m1000,4x",
                          "m0,4",
                          "m1000,fffffff",
                          "m123456789,1",
                          "M1000,2:12",
                          "M1000,1:1",
                          "M1000,1",
                          "M0,1:00",
                          "G12",
                          "Z0",
                          "Z0,1000",
                          "Zx,1,1",
                          "z0,",
                          "vCont;x",
                          "vCont;",
                          "vCont;r1,",
                          "cxyz",
                          "C",
                          "qRcmd,1",
                          "qRcmd,xx",
                          "qXfer:features:read:target.xml:x,1"})
    EXPECT_EQ(gdb.ask(bad), "E01") << bad;
  for (const char* unknown : {"", "!", "R00", "vRun", "qOffsets", "Q", "X1000,0:", "b", "t", "~"})
    EXPECT_EQ(gdb.ask(unknown), "") << unknown;
  EXPECT_EQ(gdb.ask("qXfer:features:read:other.xml:0,10"), "E00");
  EXPECT_EQ(gdb.ask("qXfer:features:read:target.xml:ffffff,10"), "l");
  gdb.raw(gdb_packet("k"));
  join();
  EXPECT_EQ(resume.how, DebugResume::How::killed);
}

TEST_F(GdbStub, AsksForADamagedPacketAgain) {
  Client gdb = attach();
  gdb.raw("noise$p2#00$p2#zz");
  EXPECT_EQ(gdb.ask("p2"), "00000000");
  EXPECT_EQ(gdb.nacks, 2);
  EXPECT_EQ(gdb.ask("QStartNoAckMode"), "OK");
  gdb.nacks = 0;
  gdb.raw("$p2#00");
  EXPECT_EQ(gdb.ask("p2"), "00000000");
  EXPECT_EQ(gdb.nacks, 0) << "a checksum is of no interest without acknowledgements";
  gdb.raw(gdb_packet("D"));
}

TEST_F(GdbStub, ShowsALongAnswerOfTheTargetInParts) {
  target.lines = 3 * GdbPackets::kLongest;
  Client gdb = attach();
  gdb.raw(gdb_packet("qRcmd," + to_hex("queues", 6)));
  std::string text;
  for (std::string part = gdb.packet(); part != "OK"; part = gdb.packet()) {
    ASSERT_EQ(part.front(), 'O');
    ASSERT_LE(part.size(), GdbPackets::kLongest);
    text += from_hex(part.substr(1)).value_or("?");
  }
  EXPECT_EQ(text, std::string(target.lines, '.') + "queues");
  gdb.raw(gdb_packet("D"));
}

TEST_F(GdbStub, LetsTheCoreRunOnWhenTheClientGoes) {
  Client gdb = attach();
  EXPECT_EQ(gdb.ask("Z0,1000,4"), "OK");
  gdb.raw("$m10"); // in the middle of a packet
  gdb.close();
  join();
  EXPECT_EQ(resume.how, DebugResume::How::detached);
  EXPECT_TRUE(target.points.empty());
  Client next = attach();
  EXPECT_EQ(next.ask("?"), "T05thread:1;");
  next.raw(gdb_packet("D"));
}

TEST_F(GdbStub, ClosesAConnectionThatSendsEndlessPackets) {
  Client gdb = attach();
  gdb.raw("$" + std::string(GdbPackets::kLongest + 1, 'm'));
  EXPECT_TRUE(gdb.is_closed());
  join();
  EXPECT_EQ(resume.how, DebugResume::How::detached);
}

TEST_F(GdbStub, HearsCtrlCAndAClientThatComesLate) {
  EXPECT_FALSE(server.wants_stop());
  Client gdb(server.port());
  bool comes = false;
  for (int i = 0; i < 1000 && !comes; ++i) comes = server.wants_stop();
  EXPECT_TRUE(comes);
  stop_at(DebugStop());
  gdb.raw(gdb_packet("c"));
  join();
  EXPECT_FALSE(server.wants_stop());
  gdb.raw("\x03");
  bool stops = false;
  for (int i = 0; i < 100000 && !stops; ++i) stops = server.wants_stop();
  EXPECT_TRUE(stops);
  stop_at({DebugStop::kInterrupt, false, DebugPoint()});
  EXPECT_EQ(gdb.packet(), "T02thread:1;");
  gdb.close();
}

TEST_F(GdbStub, StopsForAPacketThatComesWhileTheCoreRuns) {
  Client gdb = attach();
  gdb.raw(gdb_packet("c"));
  join();
  gdb.raw(gdb_packet("k"));
  bool stops = false;
  for (int i = 0; i < 100000 && !stops; ++i) stops = server.wants_stop();
  EXPECT_TRUE(stops);
  stop_at({DebugStop::kInterrupt, false, DebugPoint()});
  join();
  EXPECT_EQ(resume.how, DebugResume::How::killed);
}

TEST(GdbPort, SaysThatItIsInUse) {
  PlainTarget target;
  const GdbServer first(target, 0, [] { return false; });
  try {
    const GdbServer second(target, first.port(), [] { return false; });
    FAIL() << "two listen on one port";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "cannot listen on 127.0.0.1: Address already in use");
  }
}

TEST(GdbPort, IsGivenUpWhenNobodyWaitsAnyMore) {
  PlainTarget target;
  int asked = 0;
  GdbServer server(target, 0, [&asked] { return ++asked == 2; });
  EXPECT_FALSE(server.wait_for_client());
  EXPECT_EQ(asked, 2);
}

} // namespace
} // namespace twinplane::platform::gdb_server_test
