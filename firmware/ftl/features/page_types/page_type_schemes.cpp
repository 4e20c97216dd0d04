// The page-type specifying schemes of PA-SSD (section 4.2): one type for all pages of a write request.
//
//   US   the types in turn                              LFS  always LSB
//   HGS  the command's access latency, when it has one  SBS  LSB for small requests
//   QDS  LSB while the queue is longer than a threshold WBS  LSB when the write buffer is full
//   UBS  drawn by the free pages of each type
//
// HGS, SBS, QDS and WBS leave some requests undecided. "X+Y" asks Y then; what is still undecided is
// decided by US.
#include "firmware/ftl/bits.h"
#include "firmware/ftl/features/page_types/free_page_draw.h"
#include "firmware/ftl/features/page_types/page_types.h"

namespace twinplane::fw {

namespace {

enum class Scheme : std::uint8_t { US, HGS, LFS, SBS, QDS, WBS, UBS };

struct SchemeName {
  char text[4];
  Scheme scheme;
};
constexpr SchemeName kSchemes[] = {{"US", Scheme::US},   {"HGS", Scheme::HGS}, {"LFS", Scheme::LFS},
                                   {"SBS", Scheme::SBS}, {"QDS", Scheme::QDS}, {"WBS", Scheme::WBS},
                                   {"UBS", Scheme::UBS}};

struct Pair {
  Scheme scheme[2] = {Scheme::US, Scheme::US};
  bool valid = false;
};

/// Moves `text` behind the scheme name it starts with; false when it does not start with one.
bool take_name(const char*& text, Scheme& scheme) {
  for (const SchemeName& s : kSchemes) {
    std::uint32_t length = 0;
    while (s.text[length] != '\0' && text[length] == s.text[length]) ++length;
    const bool ends = text[length] == '\0' || text[length] == '+';
    if (s.text[length] != '\0' || !ends) continue;
    text += length;
    scheme = s.scheme;
    return true;
  }
  return false;
}

Pair parse(const char* text) {
  Pair pair;
  if (!take_name(text, pair.scheme[0])) return pair;
  if (*text == '+') {
    ++text;
    if (!take_name(text, pair.scheme[1])) return pair;
  }
  pair.valid = *text == '\0';
  return pair;
}

class PageTypeSchemes final : public Classifier {
 public:
  PageTypeSchemes(const FtlConfig& config, const Pair& pair)
      : pair_(pair),
        types_(static_cast<std::uint32_t>(config.geometry.cell)),
        sectors_per_page_(config.geometry.sectors_per_page()),
        small_pages_(config.small_request_pages),
        queue_threshold_(config.queue_threshold),
        random_(config.seed) {}

  PageHint classify(const Request& request, const DeviceState& state) override {
    for (const Scheme scheme : pair_.scheme) {
      const PageHint hint = ask(scheme, request, state);
      if (hint != kAnyPage) return hint;
    }
    return next_in_turn();
  }

  PageHint refine(PageHint request_hint, bool /*partial*/) const override { return request_hint; }

  void serialise(StateVisitor& state) override {
    state.value(turn_);
    state.value(random_);
    state.require(turn_ < types_, "it is damaged (the turn of page types)");
  }

 private:
  static constexpr PageHint kFastest = 1;

  PageHint ask(Scheme scheme, const Request& request, const DeviceState& state) {
    switch (scheme) {
      case Scheme::US:
        return next_in_turn();
      case Scheme::HGS:
        return by_access_latency(request.access_latency);
      case Scheme::LFS:
        return kFastest;
      case Scheme::SBS:
        return pages_touched(request) <= small_pages_ ? kFastest : kAnyPage;
      case Scheme::QDS: // the queue holds the request that enters
        return state.requests_in_flight + 1 > queue_threshold_ ? kFastest : kAnyPage;
      case Scheme::WBS:
        return state.write_buffer_free_pages < pages_touched(request) ? kFastest : kAnyPage;
      case Scheme::UBS:
        return draw_by_free_pages(random_, state.free_pages, types_);
    }
    return kAnyPage;
  }

  PageHint next_in_turn() {
    const auto hint = static_cast<PageHint>(1 + turn_);
    turn_ = turn_ + 1 == types_ ? 0 : turn_ + 1;
    return hint;
  }

  PageHint by_access_latency(nvme::AccessLatency latency) const {
    switch (latency) {
      case nvme::AccessLatency::smallest:
        return kFastest;
      case nvme::AccessLatency::typical:
        return static_cast<PageHint>((types_ + 1) / 2); // TLC: CSB
      case nvme::AccessLatency::longer:
        return static_cast<PageHint>(types_);
      case nvme::AccessLatency::none:
        break;
    }
    return kAnyPage;
  }

  std::uint32_t pages_touched(const Request& r) const {
    const auto first = static_cast<std::uint32_t>(r.lba % sectors_per_page_);
    return (first + r.sectors + sectors_per_page_ - 1) / sectors_per_page_;
  }

  Pair pair_;
  std::uint32_t types_;
  std::uint32_t sectors_per_page_;
  std::uint32_t small_pages_;
  std::uint32_t queue_threshold_;
  std::uint32_t turn_ = 0;
  Random random_;
};

} // namespace

Classifier* make_page_type_schemes(BootMemory& memory, const FtlConfig& config, const char* schemes) {
  const Pair pair = parse(schemes);
  return pair.valid ? memory.make<PageTypeSchemes>(config, pair) : nullptr;
}

bool is_page_type_scheme(const char* schemes) {
  return parse(schemes).valid;
}

} // namespace twinplane::fw
