// The file of a guest's session: which drive it was, and what crossed (platform/pci_host/session.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "platform/config/config.h"
#include "platform/session/state_file.h"

namespace twinplane::platform {

extern const StateFileKind kSession;

struct SessionHead {
  std::string program;     // revision that has recorded it
  std::string source;      // who the guest was
  std::uint64_t image = 0; // digest of the image that the drive began with; 0: with none
};

/// Of an image's bytes; never 0. Throws InputError when the file cannot be read.
std::uint64_t digest_of_image(const std::string& path);

/// The events follow, and complete().
std::unique_ptr<StateSaver> begin_session(const std::string& path, const Config& config, SessionHead head);

/// A session that was recorded. Throws InputError for a file that is none.
class RecordedSession {
 public:
  explicit RecordedSession(const std::string& path);

  /// As TOML.
  const std::string& config() const { return loader_.config(); }
  const SessionHead& head() const { return head_; }
  /// Throws InputError, with the keys that differ, unless the session is of a drive with this configuration
  /// (what only the output depends on may differ: [report], [waves]) that begins with this image.
  void require_same_drive(const Config& config, const std::string& image);
  /// The events follow.
  StateLoader& events() { return loader_; }

 private:
  std::string path_;
  StateLoader loader_;
  SessionHead head_;
};

} // namespace twinplane::platform
