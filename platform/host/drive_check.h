// Reads a whole drive that has come back after a power cut, before its workload goes on: every sector is
// compared with what the shadow allows, and is held to what was found from then on (Shadow::settle). A
// command that fails says nothing of the sectors beside the one that cannot be read: it is repeated sector by
// sector.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "platform/host/host_client.h"
#include "platform/host/nvme_host.h"

namespace twinplane::platform {

struct DriveCheckResult {
  std::uint64_t sectors = 0;    // read
  std::uint64_t wrong = 0;      // of them, with what they may not hold
  std::uint64_t unreadable = 0; // whose own read ended with an error
  std::uint64_t old_or_new = 0; // of several versions that were allowed one was found
  bool commands_failed = false; // some have been repeated: perhaps all sectors could be read then
  TimePs ready_at = 0;          // the drive had booted
  TimePs done_at = 0;
};

class DriveCheck final : public HostClient {
 public:
  /// Of how many sectors the drive, when it is ready, says that it has lost them and does not know which.
  using MayGoBack = std::function<std::uint64_t()>;
  /// Takes the place of `next` as the host's client until everything has been read. Nothing is read where
  /// data are not modelled.
  DriveCheck(NvmeHost& host, HostClient& next, MayGoBack may_go_back);

  const DriveCheckResult& result() const { return result_; }
  /// Everything has been read.
  bool done() const { return result_.done_at != 0; }

  void on_ready() override;
  void on_complete(const HostCompletion& completion) override;
  void on_batch_end() override;
  void on_shutdown() override { next_.on_shutdown(); }
  void on_failure(const std::string& what) override { next_.on_failure(what); }

 private:
  static constexpr std::uint32_t kOutstanding = 64;
  struct Piece {
    std::uint64_t lba = 0;
    std::uint32_t sectors = 0;
  };

  void submit();
  bool next_piece(Piece& piece) const;
  void finish();

  NvmeHost& host_;
  HostClient& next_;
  MayGoBack may_go_back_;
  DriveCheckResult result_;
  std::uint64_t next_lba_ = 0;
  std::vector<Piece> failed_;              // commands that are repeated, the next one last
  std::array<Piece, kOutstanding> pieces_; // by cookie
  std::array<std::uint32_t, kOutstanding>
      free_; // cookies that no command has: the first kOutstanding - outstanding_
  std::uint32_t outstanding_ = 0;
  bool ready_ = false;
};

} // namespace twinplane::platform
