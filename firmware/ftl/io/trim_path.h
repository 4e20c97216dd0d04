// Trims and write zeroes of whole pages, or units of ftl.map_unit: a trim changes tables only, and metadata tell of it
// later.
#pragma once

#include "firmware/ftl/io/write_path.h"

namespace twinplane::fw {

class TrimPath final : public LockWaiter {
 public:
  void boot(HostIo& io);

  /// Of whole units (AddressMap::whole()). False when it has to wait.
  bool unmap(Request& r, const SubRequest& p);

  bool lock_granted(Transaction& t) override;
  void lock_passed_on(Transaction& t) override { end_unmap(t); }
  void journal_written(Transaction& t) override { end(t); }

 private:
  static const OpTraits kUnmap; // waits for earlier writes to the same LPN, or for metadata

  void trim(std::uint32_t lpn, std::uint32_t sectors, std::uint32_t sequence);
  [[nodiscard]] bool forget(std::uint32_t lpn, std::uint32_t sectors); // true when there was something
  void end_unmap(Transaction& t);
  void end(Transaction& t);

  HostIo* io_ = nullptr;
  FtlState* state_ = nullptr;
};

} // namespace twinplane::fw
