// Draws the host's requests, and which flash operations work for them, into a Perfetto trace.
#pragma once

#include "firmware/ftl/issue_observer.h"
#include "platform/observe/waves/perfetto_requests.h"
#include "platform/report/request_listener.h"

namespace twinplane::platform {

/// For a host whose command identifiers are unique over its queues, as NvmeHost's are.
class RequestTracer final : public RequestListener, public fw::IssueObserver {
 public:
  explicit RequestTracer(PerfettoRequests& trace) : trace_(trace) {}

  void on_arrival(TimePs now) override { trace_.arrived(now); }
  void on_finished(const FinishedIo& io, const RequestTimes& times) override;
  void on_issue(const fw::Transaction& transaction, std::uint64_t now_ps) override;

 private:
  PerfettoRequests& trace_;
};

} // namespace twinplane::platform
