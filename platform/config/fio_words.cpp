#include "platform/config/fio_words.h"

#include <algorithm>
#include <array>

namespace twinplane::platform {
namespace {

constexpr std::string_view kSection = "workload.";

struct Answer {
  std::string_view word;
  const char* instead;
};

constexpr std::array<Answer, 22> kKeys{
    {{"io_size", "workload.number_ios (requests instead of bytes: io_size / bs)"},
     {"number_of_ios", "workload.number_ios"},
     {"numjobs",
      "a larger workload.iodepth: there is one job, which keeps as many requests in flight as all of fio's"},
     {"loops", "host.rounds (or --rounds)"},
     {"norandommap", "workload.randommap = false, which is the default"},
     {"thinktime_spin", "workload.thinktime: the host's processor is not modelled"},
     {"rate", "workload.rate_iops (requests per second: rate / bs)"},
     {"ioengine", "nothing: requests go straight to the drive's queues"},
     {"direct", "nothing: there is no page cache, all requests are direct"},
     {"filename", "nothing: the drive is the file"},
     {"sync", "write cache settings of the drive (ftl.write_ack) or workload.fsync"},
     {"fdatasync", "workload.fsync"},
     {"randseed", "workload.seed (or --seed)"},
     {"ramp_time", "workload.ramp_ios (requests instead of time)"},
     {"blocksize", "workload.bs"},
     {"ba", "workload.blockalign"},
     {"bsrange", "workload.bssplit"},
     {"readwrite", "workload.rw"},
     {"read_iolog", "--trace FILE"},
     {"replay_time_scale", "--time-scale of profiles, or host.mode = \"closed\""},
     {"number_jobs", "a larger workload.iodepth"},
     {"group_reporting", "nothing: there is one job"}}};

bool strip_section(std::string_view& key) {
  if (key.substr(0, kSection.size()) != kSection) return false;
  key.remove_prefix(kSection.size());
  return true;
}

bool is_number(const Literal& value) {
  if (value.type == Literal::Type::integer) return true;
  return value.type == Literal::Type::text && !value.text.empty() &&
         std::all_of(value.text.begin(), value.text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string text_of(const Literal& value) {
  return value.type == Literal::Type::integer ? std::to_string(value.integer) : value.text;
}

/// "4k,16k" as the bssplit that means the same: reads, writes, trims.
std::string as_bssplit(const std::string& sizes) {
  std::string split;
  for (const char c : sizes) split += c == ',' ? std::string("/100,") : std::string(1, c);
  return "workload.bssplit = \"" + split + "/100\"";
}

} // namespace

std::string instead_of_fio_key(std::string_view key, const Literal& value) {
  if (!strip_section(key)) return "";
  if (key == "rwmixwrite") {
    if (value.type != Literal::Type::integer || value.integer < 0 || value.integer > 100)
      return "workload.rwmixread (100 - rwmixwrite)";
    return "workload.rwmixread = " + std::to_string(100 - value.integer);
  }
  for (const Answer& answer : kKeys) {
    if (answer.word == key) return answer.instead;
  }
  return "";
}

std::string instead_of_fio_value(std::string_view key, const Literal& value) {
  if (!strip_section(key)) return "";
  const bool text = value.type == Literal::Type::text;
  const std::string written = text_of(value);
  if (key == "bs" && text && written.find(',') != std::string::npos) return as_bssplit(written);
  if (is_number(value)) {
    if (key == "bs" || key == "size" || key == "offset" || key == "blockalign")
      return "workload." + std::string(key) + " = \"" + written + "B\" (fio counts bytes)";
    if (key == "thinktime") return "workload.thinktime = \"" + written + "us\" (fio counts microseconds)";
  }
  if ((key == "size" || key == "offset") && text && !written.empty() && written.back() == '%') {
    return "that share of the exported capacity in bytes, which `twinplane check` prints";
  }
  if (key == "rw" && (written == "trimwrite" || written == "randtrimwrite")) {
    return "workload.rw = \"rw\" or \"randrw\" with workload.rwmixtrim; a trim and a write of the same block "
           "one behind the other can be had with --trace alone";
  }
  return "";
}

} // namespace twinplane::platform
