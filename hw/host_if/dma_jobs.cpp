#include "hw/host_if/dma_jobs.h"

namespace twinplane::hw {

namespace {

bool overlap(const DmaJob& a, const DmaJob& b) {
  return a.piece.buffer < b.piece.buffer + std::uint64_t{b.bytes} &&
         b.piece.buffer < a.piece.buffer + std::uint64_t{a.bytes};
}

} // namespace

DmaJob* DmaJobs::next(DmaJob::Kind kind) {
  for (DmaJob& job : jobs_) {
    if (job.kind != kind || job.state != DmaJob::State::waiting) continue;
    if (!must_follow(job)) return &job;
    if (kind == DmaJob::Kind::to_host) return nullptr;
  }
  return nullptr;
}

bool DmaJobs::must_follow(const DmaJob& job) const {
  for (const DmaJob& earlier : jobs_) {
    if (&earlier == &job) return false;
    if (earlier.state == DmaJob::State::ended || earlier.kind == DmaJob::Kind::other) continue;
    const bool fills = job.kind == DmaJob::Kind::to_device || earlier.kind == DmaJob::Kind::to_device;
    if (fills && overlap(job, earlier)) return true;
  }
  return false;
}

std::uint32_t DmaJobs::first_open(std::uint32_t none) const {
  for (const DmaJob& job : jobs_) {
    if (job.kind != DmaJob::Kind::other && job.state != DmaJob::State::ended) return job.index;
  }
  return none;
}

} // namespace twinplane::hw
