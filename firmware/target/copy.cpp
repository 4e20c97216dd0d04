// memcpy() and memmove() with aligned accesses alone (the linker puts them before those of the C library,
// -wrap). Those of the library for this architecture align what they write to, and read words from wherever
// the source is, and of three bytes at the end the last two as a half word: they are for whole words.
#include <cstddef>
#include <cstdint>

namespace {

constexpr std::size_t kRest = 3; // bytes of a word

inline bool aligned(const void* a, const void* b) {
  return ((reinterpret_cast<std::uintptr_t>(a) | reinterpret_cast<std::uintptr_t>(b)) & 3u) == 0;
}

} // namespace

extern "C" {

void* __real_memcpy(void* to, const void* from, std::size_t bytes);
void* __real_memmove(void* to, const void* from, std::size_t bytes);

// Without that optimisation: it would make calls of these functions out of the loops.
[[gnu::optimize("no-tree-loop-distribute-patterns")]] void* __wrap_memcpy(void* to, const void* from,
                                                                          std::size_t bytes) {
  auto* d = static_cast<unsigned char*>(to);
  const auto* s = static_cast<const unsigned char*>(from);
  if (aligned(to, from)) {
    const std::size_t words = bytes & ~kRest;
    __real_memcpy(d, s, words);
    d += words;
    s += words;
    bytes &= kRest;
  }
  while (bytes-- != 0) *d++ = *s++;
  return to;
}

[[gnu::optimize("no-tree-loop-distribute-patterns")]] void* __wrap_memmove(void* to, const void* from,
                                                                           std::size_t bytes) {
  auto* d = static_cast<unsigned char*>(to);
  const auto* s = static_cast<const unsigned char*>(from);
  const std::size_t words = aligned(to, from) ? bytes & ~kRest : 0;
  if (reinterpret_cast<std::uintptr_t>(d) < reinterpret_cast<std::uintptr_t>(s)) {
    __real_memmove(d, s, words);
    for (std::size_t i = words; i < bytes; ++i) d[i] = s[i];
  } else {
    for (std::size_t i = bytes; i-- > words;) d[i] = s[i];
    __real_memmove(d, s, words);
  }
  return to;
}

} // extern "C"
