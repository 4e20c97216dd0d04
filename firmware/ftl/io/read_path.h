// Reads of the host: where the sectors of a page are (write buffer, flash, nowhere), and what happens when they
// have come.
//
// In a drive with an SLC-mode cache a sub-request may lie in several pages (read_subpages.cpp).
#pragma once

#include "firmware/ftl/io/host_io.h"

namespace twinplane::fw {

class BufferedWrites;

class ReadPath final : public OpOwner {
 public:
  static const OpTraits kRead;

  void boot(HostIo& io, BufferedWrites& buffered);

  /// False when it has to wait: then nothing has been posted, as the whole sub-request is tried again.
  bool read(Request& r, const SubRequest& p);
  void read_done(Transaction& t, const FlashCompletion& c);
  /// Data that were on their way into the buffer may have come.
  void resume(Transaction& t) override;

 private:
  static const OpTraits kReadSubpages;

  /// Where the sectors of a page are, newest version first; `lost`: some are nowhere.
  struct Sources {
    std::uint32_t buffered = 0;
    std::uint32_t flash = 0; // in the page `ppn`
    std::uint32_t zeros = 0;
    bool lost = false;
    Ppn ppn = kNoPpn;
  };
  Sources sources_of(std::uint32_t lpn, std::uint32_t mask) const;
  void deliver(Request& r, const SubRequest& p, const Sources& from);
  void send(Transaction& t, const Sources& from);
  bool read_subpages(Request& r, const SubRequest& p);
  void subpages_done(Transaction& t, const FlashCompletion& c);
  void send_subpages(Transaction& t, const Sources& from);
  void end_subpages(Transaction& t);
  void end_without_flash(Request& r, const SubRequest& p, const Sources& from);

  HostIo* io_ = nullptr;
  FtlState* state_ = nullptr;
  BufferedWrites* buffered_ = nullptr; // asked only where there is a write buffer
};

} // namespace twinplane::fw
