// Reads of the host: where the sectors of a page are (write buffer, flash, nowhere), and what happens when they
// have come.
//
// Where the map's unit is smaller than a page a sub-request may lie in several pages: it is read from each of them.
#pragma once

#include "firmware/ftl/io/host_io.h"

namespace twinplane::fw {

class ReadPath final : public OpOwner {
 public:
  static const OpTraits kRead;

  void boot(HostIo& io);

  /// False when it has to wait: then nothing has been posted, as the whole sub-request is tried again.
  bool read(Request& r, const SubRequest& p);
  void read_done(Transaction& t, const FlashCompletion& c);
  /// Data that were on their way into the buffer may have come.
  void resume(Transaction& t) override;

 private:
  /// Where the sectors of a page are, newest version first; `lost`: some are nowhere.
  struct Sources {
    std::uint32_t buffered = 0;
    std::uint32_t flash = 0; // in the page `ppn`, where pages are mapped as a whole
    std::uint32_t zeros = 0;
    bool lost = false;
    Ppn ppn = kNoPpn;
  };
  Sources sources_of(std::uint32_t lpn, std::uint32_t mask) const;
  void deliver(Request& r, const SubRequest& p, const Sources& from);
  [[nodiscard]] bool take_further(Request& r, const SubRequest& p, std::uint32_t sectors,
                                  TransactionList& further);
  std::uint32_t begin(Transaction& t, const Sources& from, std::uint32_t sectors);
  std::uint32_t send(Transaction& t, const Sources& from, std::uint32_t sectors);
  void end(Transaction& t);
  void end_without_flash(Request& r, const SubRequest& p, const Sources& from);

  HostIo* io_ = nullptr;
  FtlState* state_ = nullptr;
  Units* units_ = nullptr; // null in drives that are mapped by page
};

} // namespace twinplane::fw
