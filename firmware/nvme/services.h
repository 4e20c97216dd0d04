// The parts of the NVMe firmware that command handlers share.
#pragma once

#include "firmware/nvme/async_events.h"
#include "firmware/nvme/completion_port.h"
#include "firmware/nvme/config.h"
#include "firmware/nvme/data_transfers.h"
#include "firmware/nvme/features.h"
#include "firmware/nvme/logs.h"
#include "firmware/nvme/queue_table.h"
#include "firmware/nvme/storage_backend.h"

namespace twinplane::fw {

struct Services {
  Hal* hal = nullptr;
  StorageBackend* storage = nullptr;
  NvmeConfig config;
  QueueTable queues;
  ErrorLog errors;
  HealthCounters health;
  CompletionPort completion;
  DataTransfers transfers;
  AsyncEvents events;
  Features features;

  void finish(Command& command, std::uint16_t status, std::uint32_t result = 0) {
    completion.finish(command, status, result);
  }
};

} // namespace twinplane::fw
