// Told of single requests as they arrive and finish.
#pragma once

#include "platform/host/latency_sink.h"
#include "platform/report/breakdown.h"

namespace twinplane::platform {

class RequestListener {
 public:
  virtual void on_arrival(TimePs now) = 0;
  /// In order of completion. `times` holds during the call.
  virtual void on_finished(const FinishedIo& io, const RequestTimes& times) = 0;

 protected:
  ~RequestListener() = default;
};

} // namespace twinplane::platform
