#include "platform/report/progress.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <string>
#include <utility>

#include "platform/report/number_text.h"

namespace twinplane::platform {
namespace {

double machine_clock() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

} // namespace

Progress Progress::on_stderr(std::uint64_t total, const std::string& of_what) {
  Options options;
  options.terminal = ::isatty(STDERR_FILENO) == 1;
  options.total = total;
  options.of_what = of_what;
  return Progress(std::cerr, options, machine_clock);
}

Progress::Progress(std::ostream& out, const Options& options, WallClock clock)
    : out_(out), options_(options), clock_(std::move(clock)), start_(clock_()), last_look_(start_) {
  if (options_.interval_s <= 0) options_.interval_s = options_.terminal ? 0.1 : 10;
  next_report_ = start_ + options_.interval_s;
}

void Progress::look(std::uint64_t done, TimePs simulated) {
  const double now = clock_();
  // Look often enough for the interval, seldom enough to cost nothing: aim at a quarter of it.
  const double wanted = options_.interval_s / 4;
  if (now - last_look_ < wanted / 2) {
    step_ = std::min<std::uint64_t>(step_ * 2, 1u << 20);
  } else if (now - last_look_ > wanted * 2) {
    step_ = std::max<std::uint64_t>(step_ / 2, 1);
  }
  last_look_ = now;
  next_look_ = done + step_;
  if (now < next_report_) return;
  next_report_ = now + options_.interval_s;
  show(done, simulated, now - start_);
}

void Progress::show(std::uint64_t done, TimePs simulated, double elapsed) {
  const double rate = static_cast<double>(done) / elapsed;
  const std::uint64_t total = options_.total;
  const bool takes_time = options_.of_what == "requests";
  const bool known = total != 0 && done <= total;
  const double percent = known ? 100.0 * static_cast<double>(done) / static_cast<double>(total) : 0;
  const double left = known ? static_cast<double>(total - done) / rate : 0;
  std::string line;
  if (!options_.terminal) {
    std::string key = options_.of_what;
    std::replace(key.begin(), key.end(), ' ', '_');
    line = "progress " + key + "=" + std::to_string(done);
    if (known) line += " percent=" + human_fixed(percent, 1);
    if (takes_time) {
      line += " simulated_ms=";
      append_scaled(line, simulated / 1'000'000, 3);
    }
    line += " " + key + "_per_s=" + human_fixed(rate, 0);
    if (known) line += " eta_s=" + human_fixed(left, 0);
    out_ << line << std::endl;
    return;
  }
  if (known) line = human_fixed(percent, 1) + " %  ";
  line += human_count(static_cast<double>(done)) + " " + options_.of_what + "  ";
  if (takes_time) line += human_time(static_cast<double>(simulated) / 1e3) + " simulated  ";
  line += human_count(rate) + (takes_time ? " requests/s" : " per s");
  if (known) line += "  " + human_fixed(left, 0) + " s left";
  const std::size_t length = line.size();
  if (length < drawn_) line.append(drawn_ - length, ' ');
  drawn_ = length;
  out_ << '\r' << line << std::flush;
}

void Progress::finish() {
  if (drawn_ == 0) return;
  out_ << '\r' << std::string(drawn_, ' ') << '\r' << std::flush;
  drawn_ = 0;
}

} // namespace twinplane::platform
