#include "platform/trace/trace_writer.h"

#include <algorithm>
#include <array>
#include <boost/iostreams/device/back_inserter.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <ostream>
#include <string>
#include <string_view>

#include "platform/config/error.h"
#include "platform/config/output_file.h"

namespace twinplane::platform {
namespace io = boost::iostreams;
namespace {

constexpr std::uint64_t kSector = 512;
constexpr std::uint64_t kFiletimeOfFirst = 128166372000000000; // 2007-02-22 17:00 UTC, as in the MSR traces

struct Line {
  std::ostream& out;
  const IoRecord& record;
  unsigned device;
};

/// Each returns false when the format cannot express the record.
bool write_msr(const Line& line) {
  const IoRecord& r = line.record;
  if (r.op != IoOp::read && r.op != IoOp::write) return false;
  line.out << kFiletimeOfFirst + r.arrival_ns / 100 << ",trace," << line.device << ','
           << (r.op == IoOp::read ? "Read" : "Write") << ',' << r.offset << ',' << r.length << ",0\n";
  return true;
}

bool write_ssdsim(const Line& line) {
  const IoRecord& r = line.record;
  if (r.op != IoOp::read && r.op != IoOp::write) return false;
  const std::uint64_t first = r.offset / kSector;
  const std::uint64_t end = (r.offset + r.length + kSector - 1) / kSector;
  line.out << r.arrival_ns << ' ' << line.device << ' ' << first << ' ' << end - first << ' '
           << (r.op == IoOp::read ? 1 : 0) << '\n';
  return true;
}

bool write_columns(const Line& line) {
  constexpr std::array<std::string_view, 4> kNames{"read", "write", "trim", "flush"};
  const IoRecord& r = line.record;
  line.out << r.arrival_ns << ',' << kNames[static_cast<std::size_t>(r.op)] << (r.fua ? "_fua" : "") << ','
           << r.offset << ',' << r.length << ',' << line.device << '\n';
  return true;
}

struct Writer {
  std::string_view name;
  std::string_view header;
  bool (*write)(const Line&);
  bool has_fua;
};

constexpr std::array<Writer, 3> kWriters{
    {{"msr", "", write_msr, false},
     {"ssdsim", "", write_ssdsim, false},
     {"columns", "time_ns,op,offset,size,device\n", write_columns, true}}};

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// A file that is packed as its name says. Boost's chain ends in memory: it never gives up on a full disk.
class PackedFile {
 public:
  explicit PackedFile(const std::string& path) : file_(path) {
    if (ends_with(path, ".gz")) stream_.push(io::gzip_compressor());
    if (ends_with(path, ".zst")) stream_.push(io::zstd_compressor());
    stream_.push(io::back_inserter(packed_));
  }

  std::ostream& stream() { return stream_; }

  /// To be called now and then: what is packed leaves memory.
  void pass_on() {
    if (packed_.size() < kPassedOn) return;
    file_.write(packed_);
    packed_.clear();
  }
  void complete() {
    stream_.reset();
    file_.write(packed_);
    file_.commit();
  }

 private:
  static constexpr std::size_t kPassedOn = std::size_t{1} << 16;

  OutputFile file_;
  std::string packed_;
  io::filtering_ostream stream_;
};

/// A name must not say that the file is packed otherwise than it is.
void require_packing(const std::string& path) {
  for (const char* end : {".bz2", ".xz", ".lzma", ".lz4", ".zip", ".7z", ".Z"}) {
    if (!ends_with(path, end)) continue;
    throw InputError(path + ": traces are not written in the packing of " + end +
                     " files: expected a name that ends with .gz or .zst, or one of a plain file");
  }
}

} // namespace

WriteReport write_trace(IoSource& source, const TraceOutput& output) {
  const auto* writer = std::find_if(kWriters.begin(), kWriters.end(),
                                    [&](const Writer& w) { return w.name == output.format; });
  if (writer == kWriters.end()) {
    throw InputError("trace output format: expected msr, ssdsim or columns, got '" + output.format + "'");
  }
  require_packing(output.path);
  PackedFile file(output.path);
  file.stream() << writer->header;
  WriteReport report;
  IoRecord record;
  while (source.next(record)) {
    const bool written = writer->write({file.stream(), record, output.keep_devices ? record.device : 0u});
    ++(written ? report.written : report.left_out);
    report.fua_lost += written && record.fua && !writer->has_fua ? 1 : 0;
    file.pass_on();
  }
  if (report.written == 0) {
    throw InputError(output.path + ": not written: format " + output.format + " can express none of the " +
                     std::to_string(report.left_out) +
                     " requests, which are trims and flushes; expected "
                     "columns (--to columns)");
  }
  file.complete();
  return report;
}

} // namespace twinplane::platform
