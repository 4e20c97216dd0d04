#include "platform/report/request_log.h"

#include "platform/report/number_text.h"

namespace twinplane::platform {
namespace {

constexpr std::size_t kFlushBytes = std::size_t{1} << 16;
constexpr const char* kOpNames[] = {"read", "write", "trim", "flush"};

} // namespace

RequestLog::RequestLog(const std::filesystem::path& path) : file_(path) {
  lines_ = "op,offset_bytes,length_bytes,submitted_ns,completed_ns,latency_ns,of_ramp\n";
}

void RequestLog::add(const Entry& entry) {
  lines_.append(kOpNames[static_cast<std::uint32_t>(entry.op)]).push_back(',');
  append(lines_, entry.offset);
  lines_.push_back(',');
  append(lines_, entry.length);
  for (const TimePs time : {entry.submitted, entry.completed, entry.completed - entry.submitted}) {
    lines_.push_back(',');
    append_ns(lines_, time);
  }
  lines_ += entry.of_ramp ? ",1\n" : ",0\n";
  if (lines_.size() >= kFlushBytes) flush();
}

void RequestLog::flush() {
  compressor_.write(lines_);
  lines_.clear();
  file_.write(packed_);
  packed_.clear();
}

void RequestLog::commit() {
  flush();
  compressor_.end_frame();
  file_.write(packed_);
  file_.commit();
}

} // namespace twinplane::platform
