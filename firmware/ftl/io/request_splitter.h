// Requests of the host, from admission until they are split into sub-requests of one page each. What finds a pool
// empty waits here, reads and all others in a queue of their own: no read waits for the others, for commands that
// are open have no order.
#pragma once

#include "firmware/ftl/io/buffer_path.h"
#include "firmware/ftl/io/commits.h"
#include "firmware/ftl/io/host_writes.h"
#include "firmware/ftl/io/read_path.h"
#include "firmware/ftl/io/trim_path.h"

namespace twinplane::fw {

class RequestSplitter {
 public:
  /// Where sub-requests go.
  struct Paths {
    ReadPath& reads;
    HostWrites& writes;
    TrimPath& trims;
    Commits& commits;
  };
  explicit RequestSplitter(const Paths& paths) : paths_(paths) {}
  void boot(HostIo& io);

  void submit(Request& r);
  /// Continues requests that found a pool empty.
  void admit_waiting() {
    if (!changes_.empty() || !reads_.empty()) admit_as_many_as_fit();
  }
  bool any_waits() const { return !changes_.empty() || !reads_.empty(); }
  const RequestQueue& changes() const { return changes_; }

 private:
  void begin(Request& r);
  bool admit(Request& r);
  bool admit_sub_request(Request& r, const SubRequest& p);
  void end_admission(Request& r);
  void admit_as_many_as_fit();
  void admit_from(RequestQueue& queue);
  void note_shortage(RequestQueue& queue, Request& first);
  void note_page_buffers();
  SubRequest sub_request_at(const Request& r) const;
  std::uint32_t whole_pages_at(const Request& r) const;
  bool write(Request& r, const SubRequest& p);
  bool unmap(Request& r, const SubRequest& p);
  bool write_uncorrectable(Request& r, const SubRequest& p);
  // --- what the probe is told ---
  [[gnu::cold]] static void tell_seen(const RequestSplitter& splitter, const Request& r);
  [[gnu::cold]] static void tell_page_buffers(const RequestSplitter& splitter, const FtlState& state);

  const Paths paths_;
  HostIo* io_ = nullptr;
  FtlState* state_ = nullptr;
  RequestQueue reads_;
  RequestQueue changes_;
  bool short_of_page_buffers_ = false; // a request waits for one
  bool whole_pages_ = false;           // writes of whole pages go straight to the flash
};

} // namespace twinplane::fw
