// Request classifier: which page-type hint does a request carry? All its sub-requests inherit it.
#pragma once

#include <cstdint>

#include "firmware/ftl/boot_memory.h"
#include "firmware/ftl/config.h"
#include "firmware/ftl/transaction.h"
#include "hw/spec/state_visitor.h"

namespace twinplane::fw {

/// What a classifier may look at besides the request, at the moment the request enters.
struct DeviceState {
  std::uint32_t requests_in_flight = 0;      // reads and writes admitted and not done, this one excluded
  std::uint32_t write_buffer_free_pages = 0; // 0 without a write buffer
  const std::uint64_t* free_pages = nullptr; // by page type, whole device, kMaxPageTypes entries
};

class Classifier {
 public:
  /// The page type wanted for every page of this write (1 + type), or kAnyPage. May draw random
  /// numbers and advance counters: called once per write request, in order of arrival.
  virtual PageHint classify(const Request& request, const DeviceState& state) = 0;

  /// The hint of one page-sized piece; `partial` when it covers only some of the page's sectors.
  virtual PageHint refine(PageHint request_hint, bool partial) const = 0;

  /// All that lasts, for saving and restoring; a policy without state has nothing to do.
  virtual void serialise(StateVisitor& /*state*/) {}

 protected:
  ~Classifier() = default;
};

/// What is not hot wants the slowest type of page; where there is one type, any page.
inline PageHint cold_page(const FtlConfig& config) {
  const auto types = static_cast<PageHint>(config.geometry.cell);
  return types == kHotPage ? kAnyPage : types;
}

Classifier* make_no_classifier(BootMemory& memory, const FtlConfig& config);
Classifier* make_hot_size_classifier(BootMemory& memory, const FtlConfig& config);
Classifier* make_hot_frequency_classifier(BootMemory& memory, const FtlConfig& config,
                                          std::uint32_t exported_pages);

} // namespace twinplane::fw
