#include "platform/debug/gdb_server.h"

#include <array>
#include <cstdio>
#include <utility>
#include <vector>

namespace twinplane::platform {
namespace {

constexpr int kPatience = 200; // ms between two questions whether to give up
constexpr const char* kBad = "E01";

std::string target_description() {
  std::string text =
      "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\">"
      "<target version=\"1.0\"><architecture>arm</architecture><feature name=\"org.gnu.gdb.arm.core\">";
  for (unsigned r = 0; r < 13; ++r)
    text += "<reg name=\"r" + std::to_string(r) + "\" bitsize=\"32\" type=\"uint32\"/>";
  return text +
         "<reg name=\"sp\" bitsize=\"32\" type=\"data_ptr\"/><reg name=\"lr\" bitsize=\"32\"/>"
         "<reg name=\"pc\" bitsize=\"32\" type=\"code_ptr\"/><reg name=\"cpsr\" bitsize=\"32\"/>"
         "</feature></target>";
}

std::string hex_word(std::uint32_t word) {
  const std::array<std::uint8_t, 4> bytes = {
      static_cast<std::uint8_t>(word), static_cast<std::uint8_t>(word >> 8),
      static_cast<std::uint8_t>(word >> 16), static_cast<std::uint8_t>(word >> 24)};
  return to_hex(bytes.data(), bytes.size());
}

std::uint32_t word_at(const std::string& bytes, std::size_t at) {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < 4; ++i)
    word |= std::uint32_t{static_cast<std::uint8_t>(bytes[at + i])} << (8 * i);
  return word;
}

/// "ADDRESS,LENGTH"
bool take_range(std::string_view& text, std::uint32_t& address, std::uint32_t& bytes) {
  const auto first = take_number(text);
  if (!first || !take_word(text, ",")) return false;
  const auto second = take_number(text);
  if (!second) return false;
  address = *first;
  bytes = *second;
  return true;
}

} // namespace

GdbServer::GdbServer(DebugTarget& target, std::uint16_t port, std::function<bool()> given_up)
    : target_(target), socket_(port), given_up_(std::move(given_up)) {}

bool GdbServer::wait_for_client() {
  while (!accept(kPatience)) {
    if (given_up_()) return false;
  }
  return true;
}

bool GdbServer::accept(int milliseconds) {
  if (!socket_.accept(milliseconds)) return false;
  packets_ = GdbPackets();
  received_.clear();
  acknowledges_ = true;
  waits_ = has_packet_ = false;
  return true;
}

bool GdbServer::wants_stop() {
  if (!socket_.connected()) return accept(0);
  bool interrupted = false;
  has_packet_ = next_packet(0, interrupted); // from a client that does not wait for the core
  if (!socket_.connected()) target_.remove_all();
  return interrupted || has_packet_;
}

DebugResume GdbServer::serve(const DebugStop& stop) {
  stop_ = stop;
  goes_on_ = false;
  if (waits_) send(stop_reply());
  waits_ = false;
  while (!goes_on_) {
    if (!socket_.connected() || given_up_()) {
      socket_.close_client();
      target_.remove_all();
      return {DebugResume::How::detached, 0, 0};
    }
    bool interrupted = false; // it stands still already
    if (has_packet_ || next_packet(kPatience, interrupted)) answer();
    has_packet_ = false;
  }
  waits_ = resume_.how == DebugResume::How::run || resume_.how == DebugResume::How::step;
  if (!waits_) {
    socket_.close_client();
    target_.remove_all();
  }
  return resume_;
}

void GdbServer::exited(int status) {
  if (waits_) {
    const auto byte = static_cast<std::uint8_t>(status);
    send("W" + to_hex(&byte, 1));
  }
  socket_.close_client();
}

void GdbServer::send(std::string_view text) {
  socket_.send(gdb_packet(text));
}

/// True: packets_ has one. Waits that long for its bytes.
bool GdbServer::next_packet(int milliseconds, bool& interrupted) {
  std::size_t used = 0;
  for (;;) {
    if (used == received_.size()) {
      std::array<char, 4096> buffer{};
      received_.assign(buffer.data(), socket_.receive(buffer.data(), buffer.size(), milliseconds));
      used = 0;
      if (received_.empty()) return false;
    }
    const GdbPackets::Event event = packets_.take(received_[used++]);
    if (event == GdbPackets::Event::interrupt) interrupted = true;
    if (event == GdbPackets::Event::bad_sum && acknowledges_) socket_.send("-");
    if (event == GdbPackets::Event::too_long) {
      std::fprintf(
          stderr,
          "twinplane: a packet of more than %zu bytes has come instead of gdb's; the connection is closed\n",
          GdbPackets::kLongest);
      received_.clear();
      socket_.close_client();
      return false;
    }
    if (event != GdbPackets::Event::packet) continue;
    received_.erase(0, used);
    if (acknowledges_) socket_.send("+");
    return true;
  }
}

GdbServer::Answer GdbServer::stop_reply() const {
  const auto signal = static_cast<std::uint8_t>(stop_.signal);
  std::string text = "T" + to_hex(&signal, 1) + "thread:1;";
  if (stop_.watched) {
    constexpr const char* kNames[] = {"", "watch", "rwatch", "awatch"};
    char address[16];
    std::snprintf(address, sizeof address, "%08x", stop_.point.address);
    text += std::string(kNames[static_cast<std::size_t>(stop_.point.kind)]) + ":" + address + ";";
  }
  return text;
}

void GdbServer::answer() {
  const std::string packet = packets_.text();
  if (resumes(packet)) return;
  send(answer_to(packet));
  if (packet == "QStartNoAckMode") acknowledges_ = false;
}

/// Packets that are answered when the core stands still again, or never.
bool GdbServer::resumes(std::string_view packet) {
  using How = DebugResume::How;
  if (packet == "k" || take_word(packet, "vKill")) {
    if (packet != "k") send("OK");
    go_on(How::killed);
    return true;
  }
  if (packet == "D" || take_word(packet, "D;")) {
    send("OK");
    go_on(How::detached);
    return true;
  }
  if (take_word(packet, "vCont;r")) { // a step over a range
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    if (!take_range(packet, begin, end)) return false;
    go_on(How::step);
    resume_.begin = begin;
    resume_.end = end;
    return true;
  }
  // Signals are nothing that the core could be given; there is one thread.
  take_word(packet, "vCont;");
  if (packet.empty()) return false;
  const char action = packet.front();
  packet.remove_prefix(1);
  if (action == 'C' || action == 'S') {
    if (!take_number(packet)) return false;
    if (take_word(packet, ";") && !take_number(packet)) return false;
  }
  if (action != 'c' && action != 's' && action != 'C' && action != 'S') return false;
  if (!packet.empty() && packet.front() != ':' && packet.front() != ';') { // from another address
    const auto address = take_number(packet);
    if (!address) return false;
    target_.set_reg(15, *address);
  }
  go_on(action == 'c' || action == 'C' ? How::run : How::step);
  return true;
}

GdbServer::Answer GdbServer::answer_to(std::string_view packet) {
  if (packet.empty()) return "";
  const std::string_view whole = packet;
  const char kind = packet.front();
  packet.remove_prefix(1);
  switch (kind) {
    case '?':
      return stop_reply();
    case 'g':
      return read_registers();
    case 'G':
      return write_registers(packet);
    case 'p':
      return read_register(packet);
    case 'P':
      return write_register(packet);
    case 'm':
      return read_memory(packet);
    case 'M':
      return write_memory(packet);
    case 'Z':
      return change_point(packet, true);
    case 'z':
      return change_point(packet, false);
    case 'H': // the one thread
    case 'T':
      return "OK";
    case 'q':
    case 'Q':
    case 'v':
      return query(whole);
    case 'c': // with arguments that are none
    case 's':
    case 'C':
    case 'S':
      return kBad;
    default:
      return "";
  }
}

GdbServer::Answer GdbServer::query(std::string_view packet) {
  if (take_word(packet, "qSupported")) {
    char text[128];
    std::snprintf(text, sizeof text, "PacketSize=%zx;qXfer:features:read+;QStartNoAckMode+;vContSupported+",
                  GdbPackets::kLongest);
    return text;
  }
  if (packet == "QStartNoAckMode") return "OK";
  if (packet == "vCont?") return "vCont;c;C;s;S;r";
  if (take_word(packet, "vCont")) return kBad;
  if (take_word(packet, "qAttached")) return "1";
  if (packet == "qC") return "QC1";
  if (packet == "qfThreadInfo") return "m1";
  if (packet == "qsThreadInfo") return "l";
  if (take_word(packet, "qSymbol")) return "OK";
  if (take_word(packet, "qRcmd,")) return monitor(packet);
  if (take_word(packet, "qXfer:features:read:target.xml:")) {
    std::uint32_t begin = 0;
    std::uint32_t bytes = 0;
    if (!take_range(packet, begin, bytes)) return kBad;
    const std::string text = target_description();
    if (begin >= text.size()) return "l";
    return (text.size() - begin > bytes ? "m" : "l") + text.substr(begin, bytes);
  }
  if (take_word(packet, "qXfer:")) return "E00";
  return "";
}

GdbServer::Answer GdbServer::read_registers() const {
  std::string text;
  for (unsigned r = 0; r < DebugTarget::kRegisters; ++r) text += hex_word(target_.reg(r));
  return text;
}

GdbServer::Answer GdbServer::write_registers(std::string_view packet) {
  const auto bytes = from_hex(packet);
  if (!bytes || bytes->size() != std::size_t{4} * DebugTarget::kRegisters) return kBad;
  for (unsigned r = 0; r < DebugTarget::kRegisters; ++r) {
    const std::uint32_t value = word_at(*bytes, std::size_t{4} * r);
    if (value != target_.reg(r)) target_.set_reg(r, value);
  }
  return "OK";
}

GdbServer::Answer GdbServer::read_register(std::string_view packet) const {
  const auto number = take_number(packet);
  if (!number || *number >= DebugTarget::kRegisters) return kBad;
  return hex_word(target_.reg(*number));
}

GdbServer::Answer GdbServer::write_register(std::string_view packet) {
  const auto number = take_number(packet);
  if (!number || *number >= DebugTarget::kRegisters || !take_word(packet, "=")) return kBad;
  const auto bytes = from_hex(packet);
  if (!bytes || bytes->size() != 4) return kBad;
  target_.set_reg(*number, word_at(*bytes, 0));
  return "OK";
}

GdbServer::Answer GdbServer::read_memory(std::string_view packet) {
  std::uint32_t address = 0;
  std::uint32_t bytes = 0;
  if (!take_range(packet, address, bytes) || !packet.empty() || bytes > GdbPackets::kLongest / 2) return kBad;
  std::vector<std::uint8_t> data(bytes);
  if (bytes != 0 && !target_.read(address, data.data(), data.size())) return kBad;
  return to_hex(data.data(), data.size());
}

GdbServer::Answer GdbServer::write_memory(std::string_view packet) {
  std::uint32_t address = 0;
  std::uint32_t bytes = 0;
  if (!take_range(packet, address, bytes) || !take_word(packet, ":")) return kBad;
  const auto data = from_hex(packet);
  if (!data || data->size() != bytes || !target_.write(address, data->data(), data->size())) return kBad;
  return "OK";
}

/// "KIND,ADDRESS,BYTES": 0 and 1 are breakpoints, which are the same here, 2 to 4 watchpoints.
GdbServer::Answer GdbServer::change_point(std::string_view packet, bool insert) {
  const auto kind = take_number(packet);
  DebugPoint point;
  if (!kind || !take_word(packet, ",") || !take_range(packet, point.address, point.bytes)) return kBad;
  if (*kind > 4) return "";
  point.kind = *kind < 2 ? PointKind::code : static_cast<PointKind>(*kind - 1);
  if (!insert) {
    target_.remove(point);
    return "OK";
  }
  return target_.insert(point) ? "OK" : kBad;
}

GdbServer::Answer GdbServer::monitor(std::string_view hex) {
  const auto command = from_hex(hex);
  if (!command) return kBad;
  const std::string text = target_.monitor(*command);
  constexpr std::size_t kPart = GdbPackets::kLongest / 2 - 1;
  for (std::size_t at = 0; at < text.size(); at += kPart) {
    const std::string part = text.substr(at, kPart);
    send("O" + to_hex(part.data(), part.size()));
  }
  return "OK";
}

} // namespace twinplane::platform
