// What the NVMe firmware needs of the layer that stores sectors; boot puts the FTL behind it, tests a
// model of their own.
#pragma once

#include <cstdint>

#include "firmware/ftl/request.h"
#include "firmware/ftl/statistics.h"

namespace twinplane::fw {

class StorageBackend {
 public:
  /// Namespace size in sectors (NSZE); constant after boot.
  [[nodiscard]] virtual std::uint64_t exported_sectors() const = 0;

  /// Takes the request over until RequestSink::on_request_done, which may come before this returns.
  virtual void submit(Request& request) = 0;

  [[nodiscard]] virtual const FtlStatistics& statistics() const = 0;

  /// It cannot take requests until RequestSink::on_recovered().
  [[nodiscard]] virtual bool recovering() const { return false; }

  /// It wants a request `shutdown` when the host shuts the drive down, and opened() when it is enabled.
  [[nodiscard]] virtual bool keeps_tables() const { return false; }
  virtual void opened() {}
  /// RequestSink::record() has changed in a way that the next commit makes durable, where tables are kept.
  virtual void record_changed() {}

  /// It executes RequestKind::purge, and how far the one that goes on has come, in 65536ths.
  [[nodiscard]] virtual bool can_purge() const { return false; }
  /// It does so for a sanitize operation, whose state lasts over power cuts.
  [[nodiscard]] virtual bool can_sanitize() const { return false; }
  [[nodiscard]] virtual std::uint16_t purge_progress() const { return 0; }

 protected:
  ~StorageBackend() = default;
};

} // namespace twinplane::fw
