#include "platform/ssd/precondition.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <sstream>
#include <vector>

#include "platform/config/convert.h"
#include "platform/config/error.h"
#include "platform/host/interruption.h"
#include "platform/host/shadow.h"
#include "platform/report/progress.h"
#include "platform/report/write_volume.h"
#include "platform/ssd/trace_pages.h"
#include "platform/workload/random.h"

namespace twinplane::platform {
namespace {

/// Writes whole logical pages with the tags the host expects to find.
class PageWriter {
 public:
  /// `pages`: how many are to be written, for run.progress.
  PageWriter(const Config& config, FirmwareWindow& firmware, std::uint64_t pages)
      : firmware_(firmware),
        sectors_per_page_(config.geometry.sectors_per_page()),
        stride_(payload_bytes(config.data, config.geometry.sector_size)),
        payload_(std::size_t{sectors_per_page_} * stride_) {
    if (config.run.progress) progress_.emplace(Progress::on_stderr(pages, "pages preconditioned"));
  }
  ~PageWriter() {
    if (progress_) progress_->finish();
  }
  PageWriter(const PageWriter&) = delete;
  PageWriter& operator=(const PageWriter&) = delete;

  /// Long ago, or as the host's last write before the run.
  void store(std::uint32_t lpn) { check(lpn, firmware_.functional_store(lpn, data_of(lpn))); }
  void write(std::uint32_t lpn) { check(lpn, firmware_.functional_write(lpn, data_of(lpn))); }
  /// As many units of the map as a page has, as one page.
  void write(const std::vector<std::uint32_t>& units) {
    const auto sectors = static_cast<std::uint32_t>(sectors_per_page_ / units.size());
    for (std::uint32_t i = 0; i < units.size(); ++i)
      put_tags(i * sectors, std::uint64_t{units[i]} * sectors, sectors);
    const auto lpn = static_cast<std::uint32_t>(units[0] / units.size());
    check(lpn, firmware_.functional_write_packed(units, payload()));
  }

 private:
  const std::uint8_t* data_of(std::uint32_t lpn) {
    put_tags(0, std::uint64_t{lpn} * sectors_per_page_, sectors_per_page_);
    return payload();
  }
  const std::uint8_t* payload() const { return payload_.empty() ? nullptr : payload_.data(); }
  void put_tags(std::uint32_t at, std::uint64_t lba, std::uint32_t sectors) {
    for (std::uint32_t s = 0; s < sectors && stride_ != 0; ++s) {
      const SectorTag tag{lba + s, Shadow::kInitialSequence};
      std::memcpy(payload_.data() + std::size_t{at + s} * stride_, &tag, sizeof tag);
    }
  }

  void check(std::uint32_t lpn, const char* error) {
    if (error != nullptr) {
      throw InputError("precondition: page " + std::to_string(lpn) + " cannot be written: " + error);
    }
    if (progress_) progress_->tick(++written_, 0);
  }

  FirmwareWindow& firmware_;
  std::uint32_t sectors_per_page_;
  std::uint32_t stride_;
  std::vector<std::uint8_t> payload_;
  std::optional<Progress> progress_;
  std::uint64_t written_ = 0;
};

/// Allocation classes of plane allocation (firmware/ftl/plane_allocation).
std::uint32_t plane_classes(const Config& config, const FirmwareWindow& firmware) {
  std::uint32_t classes = 1;
  for (std::uint32_t p = 0; p < config.geometry.planes(); ++p)
    classes = std::max(classes, firmware.class_of_plane(p) + 1);
  return classes;
}

/// Units of the first `pages` pages, none twice, of pages of one class: others never meet in a page, and would fill planes
/// beyond their share.
void draw_units(Random& random, std::uint32_t pages, std::uint32_t classes,
                std::vector<std::uint32_t>& units) {
  const auto per_page = static_cast<std::uint32_t>(units.size());
  for (std::size_t i = 0; i < units.size();) {
    const auto unit = static_cast<std::uint32_t>(random.below(std::uint64_t{pages} * per_page));
    const std::uint32_t page = unit / per_page;
    const std::uint32_t wanted = i == 0 ? page : page - page % classes + units[0] / per_page % classes;
    if (wanted >= pages) continue;
    units[i] = wanted * per_page + unit % per_page;
    const auto drawn = units.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(units.begin(), drawn, units[i]) == drawn) ++i;
  }
}

/// Writes the first `share` of the exported capacity, and then `overwrite` of it again at random.
void fill(const Config& config, FirmwareWindow& firmware, double share, double overwrite,
          PreconditionResult& result) {
  const std::uint64_t exported = firmware.exported_sectors() / config.geometry.sectors_per_page();
  const auto pages = static_cast<std::uint32_t>(share * static_cast<double>(exported));
  const auto overwrites = static_cast<std::uint64_t>(overwrite * static_cast<double>(exported));
  PageWriter writer(config, firmware, pages == 0 ? 0 : pages + overwrites);
  const auto wanted = [] { return Interruption::signal() == 0; };
  for (std::uint32_t lpn = 0; lpn < pages && wanted(); ++lpn) writer.store(lpn);
  const std::uint64_t before = programmed_pages(firmware.statistics());
  Random random(config.run.seed);
  std::vector<std::uint32_t> units(map_units(config));
  const std::uint32_t classes = plane_classes(config, firmware);
  for (std::uint64_t i = 0; i < overwrites && pages != 0 && wanted(); ++i) {
    if (units.size() == 1) {
      writer.write(static_cast<std::uint32_t>(random.below(pages)));
    } else {
      draw_units(random, pages, classes, units);
      writer.write(units);
    }
  }
  result.pages_filled = pages;
  result.pages_overwritten = pages == 0 ? 0 : overwrites;
  result.filled_sectors = std::uint64_t{pages} * config.geometry.sectors_per_page();
  if (result.pages_overwritten != 0) {
    result.write_amplification = static_cast<double>(programmed_pages(firmware.statistics()) - before) /
                                 static_cast<double>(result.pages_overwritten);
  }
}

/// Nothing but what the trace would read in vain.
void fill_for(IoSource* trace, const Config& config, FirmwareWindow& firmware, PreconditionResult& result) {
  if (trace == nullptr) {
    throw InputError(
        "precondition.mode: \"trace\" writes what a trace reads, and this workload is synthetic: replay a "
        "trace "
        "(--trace), or use \"fill\"");
  }
  result.filled_pages = pages_read_first(config, firmware.exported_sectors(), *trace);
  const auto wanted = std::count(result.filled_pages.begin(), result.filled_pages.end(), true);
  PageWriter writer(config, firmware, static_cast<std::uint64_t>(wanted));
  for (std::size_t lpn = 0; lpn < result.filled_pages.size() && Interruption::signal() == 0; ++lpn) {
    if (!result.filled_pages[lpn]) continue;
    writer.store(static_cast<std::uint32_t>(lpn));
    ++result.pages_filled;
  }
}

/// The last block's worth is left to the random phases.
double share_to_age(const Config& config) {
  const double one_block = 1.0 / config.geometry.blocks_per_plane;
  const double share = config.precondition.fill;
  return starts_at_random_pages(config) && share > one_block ? share - one_block : share;
}

} // namespace

PreconditionResult precondition(const Config& config, FirmwareWindow& firmware, IoSource* trace) {
  PreconditionResult result;
  switch (config.precondition.mode) {
    case PreconditionMode::none:
      break;
    case PreconditionMode::fill:
      fill(config, firmware, config.precondition.fill, config.precondition.overwrite, result);
      break;
    case PreconditionMode::aged:
      fill(config, firmware, config.precondition.valid, 0, result);
      if (const char* error = firmware.functional_age(share_to_age(config))) {
        throw InputError(std::string("precondition.mode = aged: ") + error);
      }
      break;
    case PreconditionMode::trace:
      fill_for(trace, config, firmware, result);
      break;
  }
  if (starts_at_random_pages(config)) {
    if (const char* error = firmware.functional_scatter(config.run.seed)) {
      throw InputError(std::string("precondition.phase = random: ") + error);
    }
  }
  firmware.functional_end();
  result.free_blocks = firmware.statistics().free_blocks;
  result.valid_pages = firmware.statistics().valid_pages;
  return result;
}

std::string PreconditionResult::text() const {
  std::ostringstream text;
  text << "preconditioned: " << pages_filled << " pages filled, " << pages_overwritten << " overwritten";
  if (pages_overwritten != 0) text << " (write amplification " << write_amplification << ")";
  text << "; " << valid_pages << " valid pages, " << free_blocks << " free blocks";
  return text.str();
}

} // namespace twinplane::platform
