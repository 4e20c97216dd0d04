// Pages of the drive that are written once more, to wherever pages of the host are: those that collection finds no
// page for in their own die, what recovery has found in copies alone, and pages that tell of a loss. Each is a
// write of the host that has no sector of its own.
#pragma once

#include "firmware/ftl/gc/unrelocatable_pages.h"
#include "firmware/ftl/io/write_path.h"

namespace twinplane::fw {

class PageRewriter final : public PageWriter {
 public:
  explicit PageRewriter(WritePath& path) : PageWriter(path, kRewrite) {}
  void boot(HostIo& io);

  /// Writes the LPN's page once more, to another place. False: not now.
  [[nodiscard]] bool rewrite(std::uint32_t lpn, ProgramCause cause, PageHint hint = kAnyPage);
  /// The LPN has been lost, and no page tells. Metadata do; without them a page of lost sectors does, which t, whose
  /// work is done, writes.
  void tell_loss(Transaction& t);
  /// Those of unrelocatable pages that wait for space wait no longer; see UnrelocatablePages. False: there was none.
  [[nodiscard]] bool defer_unrelocatable();
  /// Pages that are under way there.
  std::uint32_t under_way() const { return under_way_; }

  void superseded(Transaction& t) override { written(t, false); }
  void given_up(Transaction& t, std::uint16_t status) override;
  void written(Transaction& t, bool lost) override;
  bool keeps_failed(Transaction& t) override;
  bool take_back(const Transaction& t) override;

 private:
  static const OpTraits kRewrite;
  void begin(Transaction& t, std::uint32_t lpn, ProgramCause cause);
  static bool is_unrelocatable(const Transaction& t) { return t.rewrite_cause == ProgramCause::gc; }
  [[nodiscard]] bool can_be_left(const Transaction& t) const;
  void is_done(const Transaction& t);

  HostIo* io_ = nullptr;
  FtlState* state_ = nullptr;
  std::uint32_t under_way_ = 0;
};

} // namespace twinplane::fw
