// Parameters of an SLC-mode cache.
#include "platform/config/registry_rows.h"

namespace twinplane::platform::rows {

namespace {

constexpr std::array kFits = {entry("at_most", CacheFit::at_most), entry("less", CacheFit::less)};
constexpr std::array kUpdates = {entry("subset", CacheUpdate::subset), entry("union", CacheUpdate::whole)};
constexpr std::array kAccesses = {entry("write", CacheAccess::write), entry("any", CacheAccess::any)};
constexpr std::array kFullPages = {entry("cache", FullPages::cache), entry("native", FullPages::native)};
constexpr std::array kEvictions = {entry("page", CacheEviction::page),
                                   entry("packed", CacheEviction::packed)};
constexpr std::array kFullCaches = {entry("wait", FullCache::wait), entry("direct", FullCache::direct)};

} // namespace

void add_slc_cache_rows(Rows& rows) {
  using C = SlcCacheKeys;
  constexpr auto f = &Config::ftl;
  constexpr auto c = &FtlKeys::slc_cache;
  rows.insert(
      rows.end(),
      {
          {"slc_cache.share", share(0.001, 0.9),
           "blocks of a plane that are the cache when it boots, at least two", at<f, c, &C::share>},
          {"slc_cache.least_share", share(0, 0.9),
           "the same when the drive is full of data: blocks change kind as these grow and shrink; 0 = "
           "slc_cache.share",
           at<f, c, &C::least_share>},
          {"slc_cache.most_share", share(0, 0.9), "the same when the drive is empty; 0 = slc_cache.share",
           at<f, c, &C::most_share>},
          {"slc_cache.gc_threshold", share(0, 0.9),
           "collect in a plane's cache when fewer of its pages can be handed out, those of open "
           "blocks included, or no block is erased",
           at<f, c, &C::gc_threshold>},
          {"slc_cache.fit", word(kFits),
           "ipu: an update fits into its page when it has at most as many subpages as are free "
           "there, or less",
           at<f, c, &C::fit>},
          {"slc_cache.update", word(kUpdates),
           "an update writes the subpages it touches, and the others stay where they are, or it "
           "writes all of the "
           "logical page that there is",
           at<f, c, &C::update>},
          {"slc_cache.access", word(kAccesses),
           "ipu: what ends the interval in which a page was not accessed: writes, or reads as well",
           at<f, c, &C::access>},
          {"slc_cache.full_pages", word(kFullPages),
           "where pages go that are written as a whole: the cache, or native blocks",
           at<f, c, &C::full_pages>},
          {"slc_cache.eviction", word(kEvictions),
           "a native page holds subpages of one logical page, or is packed with those of any; pslc always "
           "packs",
           at<f, c, &C::eviction>},
          {"slc_cache.when_full", word(kFullCaches),
           "what becomes of pages that find no place in the cache: they wait while it can be collected, or "
           "go to "
           "native blocks directly, and the cache is emptied when the host is idle (idle_collection) or its "
           "blocks are needed",
           at<f, c, &C::when_full>},
          {"slc_cache.endurance", limited(Kind::real, 1, 100000),
           "erases in SLC mode that wear a block as much as a native one", at<f, c, &C::endurance>},
          {"slc_cache.wear_gap", count(0, 1'000'000),
           "static wear levelling: a block that has been erased so many times less often, in native "
           "erases, than "
           "the most worn one of its region and plane is collected next; 0 = none",
           at<f, c, &C::wear_gap>},
      });
}

} // namespace twinplane::platform::rows
