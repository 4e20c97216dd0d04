#include "firmware/nvme/self_test.h"

#include "firmware/nvme/identify.h"
#include "firmware/nvme/little_endian.h"

namespace twinplane::fw {

namespace {

constexpr std::uint8_t kHealthSegment = 2, kMediaSegment = 7;
constexpr std::uint32_t kAbortTest = 15; // CDW10
constexpr std::uint64_t kPsPerHour = 3'600'000'000'000'000;
constexpr std::uint32_t kEntryBytes = 28;
constexpr std::uint32_t kPiecesPerTurn = 16; // of those that need no flash
constexpr std::uint64_t kPausePs = 10'000'000;
constexpr std::uint8_t kUnused = 0x0F;
constexpr std::uint8_t kHasNamespace = 1, kHasLba = 2, kHasStatus = 4 | 8; // valid diagnostic information

} // namespace

void SelfTest::boot(Services& services, std::uint16_t slot) {
  services_ = &services;
  work_.slot = slot;
  const Geometry& g = services.config.geometry;
  most_ = g.sectors_per_page() * g.planes_per_die;
}

void SelfTest::execute(Command& command) {
  const std::uint32_t code = command.sqe.cdw10 & 15;
  const std::uint32_t nsid = command.sqe.nsid;
  std::uint16_t status = nvme::status::success;
  if (code != 1 && code != 2 && code != kAbortTest) {
    status = nvme::status::invalid_field;
  } else if (nsid != 0 && nsid != kNsid && nsid != kAllNamespaces) {
    status = nvme::status::invalid_namespace;
  } else if (code == kAbortTest) {
    end(Result::aborted);
  } else if (code_ != Code::none) {
    status = nvme::status::self_test_in_progress;
  }
  services_->finish(command, status);
  if (status == nvme::status::success && code != kAbortTest) begin(static_cast<Code>(code), nsid);
}

/// A read of an earlier test may be under way: its end is awaited.
void SelfTest::begin(Code code, std::uint32_t nsid) {
  code_ = code;
  nsid_ = nsid;
  piece_ = single_ = 0;
  if (critical_warning(services_->health, services_->config, services_->storage->statistics()) != 0)
    return note(Result::failed, kHealthSegment);
  if (!reading_) read_next();
}

std::uint64_t SelfTest::all_pieces() const {
  return (services_->storage->exported_sectors() + most_ - 1) / most_;
}

/// That the test reads.
std::uint32_t SelfTest::pieces() const {
  if (nsid_ == 0) return 0; // of no namespace
  const std::uint64_t all = all_pieces();
  return static_cast<std::uint32_t>(code_ == Code::brief && all > kSamples ? kSamples : all);
}

SelfTest::Piece SelfTest::piece() const {
  const std::uint64_t lba = all_pieces() * piece_ / pieces() * most_;
  const std::uint64_t left = services_->storage->exported_sectors() - lba;
  return {lba, left < most_ ? static_cast<std::uint32_t>(left) : most_};
}

/// The backend may finish a read inside submit(): a namespace that has not been written is no reason to keep
/// the host waiting.
void SelfTest::read_next() {
  for (std::uint32_t n = 0; n < kPiecesPerTurn && code_ != Code::none; ++n) {
    if (piece_ == pieces()) return note(Result::passed, 0);
    const Piece p = piece();
    single_ == 0 ? submit(p.lba, p.sectors) : submit(p.lba + single_ - 1, 1);
    if (!read_done_) return;
    judge();
  }
  if (code_ != Code::none) services_->hal->wake_at(pause_, services_->hal->now_ps() + kPausePs);
}

void SelfTest::on_timer() {
  if (pause_.take(services_->hal->now_ps()) && code_ != Code::none && !reading_) read_next();
}

void SelfTest::submit(std::uint64_t lba, std::uint32_t sectors) {
  const std::uint16_t slot = work_.slot;
  static_cast<Request&>(work_) = Request{};
  work_.phase = Phase::self_test;
  work_.kind = RequestKind::read;
  work_.slot = slot;
  work_.device_buffer = kNoData;
  work_.lba = lba;
  work_.sectors = sectors;
  reading_ = inside_submit_ = true;
  read_done_ = false;
  services_->storage->submit(work_);
  inside_submit_ = false;
}

/// What has been read decides what is read next: of a piece that has failed each sector, up to the first that
/// fails alone.
void SelfTest::judge() {
  reading_ = false;
  const bool good = work_.status == nvme::status::success;
  if (good && (single_ == 0 || single_ == piece().sectors)) {
    single_ = 0;
    ++piece_;
  } else if (good || single_ == 0) {
    ++single_;
  } else {
    note(Result::failed, kMediaSegment);
  }
}

void SelfTest::on_request_done(Command& /*command*/) {
  if (inside_submit_) {
    read_done_ = true;
    return;
  }
  if (stale_) {
    stale_ = reading_ = false;
  } else {
    judge();
  }
  if (code_ != Code::none) read_next();
}

void SelfTest::end(Result why) {
  if (code_ == Code::none) return;
  stale_ = stale_ || reading_;
  note(why, 0);
}

void SelfTest::note(Result result, std::uint8_t segment) {
  Entry& entry = entries_[count_++ % kEntries];
  entry = Entry{};
  entry.code = code_;
  entry.result = result;
  entry.segment = segment;
  entry.nsid = nsid_;
  entry.power_on_hours = services_->hal->now_ps() / kPsPerHour;
  entry.has_lba = segment == kMediaSegment;
  if (entry.has_lba) entry.lba = work_.lba;
  if (entry.has_lba) entry.status = work_.status;
  code_ = Code::none;
}

// Figure 204: what is going on, then the results, newest first.
void SelfTest::write_page(std::uint8_t* page) const {
  put(page, 0, static_cast<std::uint8_t>(code_));
  const std::uint32_t count = code_ == Code::none ? 0 : pieces();
  if (count != 0) put(page, 1, static_cast<std::uint8_t>(std::uint64_t{piece_} * 100 / count));
  for (std::uint32_t i = 0; i < kEntries; ++i) {
    std::uint8_t* const at = page + 4 + i * kEntryBytes;
    if (i >= count_) {
      put(at, 0, kUnused);
      continue;
    }
    const Entry& entry = entries_[(count_ - 1 - i) % kEntries];
    put(at, 0,
        static_cast<std::uint8_t>(static_cast<unsigned>(entry.code) << 4 |
                                  static_cast<unsigned>(entry.result)));
    put(at, 1, entry.segment);
    put(at, 2,
        static_cast<std::uint8_t>((entry.nsid != 0 ? kHasNamespace : 0) |
                                  (entry.has_lba ? kHasLba | kHasStatus : 0)));
    put(at, 4, entry.power_on_hours);
    put(at, 12, entry.nsid);
    put(at, 16, entry.lba);
    put(at, 24, static_cast<std::uint8_t>(entry.status >> 8 & 7));
    put(at, 25, static_cast<std::uint8_t>(entry.status & 0xFF));
  }
}

} // namespace twinplane::fw
