// Parameters of regions of blocks and of BROMS, which moves their border.
#include "platform/config/names.h"
#include "platform/config/registry_rows.h"

namespace twinplane::platform::rows {

namespace {

constexpr std::array kSharesOf = {entry("blocks", ShareOf::blocks), entry("capacity", ShareOf::capacity)};
constexpr std::array kVictimModels = {entry("law", VictimModel::law),
                                      entry("measured", VictimModel::measured)};

} // namespace

void add_region_rows(Rows& rows) {
  using R = RegionKeys;
  constexpr auto f = &Config::ftl;
  constexpr auto r = &FtlKeys::region;
  constexpr double kAny = 9'007'199'254'740'992; // 2^53
  rows.insert(
      rows.end(),
      {
          {"ftl.regions", name(names::regions),
           "kinds of blocks: one for all data; or hot ones that use their fast pages only and cold ones, "
           "with a border that stays or moves; or a cache in SLC mode and native ones",
           at<f, r, &R::regions>},
          {"ftl.hot_share", share(0.001, 0.999), "combo, broms: share of a plane that is hot at first",
           at<f, r, &R::hot_share>},
          {"ftl.hot_share_of", word(kSharesOf),
           "... of its blocks, or of what they hold: a hot block holds its fast pages alone",
           at<f, r, &R::hot_share_of>},
          {"ftl.hot_request", limited(Kind::size, 512, kAny),
           "classifier hot_size: requests of up to that size are hot", at<f, r, &R::hot_request>},
          {"ftl.cold_age", limited(Kind::real, 0, 1e6),
           "combo, broms: hot data that the host has not written again while it wrote so many hot regions "
           "full are cold and move; 0 = never",
           at<f, r, &R::cold_age>},
          {"ftl.cold_log", share(0.01, 0.99),
           "combo_logs: share of the hot blocks that the log of moved pages has", at<f, r, &R::cold_log>},
          {"ftl.second_chances", count(0, 255),
           "combo_logs: times that a valid page goes from the tail of the cold log to its head before it "
           "leaves it",
           at<f, r, &R::second_chances>},
      });
}

void add_broms_rows(Rows& rows) {
  using R = RegionKeys;
  constexpr auto f = &Config::ftl;
  constexpr auto r = &FtlKeys::region;
  rows.insert(
      rows.end(),
      {
          {"broms.victim_model", word(kVictimModels),
           "valid pages of victims as equation 6 predicts them, or that law fitted to those measured",
           at<f, r, &R::victim_model>},
          {"broms.hysteresis", share(0, 0.99), "share of the predicted cost that moving the border must save",
           at<f, r, &R::hysteresis>},
          {"broms.horizon", count(0, 4'000'000'000),
           "pages written that pay for moving a victim's pages to the other region; 0 = those until its "
           "data are written again; the largest: practically none, as in the paper",
           at<f, r, &R::horizon>},
          {"broms.window", count(1, 4'000'000'000), "pages written that the share of hot ones is taken from",
           at<f, r, &R::window>},
      });
}

} // namespace twinplane::platform::rows
