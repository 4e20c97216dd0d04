#include "platform/host/replay_engine.h"

#include <algorithm>
#include <new>
#include <stdexcept>

#include "platform/host/interruption.h"

namespace twinplane::platform {

namespace {
constexpr std::uint64_t kLargestTrim = 0xFFFF'FFFF; // sectors of one range

constexpr TimePs kDay = ms(24ull * 3600 * 1000);
constexpr TimePs kLastArrival = kNever - kDay; // what is under way then, and the shutdown, take time, too

/// The sum, or kNever when that is beyond the clock.
TimePs later(TimePs time, TimePs by) {
  return by < kNever - time ? time + by : kNever;
}
TimePs time_of_ns(std::uint64_t nanoseconds) {
  return nanoseconds < kNever / ns(1) ? ns(nanoseconds) : kNever;
}
} // namespace

TimePs RoundClock::since_begin(const IoRecord& record) const {
  if (scale == 1) return time_of_ns(record.arrival_ns);
  const double scaled = static_cast<double>(record.arrival_ns) * scale * 1000.0;
  return scaled < static_cast<double>(kNever) ? static_cast<TimePs>(scaled) : kNever;
}

TimePs RoundClock::arrival_of(const IoRecord& record) const {
  const TimePs time = since_begin(record);
  return later(start, time - std::min(time, skipped));
}

ReplayEngine::ReplayEngine(const sc_core::sc_module_name& name, const ReplayConfig& config, NvmeHost& host,
                           IoSource& source)
    : sc_module(name), config_(config), host_(host), source_(source) {
  config_.iodepth = std::max(1u, config_.iodepth);
  host_.bind(*this);
  SC_HAS_PROCESS(ReplayEngine);
  SC_METHOD(on_timer);
  sensitive << timer_.event();
  dont_initialize();
}

void ReplayEngine::on_ready() {
  ready_ = true;
  map_ = AddressMap(host_.capacity_sectors(), host_.sector_size(), config_.remap_modulo);
  const TimePs now = host_.now();
  statistics_.started_at = statistics_.finished_at = now;
  clock_ = RoundClock{config_.time_scale, now, 0};
  skip_sent();
  read_record();
  if (resumed_from_.records != 0 && have_record_) clock_.skipped = clock_.since_begin(record_);
  if (config_.open_loop) {
    arm_arrival();
  } else {
    admit_closed();
  }
  finish_if_done();
}

/// What it has written counts for host.drive_writes, nothing else.
void ReplayEngine::skip_sent() {
  while (read_ < resumed_from_.records && read_record()) {
    if (record_.op == IoOp::write) write_bytes_admitted_ += map_.range(record_).sectors * map_.sector_size();
  }
  statistics_.folded = 0;
}

// --- records -------------------------------------------------------------------------------------

bool ReplayEngine::read_record() {
  have_record_ = false;
  if (stopped_ || exhausted_ || (config_.max_requests != 0 && read_ == config_.max_requests)) {
    end_of_stream();
    exhausted_ = true;
    return false;
  }
  try {
    while (!source_.next(record_)) {
      if (!next_round()) return false;
    }
  } catch (const std::runtime_error& error) { // InputError, and what decompressors throw
    stop(error.what());
    return false;
  }
  ++read_;
  ++in_round_;
  statistics_.folded += record_.op != IoOp::flush && map_.folds(record_) ? 1 : 0;
  if (config_.report_round != 0 && read_ % config_.report_round == 0) mark_round();
  have_record_ = true;
  if (record_.op != IoOp::flush && !map_.fits(record_)) {
    stop(config_.source_name + ": request " + std::to_string(read_) + " (offset " +
         std::to_string(record_.offset) + ", " + std::to_string(record_.length) +
         " bytes) ends beyond the drive's " + std::to_string(map_.capacity_bytes()) +
         " bytes; host.remap = \"modulo\" folds such requests into the drive");
  }
  return have_record_;
}

bool ReplayEngine::next_round() {
  ++round_;
  if (in_round_ == 0 || !wants_round()) {
    end_of_stream();
    exhausted_ = true;
    return false;
  }
  if (config_.report_round == 0) mark_round();
  if (config_.repeat_rounds) {
    source_.rewind();
  } else {
    source_.next_round();
  }
  in_round_ = 0;
  clock_ = RoundClock{config_.time_scale, later(last_arrival_, config_.round_gap), 0};
  return true;
}

bool ReplayEngine::wants_round() const {
  if (config_.drive_writes == 0) return round_ < config_.rounds;
  if (write_bytes_admitted_ == 0) {
    throw std::runtime_error(config_.source_name +
                             ": a round without writes never reaches the volume of host.drive_writes");
  }
  const double capacity = static_cast<double>(map_.capacity_bytes());
  return static_cast<double>(write_bytes_admitted_) < config_.drive_writes * capacity;
}

/// The last round may be shorter than the others.
void ReplayEngine::end_of_stream() {
  if (!exhausted_ && read_ != 0) mark_round();
}

/// A round's records have all been read.
void ReplayEngine::mark_round() {
  if (read_ <= resumed_from_.records) return; // in an earlier power cycle
  const std::uint64_t end = read_ - resumed_from_.records;
  if (!round_ends_.empty() && round_ends_.back() == end) return;
  round_ends_.push_back(end);
  if (round_ends_.size() == rounds_done_ + 1) round_end_ = end;
}

/// A round's requests have all been finished, or as many of the next one in their place.
void ReplayEngine::end_round(TimePs at) {
  ++rounds_done_;
  round_end_ = rounds_done_ < round_ends_.size() ? round_ends_[rounds_done_] : ~std::uint64_t{0};
  if (sink_ != nullptr) sink_->round_done(at);
}

/// Says so and ends the run when this is beyond the simulated clock.
bool ReplayEngine::clock_ends_before(TimePs time) {
  if (time <= kLastArrival) return false;
  stop(config_.source_name + ": request " + std::to_string(read_) + " comes more than " +
       std::to_string(kLastArrival / kDay) +
       " days of simulated time after power-on, and the clock of a run "
       "ends then (2^64 ps): expected fewer rounds (host.rounds, host.drive_writes) or shorter times "
       "(host.time_scale, workload.rate_iops, workload.thinktime)");
  return true;
}

// --- arrivals ------------------------------------------------------------------------------------

void ReplayEngine::arm_arrival() {
  if (!have_record_) return;
  const TimePs arrival = std::max(last_arrival_, clock_.arrival_of(record_));
  if (clock_ends_before(arrival)) return;
  last_arrival_ = arrival;
  timer_.call_at(std::max(last_arrival_, host_.now()));
}

void ReplayEngine::on_arrival() {
  if (Interruption::signal() != 0) wind_up();
  if (!config_.open_loop) {
    pausing_ = false;
    paused_ = true;
    admit_closed();
    host_.ring_doorbells();
    finish_if_done();
    return;
  }
  const TimePs now = host_.now();
  while (have_record_ && clock_.arrival_of(record_) <= now) {
    last_arrival_ = std::max(last_arrival_, clock_.arrival_of(record_));
    admit(now);
    statistics_.left_at_last_arrival = outstanding_;
    read_record();
  }
  pump();
  host_.ring_doorbells();
  arm_arrival();
  finish_if_done();
}

// Requests of no sectors finish in pump() itself, hence the loop.
void ReplayEngine::admit_closed() {
  pump();
  while (have_record_ && outstanding_ < config_.iodepth && !pauses()) {
    last_arrival_ = host_.now();
    admit(last_arrival_);
    read_record();
    pump();
  }
}

/// The record read ahead has to wait: until all before it are done, and for its pause from then on.
bool ReplayEngine::pauses() {
  if (record_.pause_ns == 0) return false;
  if (paused_) {
    paused_ = false;
    return false;
  }
  if (outstanding_ == 0 && !pausing_) {
    const TimePs end = later(host_.now(), time_of_ns(record_.pause_ns));
    if (clock_ends_before(end)) return true;
    pausing_ = true;
    timer_.call_at(end);
  }
  return true;
}

inline std::uint32_t ReplayEngine::take_request() {
  if (first_free_ == kNone) {
    requests_.emplace_back();
    return static_cast<std::uint32_t>(requests_.size() - 1);
  }
  const std::uint32_t index = first_free_;
  first_free_ = requests_[index].next;
  new (&requests_[index]) Request; // in place: a copy costs 20 instructions
  return index;
}

void ReplayEngine::admit(TimePs arrival) {
  const std::uint32_t index = take_request();
  Request& request = requests_[index];
  const SectorRange range = map_.range(record_);
  request.io.op = record_.op;
  request.io.offset = range.lba * map_.sector_size();
  request.io.bytes = record_.op == IoOp::flush ? 0 : range.sectors * map_.sector_size();
  request.io.arrival = arrival;
  if (record_.op == IoOp::write) write_bytes_admitted_ += request.io.bytes;
  if (request.io.bytes != record_.length) statistics_.unaligned.count(record_, request.io.bytes);
  request.next_lba = range.lba;
  request.left = record_.op == IoOp::flush ? 0 : range.sectors;
  request.fua = record_.fua;
  request.access_latency = record_.access_latency & 3;
  request.next = kNone;
  request.io.trace = record_.trace;
  HostQueueList& waiting = waiting_[share_of(request.io)];
  (waiting.first == kNone ? waiting.first : requests_[waiting.last].next) = index;
  waiting.last = index;
  ++outstanding_;
  statistics_.max_queued = std::max(statistics_.max_queued, ++queued_);
  if (sink_ != nullptr) sink_->arrived(arrival);
}

// --- commands ------------------------------------------------------------------------------------

void ReplayEngine::share_queues(std::uint32_t shares) {
  waiting_.resize(shares);
  host_.share_queues(shares);
}

// Submits in order of arrival until the submission queues are full.
inline void ReplayEngine::pump(HostQueueList& waiting) {
  while (waiting.first != kNone) {
    const std::uint32_t index = waiting.first;
    while (!requests_[index].issued) {
      if (!submit_next_command(index)) return;
    }
    waiting.first = requests_[index].next;
    --queued_;
    if (requests_[index].commands == 0) finish(index, host_.now()); // nothing to do: a range of no sectors
  }
}

void ReplayEngine::pump() {
  if (queued_ == 0) return;
  for (HostQueueList& waiting : waiting_) pump(waiting);
}

bool ReplayEngine::submit_next_command(std::uint32_t index) {
  Request& request = requests_[index];
  const bool flush = request.io.op == IoOp::flush;
  if (!flush && request.left == 0) {
    request.issued = true;
    return true;
  }
  const std::uint64_t limit = request.io.op == IoOp::trim ? kLargestTrim : host_.max_sectors();
  const std::uint64_t sectors = flush ? 0 : map_.piece(request.next_lba, request.left, limit);
  HostCommand command;
  command.op = request.io.op;
  command.lba = request.next_lba;
  command.sectors = static_cast<std::uint32_t>(sectors);
  command.fua = request.fua;
  command.access_latency = request.access_latency;
  command.share = static_cast<std::uint16_t>(share_of(request.io));
  command.cookie = index;
  if (!host_.submit(command)) return false;
  ++statistics_.commands;
  ++request.commands;
  request.next_lba = map_.after(request.next_lba, sectors);
  request.left -= sectors;
  request.issued = request.left == 0;
  return true;
}

void ReplayEngine::on_complete(const HostCompletion& completion) {
  Request& request = requests_[completion.cookie];
  if (request.io.status == 0) request.io.status = completion.status;
  if (--request.commands != 0 || !request.issued) return;
  // Commands finish in any order: the latency, and what it consists of, is this one's, whichever it is.
  request.io.submitted = completion.submitted;
  request.io.sqid = completion.sqid;
  request.io.cid = completion.cid;
  finish(completion.cookie, completion.completed);
}

void ReplayEngine::finish(std::uint32_t index, TimePs at) {
  Request& request = requests_[index];
  FinishedIo& io = request.io;
  io.completed = at;
  ++statistics_.requests;
  if (io.op == IoOp::read) {
    ++statistics_.reads;
    statistics_.bytes_read += io.bytes;
  } else if (io.op == IoOp::write) {
    ++statistics_.writes;
    statistics_.bytes_written += io.bytes;
  } else {
    ++(io.op == IoOp::trim ? statistics_.trims : statistics_.flushes);
  }
  statistics_.failed += io.status != 0 ? 1 : 0;
  statistics_.finished_at = at;
  statistics_.latency_sum += at - io.arrival;
  --outstanding_;
  if (sink_ != nullptr) sink_->record(io);
  if (statistics_.requests == round_end_) end_round(at);
  request.next = first_free_;
  first_free_ = index;
}

void ReplayEngine::on_batch_end() {
  if (!ready_ || stopped_) return;
  if (Interruption::signal() != 0) wind_up();
  if (config_.open_loop) {
    pump();
  } else {
    admit_closed();
  }
  finish_if_done();
}

// --- the end -------------------------------------------------------------------------------------

// The last round ends with what has been sent.
void ReplayEngine::wind_up() {
  if (interrupted_ || (exhausted_ && !any_unsent())) return; // nothing is left that could be cut off
  interrupted_ = true;
  have_record_ = false;
  exhausted_ = true;
  drop_unsent();
  const std::uint64_t sent = statistics_.requests + outstanding_;
  read_ = resumed_from_.records + sent;
  while (round_ends_.size() > rounds_done_ && round_ends_.back() > sent) round_ends_.pop_back();
  if (sent != 0) mark_round();
  round_end_ = rounds_done_ < round_ends_.size() ? round_ends_[rounds_done_] : ~std::uint64_t{0};
  if (statistics_.requests == round_end_) end_round(host_.now()); // nothing in flight will do it
}

bool ReplayEngine::any_unsent() const {
  return std::any_of(waiting_.begin(), waiting_.end(),
                     [](const HostQueueList& waiting) { return waiting.first != kNone; });
}

void ReplayEngine::drop_unsent() {
  for (HostQueueList& waiting : waiting_) drop_unsent(waiting);
}

// Only the first request of the queue can have been sent in part; that one is sent to its end.
void ReplayEngine::drop_unsent(HostQueueList& waiting) {
  const std::uint32_t first = waiting.first;
  if (first == kNone) return;
  const Request& head = requests_[first];
  const bool begun = head.left * map_.sector_size() != head.io.bytes;
  std::uint32_t index = begun ? head.next : first;
  waiting.first = waiting.last = begun ? first : kNone;
  if (begun) requests_[first].next = kNone;
  while (index != kNone) {
    Request& request = requests_[index];
    const std::uint32_t next = request.next;
    if (sink_ != nullptr) sink_->given_up(request.io.arrival, host_.now());
    --outstanding_;
    --queued_;
    request.next = first_free_;
    first_free_ = index;
    index = next;
  }
}

void ReplayEngine::finish_if_done() {
  if (finished_ || stopped_ || !exhausted_ || have_record_ || outstanding_ != 0) return;
  finished_ = true;
  if (sink_ != nullptr) sink_->finished(statistics_.finished_at);
  host_.request_shutdown();
}

void ReplayEngine::on_shutdown() {
  if (at_end_) return at_end_();
  sc_core::sc_stop();
}

void ReplayEngine::on_failure(const std::string& what) {
  stop(what);
}

void ReplayEngine::stop(const std::string& why) {
  have_record_ = false;
  exhausted_ = true;
  stopped_ = true;
  error_ = why;
  host_.stop();
}

} // namespace twinplane::platform
