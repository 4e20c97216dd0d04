// For observers of the firmware from outside, as through a trace port: it costs the core nothing.
#pragma once

#include "firmware/ftl/transaction.h"

namespace twinplane::fw {

class IssueObserver {
 public:
  /// A flash command for `transaction` is handed to its flash controller at `now_ps`; its descriptor's cookie
  /// is the transaction's index. `transaction` is valid during the call.
  virtual void on_issue(const Transaction& transaction, std::uint64_t now_ps) = 0;

 protected:
  ~IssueObserver() = default;
};

} // namespace twinplane::fw
