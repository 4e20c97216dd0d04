#include "platform/config/meanings.h"

namespace twinplane::platform {
namespace {

struct Row {
  std::string_view key, name, meaning;
};

constexpr Row kRows[] = {
    {"ftl.policy", "conventional", "no page types, plane first, greedy victims, reads before writes"},
    {"ftl.policy", "pa-ssd", "PA-SSD: page types by queue depth, else by free pages; relaxed program order"},
    {"ftl.policy", "pa-twin", "PA-SSD's page types on twin blocks, so that planes pair; beyond the paper"},
    {"ftl.policy", "papa", "PAPA (MSST'20): fast pages for partly covered pages, slow ones for whole pages"},
    {"ftl.policy", "combo", "ComboFTL: hot blocks use fast pages only, a fixed share of them"},
    {"ftl.policy", "broms", "BROMS: the same with a border that moves by predicted cost"},
    {"ftl.policy", "slc_cache",
     "writes go to blocks in SLC mode first, one page each; valid pages are evicted"},
    {"ftl.policy", "mga", "MGA: the same, with subpages of different pages packed by partial programming"},
    {"ftl.policy", "ipu", "IPU: the same, with updates programmed into their own page, and levels"},
    {"ftl.classifier", "none", "no request asks for a page type"},
    {"ftl.classifier", "papa", "PAPA: a page covered in part LSB, a whole page MSB"},
    {"ftl.classifier", "size", "PAPA's rival: small requests LSB, larger ones MSB"},
    {"ftl.classifier", "hot_size", "requests up to ftl.hot_request hot (LSB), larger ones cold (MSB)"},
    {"ftl.classifier", "US", "the types in turn"},
    {"ftl.classifier", "HGS", "the access latency that the command asks for, else in turn"},
    {"ftl.classifier", "LFS", "always LSB, the fastest"},
    {"ftl.classifier", "SBS", "LSB for small requests, else in turn"},
    {"ftl.classifier", "QDS", "LSB while the queue is long, else in turn"},
    {"ftl.classifier", "WBS", "LSB when the write buffer is full, else in turn"},
    {"ftl.classifier", "UBS", "drawn by the free pages of each type"},
    {"ftl.plane_allocation", "F", "fully dynamic: an idle die of the drive, the next die first"},
    {"ftl.plane_allocation", "D",
     "the die within its chip by address, channel and chip dynamic; its planes first"},
    {"ftl.plane_allocation", "F2", "fully dynamic, the planes of a die first, so that they pair"},
    {"ftl.block_allocation", "conventional", "pages in the data sheet's order, one write frontier per plane"},
    {"ftl.block_allocation", "pa", "up to three open blocks per plane, one for each page type (PA-SSD)"},
    {"ftl.block_allocation", "pa-twin", "the same for the twin blocks of all planes of a die"},
    {"ftl.block_allocation", "twin", "twin blocks: equal block and page in all planes of a die (TBM)"},
    {"ftl.mapping", "page", "each logical page anywhere; the whole map in device memory"},
    {"ftl.victim", "greedy", "the block with the most invalid pages; the oldest of equals"},
    {"ftl.victim", "rga", "the best of ftl.victim_d random blocks"},
    {"ftl.victim", "fifo", "the block that was closed first"},
    {"ftl.victim", "random", "any block with an invalid page"},
    {"ftl.victim", "cost_benefit", "the largest age x (1 - u) / 2u, u the share of valid pages"},
    {"ftl.relocation", "same", "inside the plane, as host writes are placed"},
    {"ftl.relocation", "ubs", "inside the plane, the type drawn by the free pages (PA-SSD)"},
    {"ftl.relocation", "slow", "inside the plane, onto the slowest type (PAPA)"},
    {"ftl.scheduling", "fifo", "in order of arrival; only neighbours join in multi-plane commands"},
    {"ftl.scheduling", "read_first", "reads, urgent collection, writes, collection, erases"},
    {"ftl.scheduling", "paq", "reads first; the whole queue is searched for multi-plane partners"},
    {"ftl.regions", "one", "all blocks serve all data and use all pages"},
    {"ftl.regions", "combo", "hot blocks with fast pages only and cold blocks, in fixed numbers (ComboFTL)"},
    {"ftl.regions", "combo_logs",
     "combo with ComboFTL's two circular logs, which pages leave by second chances"},
    {"ftl.regions", "broms", "combo's blocks in numbers that follow the predicted cost of a page write"},
    {"ftl.regions", "slc_cache", "a cache of blocks in SLC mode before native ones, a page per write"},
    {"ftl.regions", "mga", "such a cache whose pages take subpages of any pages until they are full (MGA)"},
    {"ftl.regions", "ipu", "such a cache whose pages take newer versions of their own data (IPU)"},
};

std::string_view written(std::string_view key, std::string_view name) {
  for (const Row& row : kRows) {
    if (row.key == key && row.name == name) return row.meaning;
  }
  return {};
}

/// "QDS+UBS": what the first leaves open is decided by the second instead of in turn.
std::string of_pair(std::string_view name) {
  constexpr std::string_view kInTurn = ", else in turn";
  const std::size_t plus = name.find('+');
  if (plus == std::string_view::npos) return {};
  std::string first(written("ftl.classifier", name.substr(0, plus)));
  const std::string_view second = written("ftl.classifier", name.substr(plus + 1));
  if (first.empty() || second.empty()) return {};
  if (const std::size_t tail = first.rfind(kInTurn); tail != std::string::npos) first.erase(tail);
  return first + "; else " + std::string(second);
}

/// "WCDP": a stripe goes to the chips first, then to the channels, ...
std::string of_order(std::string_view name) {
  constexpr Row kLevels[] = {
      {"", "C", "channels"}, {"", "W", "chips"}, {"", "D", "dies"}, {"", "P", "planes"}};
  std::string text;
  for (const char letter : name) {
    std::string_view level;
    for (const Row& row : kLevels) {
      if (row.name.front() == letter) level = row.meaning;
    }
    if (level.empty()) return {};
    text.append(text.empty() ? "by address: " : ", then ").append(level);
  }
  return text;
}

/// "f2+tbm+bac": the drives that the letter on twin blocks compares.
std::string of_letter(std::string_view name) {
  const std::string_view planes = name.substr(0, name.find('+'));
  if (planes != "f" && planes != "d" && planes != "f2") return {};
  const bool twin = name.find("+tbm") != std::string_view::npos;
  const bool bac = name.find("+bac") != std::string_view::npos;
  std::string text = "TBM letter: allocation ";
  text += planes == "f" ? "F" : planes == "d" ? "D" : "F2";
  text += twin ? ", twin blocks" : ", conventional blocks";
  text += bac ? ", dies ask for equal blocks too" : ", dies ask for equal pages";
  return text;
}

} // namespace

std::string meaning_of(std::string_view key, std::string_view name) {
  if (const std::string_view known = written(key, name); !known.empty()) return std::string(known);
  if (key == "ftl.classifier") return of_pair(name);
  if (key == "ftl.plane_allocation") return of_order(name);
  return key == "ftl.policy" ? of_letter(name) : std::string();
}

} // namespace twinplane::platform
