#include "platform/session/drive_monitor.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

#include "hw/nand/rules.h"
#include "hw/spec/registers.h"
#include "platform/report/number_text.h"

namespace twinplane::platform {
namespace {

constexpr std::size_t kRefusals = 32;

[[gnu::format(printf, 1, 2)]] std::string text(const char* format, ...) {
  char buffer[256];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(buffer, sizeof buffer, format, arguments);
  va_end(arguments);
  return buffer;
}

std::string time_text(TimePs at) {
  std::string out;
  append_us(out, at);
  return out + " us";
}

unsigned long long ull(std::uint64_t value) {
  return value;
}

constexpr const char* kStates[] = {"idle", "reading", "programming", "erasing", "resetting"};
constexpr const char* kSequenceNames[] = {"", "read", "program", "erase", "data out", "status"};

} // namespace

DriveMonitor::DriveMonitor(Ssd& ssd)
    : ssd_(ssd), geometry_(ssd.config().geometry), planes_(geometry_.planes()) {
  ssd.attach(static_cast<hw::NandObserver&>(*this));
  ssd.attach(static_cast<hw::BusObserver&>(*this));
}

std::string DriveMonitor::answer(const std::string& command) const {
  struct Command {
    const char* name;
    const char* meaning;
    std::string (DriveMonitor::*show)() const;
  };
  static constexpr Command kCommands[] = {
      {"queues", "the host's queues", &DriveMonitor::queues},
      {"rings", "command ring, DMA ring and the rings of the flash controllers", &DriveMonitor::rings},
      {"dies", "what each die does, and has had", &DriveMonitor::dies},
      {"planes", "the state of each plane", &DriveMonitor::planes},
      {"refused", "who has refused what", &DriveMonitor::refused},
  };
  const std::string word = command.substr(0, command.find(' '));
  for (const Command& c : kCommands) {
    if (word == c.name && word.size() == command.size())
      return "at " + time_text(now()) + "\n" + (this->*c.show)();
  }
  std::string out = word == "help" ? "" : "no such command: " + command + "\n";
  for (const Command& c : kCommands) out += text("monitor %-8s %s\n", c.name, c.meaning);
  return out + "monitor help     this\n";
}

// --- what happens ---

std::size_t DriveMonitor::plane_number(std::uint32_t channel, const hw::ArrayOperation& o) const {
  return std::size_t{geometry_.die_index(channel, o.chip, o.lun)} * geometry_.planes_per_die + o.plane;
}

void DriveMonitor::on_array(std::uint32_t channel, const hw::ArrayOperation& operation) {
  Plane& plane = planes_[plane_number(channel, operation)];
  plane.newest[0] = plane.newest[1];
  plane.newest[1] = operation;
}

void DriveMonitor::on_array_change(std::uint32_t channel, hw::ArrayChange change,
                                   const hw::ArrayOperation& operation) {
  Plane& plane = planes_[plane_number(channel, operation)];
  for (hw::ArrayOperation& known : plane.newest) {
    if (known.state != operation.state || known.block != operation.block) continue;
    if (known.end > operation.start) known.end = operation.start;
  }
  plane.suspended = change == hw::ArrayChange::suspended;
  if (change == hw::ArrayChange::resumed) on_array(channel, operation);
}

void DriveMonitor::on_violation(std::uint32_t channel, const hw::Violation& v) {
  if (refused_.size() == kRefusals) refused_.pop_front();
  refused_.push_back({v.time, channel, v.chip, v.lun, v.rule, ""});
}

void DriveMonitor::on_tenure(std::uint32_t channel, std::uint32_t chip, const hw::OnfiTenure& tenure, TimePs,
                             TimePs) {
  if (refused_.empty() || !refused_.back().command.empty()) return;
  for (Refused& r : refused_) {
    if (r.command.empty() && r.channel == channel && r.chip == chip) r.command = words_of(tenure);
  }
}

void DriveMonitor::on_functional(std::uint32_t channel, std::uint32_t chip, const hw::OnfiTenure& tenure) {
  on_tenure(channel, chip, tenure, 0, 0);
}

std::string DriveMonitor::words_of(const hw::OnfiTenure& tenure) const {
  std::string out = kSequenceNames[static_cast<std::size_t>(tenure.sequence)];
  if (tenure.sequence == hw::Sequence::raw) {
    for (std::uint32_t p = 0; p < tenure.phase_count; ++p) {
      if (tenure.phases[p].kind == hw::PhaseKind::command)
        out += text(" %02xh", unsigned{tenure.phases[p].opcode});
    }
    return "cycles" + out;
  }
  const RowLayout rows(geometry_);
  for (std::uint32_t p = 0; p < tenure.plane_count; ++p) {
    const std::uint32_t row = tenure.planes[p].row;
    out += text("%s plane %u block %u page %u", p == 0 ? "" : ",", rows.plane(row), rows.block(row),
                rows.page(row));
  }
  return out;
}

// --- what is shown ---

std::string DriveMonitor::queues() const {
  std::string out = "queue  entries   head   tail  waiting\n";
  for (const hw::QueueLevel& q : ssd_.front_end().queue_levels()) {
    out += text("%s%-4u %8u %6u %6u %8u", q.submission ? "SQ" : "CQ", q.id, q.entries, q.head, q.tail,
                q.waiting);
    out += q.submission ? text("  completed to CQ%u\n", q.completion) : "\n";
  }
  const hw::FrontEndStatistics s = ssd_.front_end().statistics();
  return out + text("%llu commands fetched, %llu completed\n", ull(s.fetched), ull(s.completed));
}

std::string DriveMonitor::value_of(std::uint32_t address) const {
  std::uint32_t value = 0;
  return ssd_.look_at_register(address, value) ? std::to_string(value) : "?";
}

/// Its descriptors end in their order, at times that are known when they are announced.
std::string DriveMonitor::dma_ring() const {
  std::uint32_t tail = 0;
  if (!ssd_.look_at_register(reg::kHostBase + reg::host::dma_tail, tail)) return "";
  std::uint32_t head = tail;
  while (head != 0 && ssd_.front_end().fence->done_at(head) > now()) --head;
  return text("%-14s %9s %10u %10u\n", "DMA", value_of(reg::kHostBase + reg::host::dma_size).c_str(), head,
              tail);
}

std::string DriveMonitor::rings() const {
  namespace host = reg::host;
  namespace flash = reg::flash;
  std::string out = "ring             entries       head       tail\n";
  const auto row = [&](const std::string& name, std::uint32_t size, std::uint32_t head, std::uint32_t tail) {
    out += text("%-14s %9s %10s %10s\n", name.c_str(), value_of(size).c_str(), value_of(head).c_str(),
                value_of(tail).c_str());
  };
  row("commands", reg::kHostBase + host::command_size, reg::kHostBase + host::command_head,
      reg::kHostBase + host::command_tail);
  out += dma_ring();
  for (std::uint32_t c = 0; c < geometry_.channels; ++c) {
    const std::uint32_t base = reg::kFlashBase + c * reg::kFlashStride;
    row("flash " + std::to_string(c), base + flash::submission_size, base + flash::submission_head,
        base + flash::doorbell);
    out += text("  completions  %9s %10s %10s\n", value_of(base + flash::completion_size).c_str(), "",
                value_of(base + flash::completion_tail).c_str());
  }
  return out;
}

const hw::ArrayOperation* DriveMonitor::running(const Plane& plane) const {
  const TimePs at = now();
  for (const hw::ArrayOperation& o : plane.newest) {
    if (o.start <= at && at < o.end) return &o;
  }
  return nullptr;
}

std::string DriveMonitor::name_of_die(std::size_t die) const {
  const std::size_t per_channel = geometry_.dies_per_channel();
  return text("ch%zu chip%zu lun%zu", die / per_channel, die % per_channel / geometry_.dies_per_chip,
              die % geometry_.dies_per_chip);
}

std::string DriveMonitor::dies() const {
  std::string out = "die                state         planes  until            busy so far\n";
  for (std::size_t die = 0; die < geometry_.dies(); ++die) {
    std::uint32_t busy = 0;
    hw::PlaneState state = hw::PlaneState::idle;
    TimePs until = 0;
    for (std::uint32_t p = 0; p < geometry_.planes_per_die; ++p) {
      const hw::ArrayOperation* const o = running(planes_[die * geometry_.planes_per_die + p]);
      if (o == nullptr) continue;
      ++busy;
      state = o->state;
      until = std::max(until, o->end);
    }
    const hw::PackageBlock& package = *ssd_.packages()[die / geometry_.dies_per_chip];
    const hw::DieStatistics& s = package.statistics().dies[die % geometry_.dies_per_chip];
    out += text("%-18s %-13s %u of %u  %-16s %s\n", name_of_die(die).c_str(),
                kStates[static_cast<std::size_t>(state)], busy, geometry_.planes_per_die,
                busy == 0 ? "" : time_text(until).c_str(), time_text(s.busy).c_str());
  }
  return out;
}

std::string DriveMonitor::planes() const {
  std::string out = "plane                     state        block  page  until\n";
  for (std::size_t i = 0; i < planes_.size(); ++i) {
    const std::string name =
        name_of_die(i / geometry_.planes_per_die) + text(" plane%zu", i % geometry_.planes_per_die);
    const hw::ArrayOperation* const o = running(planes_[i]);
    if (o == nullptr) {
      out += text("%-25s %s\n", name.c_str(), planes_[i].suspended ? "suspended" : "idle");
      continue;
    }
    const std::string page = o->state == hw::PlaneState::erasing ? "" : std::to_string(o->page);
    out += text("%-25s %-11s %6u %5s  %s\n", name.c_str(), kStates[static_cast<std::size_t>(o->state)],
                o->block, page.c_str(), time_text(o->end).c_str());
  }
  return out;
}

std::string DriveMonitor::refused() const {
  std::string out;
  for (std::size_t p = 0; p < ssd_.packages().size(); ++p) {
    const hw::NandStatistics& s = ssd_.packages()[p]->statistics();
    for (std::size_t rule = 0; rule < hw::kRules; ++rule) {
      if (s.violations[rule] == 0) continue;
      out += text("%s has refused %llu commands by the rule %s\n", ssd_.packages()[p]->name(),
                  ull(s.violations[rule]), hw::kRuleNames[rule]);
    }
  }
  for (const auto& controller : ssd_.controllers()) {
    const hw::FlashControllerStatistics& s = controller->statistics();
    if (s.rejected_descriptors != 0)
      out += text("%s has rejected %llu descriptors\n", controller->name(), ull(s.rejected_descriptors));
    if (s.errors != 0)
      out += text("%s has set its error register %llu times\n", controller->name(), ull(s.errors));
  }
  const hw::FrontEndStatistics s = ssd_.front_end().statistics();
  const char* const front_end = ssd_.front_end().name();
  if (s.bad_doorbells != 0)
    out += text("%s has refused %llu doorbells of the host\n", front_end, ull(s.bad_doorbells));
  if (s.firmware_faults != 0)
    out += text("%s has refused %llu DMA descriptors of the firmware\n", front_end, ull(s.firmware_faults));
  if (!refused_.empty()) out += "the newest refusals of dies:\n";
  for (const Refused& r : refused_) {
    out += text("  %s ch%u chip%u lun%u %s: ", time_text(r.at).c_str(), r.channel, r.chip, r.lun, r.rule);
    out += r.command + "\n";
  }
  return out.empty() ? "nothing has been refused\n" : out;
}

} // namespace twinplane::platform
