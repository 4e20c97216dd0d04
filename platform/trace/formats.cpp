#include "platform/trace/formats.h"

#include <algorithm>
#include <cctype>

#include "platform/config/error.h"
#include "platform/config/foreign_files.h"
#include "platform/trace/column_map.h"
#include "platform/trace/fields.h"
#include "platform/trace/line_reader.h"
#include "platform/trace/trace_writer.h"

namespace twinplane::platform {
namespace {

using Lines = std::vector<std::string>;

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Field classes: i integer, f number with or without a point, F number with a point, o 0 or 1, r R or W,
/// b R, W or nothing, w Read or Write, * anything.
bool is_of_class(std::string_view text, char field_class) {
  switch (field_class) {
    case 'i':
      return all_digits(text);
    case 'o':
      return text == "0" || text == "1";
    case 'r':
      return same_word(text, "R") || same_word(text, "W");
    case 'b':
      return text.empty() || same_word(text, "R") || same_word(text, "W");
    case 'w':
      return same_word(text, "Read") || same_word(text, "Write");
    case '*':
      return true;
    default:
      break;
  }
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos) return field_class == 'f' && all_digits(text);
  return all_digits(text.substr(0, point)) && all_digits(text.substr(point + 1));
}

bool row_matches(const Fields& fields, std::string_view pattern, bool more) {
  if (fields.count < pattern.size() || (!more && fields.count > pattern.size())) return false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (!is_of_class(fields.at[i], pattern[i])) return false;
  }
  return true;
}

/// The lines have the classes of `pattern`; more fields only when it ends with '+'. One line in eight may be
/// malformed, for the parser to complain about by its number.
bool rows_match(const Lines& lines, Separator separator, std::string_view pattern) {
  const bool more = pattern.back() == '+';
  if (more) pattern.remove_suffix(1);
  std::size_t matching = 0;
  Fields fields;
  for (const std::string& line : lines) {
    split(line, separator, fields);
    matching += row_matches(fields, pattern, more) ? 1 : 0;
  }
  return matching > 0 && lines.size() - matching <= lines.size() / 8;
}

bool rows_match_after_header(const Lines& lines, Separator separator, std::string_view pattern) {
  if (lines.empty()) return false;
  const std::size_t first = lines[0][0] == '"' ? 1 : 0;
  const bool header =
      lines[0].size() > first && std::isalpha(static_cast<unsigned char>(lines[0][first])) != 0;
  return rows_match(header ? Lines(lines.begin() + 1, lines.end()) : lines, separator, pattern);
}

bool column_is_multiple_of_512(const Lines& lines, std::size_t column) {
  Fields fields;
  return std::all_of(lines.begin(), lines.end(), [&](const std::string& line) {
    split(line, Separator::blanks, fields);
    std::uint64_t value = 0;
    return parse_integer(fields.at[column], value) && value % 512 == 0;
  });
}

bool is_fio(const Lines& lines) {
  return lines[0].rfind("fio version ", 0) == 0;
}

bool is_own_csv(const Lines& lines) {
  return trim(lines[0]) == "time_ns,op,offset,size,device";
}

bool is_xperf(const Lines& lines) {
  return trim(lines[0]) == "BeginHeader";
}

bool is_blkparse(const Lines& lines) {
  Fields fields;
  split(lines[0], Separator::blanks, fields, 7);
  const std::size_t comma = fields.at[0].find(',');
  return fields.count == 7 && comma != std::string_view::npos && all_digits(fields.at[0].substr(0, comma)) &&
         is_of_class(fields.at[3], 'F');
}

/// Headings of trace-cmd and perf, and other events, may come first.
bool is_ftrace(const Lines& lines) {
  return std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    return line.find("block_rq_issue: ") != std::string::npos ||
           line.find("block_bio_queue: ") != std::string::npos;
  });
}

bool is_msr(const Lines& lines) {
  return rows_match_after_header(lines, Separator::comma, "i*iwiif+");
}
bool is_systor17(const Lines& lines) {
  return rows_match_after_header(lines, Separator::comma, "F*biii");
}
bool is_spc(const Lines& lines) {
  return rows_match(lines, Separator::comma, "iiirf+");
}
bool is_alibaba(const Lines& lines) {
  return rows_match_after_header(lines, Separator::comma, "iriii");
}
bool is_tencent(const Lines& lines) {
  return rows_match_after_header(lines, Separator::comma, "iiioi");
}
bool is_flashnet(const Lines& lines) {
  return rows_match(lines, Separator::comma, "ffoiifi");
}
bool is_biotracer(const Lines& lines) {
  return rows_match(lines, Separator::blanks, "iiiiFFFF");
}
bool is_fiu(const Lines& lines) {
  return rows_match(lines, Separator::blanks, "ii*iirii+");
}

bool is_heimdall(const Lines& lines) {
  return rows_match(lines, Separator::blanks, "Fiiio") && column_is_multiple_of_512(lines, 2) &&
         column_is_multiple_of_512(lines, 3);
}

bool is_flashsim(const Lines& lines) {
  return rows_match(lines, Separator::tab, "Fiiio");
}
bool is_disksim(const Lines& lines) {
  return rows_match(lines, Separator::blanks, "Fiiii");
}
bool is_ssdsim(const Lines& lines) {
  return rows_match(lines, Separator::blanks, "iiiio+");
}

std::string known_names() {
  std::string names;
  for (const TraceFormat& format : trace_formats())
    names += (names.empty() ? "" : ", ") + std::string(format.name);
  return names;
}

constexpr std::size_t kSampleLines = 64;

Lines first_lines(const std::string& path) {
  LineReader reader(path);
  Lines lines;
  std::string_view line;
  while (lines.size() < kSampleLines && reader.next(line)) {
    const std::string_view text = trim(line);
    if (!text.empty() && text[0] != '#') lines.emplace_back(line);
  }
  return lines;
}

} // namespace

const std::vector<TraceFormat>& trace_formats() {
  static const std::vector<TraceFormat> formats{
      {"twinplane", "what trace convert --to columns writes: time_ns,op,offset,size,device", kColumnsOfCsv,
       nullptr, is_own_csv},
      {"fio", "fio iolog version 2 and 3, times in us", "", make_fio_parser, is_fio},
      {"xperf", "Microsoft Production Server: xperf CSV with BeginHeader .. EndHeader", "", make_xperf_parser,
       is_xperf},
      {"blkparse", "blkparse text, one action (D or Q)", "", make_blkparse_parser, is_blkparse},
      {"ftrace", "ftrace, trace-cmd or perf script text: block_rq_issue (D) or block_bio_queue (Q)", "",
       make_ftrace_parser, is_ftrace},
      {"msr", "MSR Cambridge CSV (SNIA IOTTA 387): FILETIME,host,disk,Read|Write,bytes,bytes,response",
       "time=0:filetime,device=1+2,op=3:Read/R|Write/W,offset=4:bytes,size=5:bytes", nullptr, is_msr},
      {"systor17", "SYSTOR '17 CSV (SNIA IOTTA 4928): s,response,R|W,LUN,bytes,bytes",
       "time=0:s,op=2:R|W,device=3,offset=4:bytes,size=5:bytes,blank-op=ignore", nullptr, is_systor17},
      {"spc", "SPC (UMass Financial, WebSearch): ASU,sector,bytes,R|W,s",
       "device=0,offset=1:sectors,size=2:bytes,op=3:R|W,time=4:s", nullptr, is_spc},
      {"alibaba", "Alibaba cloud CSV: device,R|W,bytes,bytes,us",
       "device=0,op=1:R|W,offset=2:bytes,size=3:bytes,time=4:us", nullptr, is_alibaba},
      {"tencent", "Tencent CBS CSV: s,sector,sectors,0 read|1 write,volume",
       "time=0:s,offset=1:sectors,size=2:sectors,op=3:0|1,device=4", nullptr, is_tencent},
      {"flashnet", "FlashNet replay log: ms,latency,1 read|0 write,bytes size,bytes offset,...",
       "time=0:ms,op=2:1|0,size=3:bytes,offset=4:bytes", nullptr, is_flashnet},
      {"biotracer", "BIOtracer phone log: sector sectors bytes flags(odd = write) insert s ...",
       "offset=0:sectors,size=1:sectors,op=3:even|odd,time=4:s,sep=blanks", nullptr, is_biotracer},
      {"fiu", "FIU: ns pid process sector sectors R|W major minor md5",
       "time=0:ns,offset=3:sectors,size=4:sectors,op=5:R|W,device=6+7,sep=blanks", nullptr, is_fiu},
      {"heimdall", "replayer/Heimdall: ms disk bytes bytes 1 read|0 write",
       "time=0:ms,device=1,offset=2:bytes,size=3:bytes,op=4:1|0,sep=blanks", nullptr, is_heimdall},
      {"flashsim4k", "FlashSim with 4 KiB units: ms device sector 4KiB-units 1 read|0 write, tabs",
       "time=0:ms,device=1,offset=2:sectors,size=3:pages,op=4:1|0,sep=blanks", nullptr, is_flashsim},
      {"disksim", "DiskSim ascii: ms device sector sectors flags(odd = read)",
       "time=0:ms,device=1,offset=2:sectors,size=3:sectors,op=4:odd|even,sep=blanks", nullptr, is_disksim},
      {"ssdsim", "SSDSim ascii: ns device sector sectors 1 read|0 write",
       "time=0:ns,device=1,offset=2:sectors,size=3:sectors,op=4:1|0,sep=blanks", nullptr, is_ssdsim},
      {"mqsim", "MQSim ascii: as ssdsim, the unit of time is the workload file's (default ns)",
       "time=0:ns,device=1,offset=2:sectors,size=3:sectors,op=4:1|0,sep=blanks", nullptr, nullptr},
  };
  return formats;
}

const TraceFormat& find_trace_format(std::string_view name) {
  for (const TraceFormat& format : trace_formats()) {
    if (format.name == name) return format;
  }
  throw InputError("trace format: expected auto, columns or one of " + known_names() + ", got '" +
                   std::string(name) + "'");
}

namespace {

const TraceFormat* format_of(const Lines& lines) {
  for (const TraceFormat& format : trace_formats()) {
    if (format.looks_like != nullptr && format.looks_like(lines)) return &format;
  }
  return nullptr;
}

/// Of a file that is too short for a malformed line among eight: the parser complains about it by its number.
const TraceFormat* format_but_for_one_line(const Lines& lines) {
  for (std::size_t left_out = lines.size(); left_out-- > 0 && lines.size() > 1;) {
    Lines others = lines;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(left_out));
    if (const TraceFormat* format = format_of(others)) return format;
  }
  return nullptr;
}

} // namespace

const TraceFormat& detect_trace_format(const std::string& path) {
  const Lines lines = first_lines(path);
  if (lines.empty()) throw InputError(path + ": expected a trace, got no lines");
  if (const TraceFormat* format = format_of(lines)) return *format;
  if (const TraceFormat* format = format_but_for_one_line(lines)) return *format;
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  if (const std::string foreign = foreign_file(text); !foreign.empty())
    throw InputError(path + ": expected a trace: " + foreign);
  throw InputError(path + ": the first lines are of no known format; name it (" + known_names() +
                   ") or describe its columns. First line: '" + lines[0].substr(0, 80) + "'");
}

const TimeUnit& require_time_unit(const std::string& name) {
  const TimeUnit* unit = find_time_unit(name);
  if (unit == nullptr) {
    throw InputError("time unit: expected s, ms, us, ns, ps or filetime, got '" + name + "'");
  }
  return *unit;
}

std::unique_ptr<RecordParser> make_parser(const TraceFormat& format, const ParserOptions& options) {
  if (format.make != nullptr) return format.make(options);
  ColumnMap map = parse_column_map(format.columns);
  if (!options.time_unit.empty()) map.time_unit = require_time_unit(options.time_unit);
  return make_column_parser(std::move(map));
}

} // namespace twinplane::platform
