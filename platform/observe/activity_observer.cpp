#include "platform/observe/activity_observer.h"

#include <algorithm>

#include "platform/report/timeline.h"

namespace twinplane::platform {
namespace {

Lane lane_of(hw::PlaneState state) {
  switch (state) {
    case hw::PlaneState::programming:
      return Lane::planes_programming;
    case hw::PlaneState::erasing:
    case hw::PlaneState::resetting: // a reset waits for the operation it ends, mostly erases
      return Lane::planes_erasing;
    case hw::PlaneState::idle:
    case hw::PlaneState::reading:
      break;
  }
  return Lane::planes_reading;
}

} // namespace

ActivityObserver::ActivityObserver(const Geometry& geometry, ActivityBins& bins)
    : geometry_(geometry), bins_(bins), busy_until_(geometry.planes()) {}

TimePs* ActivityObserver::planes_of(std::uint32_t channel, const hw::ArrayOperation& operation) {
  const std::uint32_t chip = channel * geometry_.chips_per_channel + operation.chip;
  return &busy_until_[(chip * geometry_.dies_per_chip + operation.lun) * geometry_.planes_per_die];
}

void ActivityObserver::add(TimePs& until, const hw::ArrayOperation& operation) {
  const TimePs start = std::max(operation.start, until);
  if (operation.end <= start) return;
  until = operation.end;
  plane_busy_ += operation.end - start;
  bins_.add(static_cast<std::uint32_t>(lane_of(operation.state)), start, operation.end);
}

void ActivityObserver::on_array(std::uint32_t channel, const hw::ArrayOperation& operation) {
  add(planes_of(channel, operation)[operation.plane], operation);
}

/// Planes that were idle are counted at once, others one by one.
void ActivityObserver::on_group(std::uint32_t channel, const hw::ArrayOperation& operation,
                                const hw::PlaneAddress* places) {
  TimePs* const until = planes_of(channel, operation);
  std::uint64_t idle = 0;
  for (std::uint32_t i = 0; i < operation.planes_in_group; ++i) {
    TimePs& plane_until = until[places[i].plane];
    if (plane_until > operation.start) {
      add(plane_until, operation);
    } else {
      plane_until = operation.end;
      ++idle;
    }
  }
  if (idle == 0 || operation.end <= operation.start) return;
  plane_busy_ += idle * (operation.end - operation.start);
  bins_.add(static_cast<std::uint32_t>(lane_of(operation.state)), operation.start, operation.end, idle);
}

/// What was announced behind the change does not happen; what is resumed happens from there on.
void ActivityObserver::on_array_change(std::uint32_t channel, hw::ArrayChange change,
                                       const hw::ArrayOperation& operation) {
  if (change == hw::ArrayChange::resumed) return on_array(channel, operation);
  TimePs& until = planes_of(channel, operation)[operation.plane];
  if (until <= operation.start) return;
  plane_busy_ -= until - operation.start;
  bins_.remove(static_cast<std::uint32_t>(lane_of(operation.state)), operation.start, until);
  until = operation.start;
}

void ActivityObserver::on_tenure(std::uint32_t, std::uint32_t, const hw::OnfiTenure&, TimePs start,
                                 TimePs end) {
  bins_.add(static_cast<std::uint32_t>(Lane::buses), start, end);
}

} // namespace twinplane::platform
