#include "tests/nvme/sector_shadow.h"

#include <algorithm>
#include <cstring>

namespace twinplane::test {

namespace {
std::uint64_t load_word(const std::uint8_t* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}
} // namespace

// Version and address can be told from the first word: the multiplier is odd, so it can be undone.
std::uint64_t SectorShadow::first_word(std::uint32_t version, std::uint64_t lba) const {
  return std::uint64_t{version} << 32 | (lba & 0xFFFF'FFFF);
}

void SectorShadow::fill(std::uint8_t* sector, std::uint32_t version, std::uint64_t lba) const {
  const std::uint64_t first = version == 0 ? 0 : first_word(version, lba);
  const std::uint64_t step = version == 0 ? 0 : 0x9E37'79B9'7F4A'7C15u;
  std::uint64_t word = first;
  for (std::uint32_t at = 0; at < bytes_; at += 8, word += step) std::memcpy(sector + at, &word, sizeof word);
}

bool SectorShadow::holds(const std::uint8_t* sector, std::uint32_t content, std::uint64_t lba) const {
  if (content == kSpoilt) return false;
  std::uint64_t word = content == 0 ? 0 : first_word(content, lba);
  const std::uint64_t step = content == 0 ? 0 : 0x9E37'79B9'7F4A'7C15u;
  std::uint64_t wrong = 0;
  for (std::uint32_t at = 0; at < bytes_; at += 8, word += step) wrong |= load_word(sector + at) ^ word;
  return wrong == 0;
}

std::string SectorShadow::describe(const std::uint8_t* sector, std::uint64_t lba) const {
  if (holds(sector, 0, lba)) return "zeros";
  const std::uint64_t first = load_word(sector);
  const auto version = static_cast<std::uint32_t>(first >> 32);
  const std::uint64_t of = first & 0xFFFF'FFFF;
  if (version == 0 || version > last_version_) return "unknown bytes";
  const std::string name = "version " + std::to_string(version) + " of LBA " + std::to_string(of);
  return holds(sector, version, of) ? name : "the beginning of " + name + ", then something else";
}

void SectorShadow::begin(std::uint64_t lba, std::uint32_t version, std::uint32_t content) {
  sectors_[lba].candidates.push_back(Candidate{version, content, true, 0});
}

void SectorShadow::all_zeros(TimePs now) {
  for (auto& [lba, sector] : sectors_) {
    sector.past.clear();
    sector.candidates.assign(1, Candidate{next_version(), 0, false, now});
  }
}

bool SectorShadow::may_be_spoilt(std::uint64_t lba, TimePs sent) const {
  const auto found = sectors_.find(lba);
  if (found == sectors_.end()) return false;
  const auto& past = found->second.past;
  const auto& candidates = found->second.candidates;
  return std::any_of(candidates.begin(), candidates.end(),
                     [](const auto& c) { return c.content == kSpoilt; }) ||
         std::any_of(past.begin(), past.end(),
                     [sent](const auto& p) { return p.content == kSpoilt && p.until >= sent; });
}

bool SectorShadow::must_be_spoilt(std::uint64_t lba, TimePs sent) const {
  std::uint32_t content = 0;
  const auto found = sectors_.find(lba);
  if (found == sectors_.end() || !only_content(lba, sent, content) || content != kSpoilt) return false;
  const auto& past = found->second.past;
  return std::none_of(past.begin(), past.end(), [sent](const auto& p) { return p.until >= sent; });
}

void SectorShadow::succeeded(std::uint64_t lba, std::uint32_t version, TimePs sent, TimePs now) {
  Sector& sector = sectors_[lba];
  std::vector<Candidate> left;
  for (Candidate& candidate : sector.candidates) {
    if (candidate.version == version) {
      candidate.pending = false;
      candidate.ended = now;
    }
    if (candidate.version != version && !candidate.pending && candidate.ended < sent) {
      sector.past.push_back(Past{candidate.content, now});
    } else {
      left.push_back(candidate);
    }
  }
  sector.candidates = left;
}

void SectorShadow::forget_before(TimePs time) {
  for (auto& [lba, sector] : sectors_) {
    auto& past = sector.past;
    past.erase(std::remove_if(past.begin(), past.end(), [time](const Past& p) { return p.until < time; }),
               past.end());
  }
}

void SectorShadow::unclear(std::uint64_t lba, std::uint32_t version, TimePs now) {
  for (Candidate& candidate : sectors_[lba].candidates) {
    if (candidate.version != version) continue;
    candidate.pending = false;
    candidate.ended = now;
  }
}

void SectorShadow::untouched(std::uint64_t lba, std::uint32_t version) {
  auto& candidates = sectors_[lba].candidates;
  candidates.erase(std::remove_if(candidates.begin(), candidates.end(),
                                  [version](const Candidate& c) { return c.version == version; }),
                   candidates.end());
}

std::string SectorShadow::check(std::uint64_t lba, const std::uint8_t* sector, TimePs sent, TimePs now) {
  ++checked_;
  Sector& known = sectors_[lba];
  bool settled = true; // nothing overlaps this read
  for (const Candidate& candidate : known.candidates)
    settled = settled && !candidate.pending && candidate.ended < sent;
  for (const Candidate& candidate : known.candidates) {
    if (!holds(sector, candidate.content, lba)) continue;
    if (settled) {
      const Candidate found = candidate;
      for (const Candidate& other : known.candidates)
        known.past.push_back(Past{other.content, now}); // older reads
      known.candidates.assign(1, found);
    }
    return "";
  }
  for (const Past& past : known.past) {
    if (past.until >= sent && holds(sector, past.content, lba)) return "";
  }
  std::string text = "LBA " + std::to_string(lba) + " holds " + describe(sector, lba) + " at " +
                     std::to_string(now / 1000) + " ns; it may hold";
  for (const Candidate& candidate : known.candidates) {
    text += candidate.content == 0 ? " zeros (" : candidate.content == kSpoilt ? " nothing (" : " (";
    text += std::to_string(candidate.version) + (candidate.pending ? ", in flight)" : ")");
  }
  return text;
}

bool SectorShadow::certain(std::uint64_t lba, TimePs sent, std::uint32_t& version) const {
  const bool one = only_content(lba, sent, version);
  if (version != kSpoilt) return one;
  version = 0;
  return false; // it has no bytes
}

bool SectorShadow::only_content(std::uint64_t lba, TimePs sent, std::uint32_t& version) const {
  const auto found = sectors_.find(lba);
  version = 0;
  if (found == sectors_.end()) return true;
  const auto& candidates = found->second.candidates;
  version = candidates[0].content;
  return candidates.size() == 1 && !candidates[0].pending && candidates[0].ended < sent;
}

} // namespace twinplane::test
