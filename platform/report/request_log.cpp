#include "platform/report/request_log.h"

#include <boost/iostreams/device/back_inserter.hpp>
#include <boost/iostreams/filter/zstd.hpp>

#include "platform/report/number_text.h"

namespace twinplane::platform {
namespace {

constexpr std::size_t kFlushBytes = std::size_t{1} << 16;
constexpr const char* kOpNames[] = {"read", "write", "trim", "flush"};

} // namespace

RequestLog::RequestLog(const std::filesystem::path& path) : file_(path) {
  // Compressed into memory, not straight into a file: Boost's chain never gives up on a full disk.
  compressor_.push(boost::iostreams::zstd_compressor(boost::iostreams::zstd_params(3)));
  compressor_.push(boost::iostreams::back_inserter(packed_));
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
  compressor_.write(lines_.data(), static_cast<std::streamsize>(lines_.size()));
  lines_.clear();
  file_.write(packed_);
  packed_.clear();
}

void RequestLog::commit() {
  flush();
  compressor_.reset(); // writes the end of the zstd frame
  file_.write(packed_);
  file_.commit();
}

} // namespace twinplane::platform
