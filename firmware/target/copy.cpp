// memcpy() and memmove() with aligned accesses alone (the linker puts them before those of the C library,
// -wrap). Those of the library for this architecture align what they write to, and read words from wherever
// the source is: they are for blocks of words.
#include <cstddef>
#include <cstdint>

namespace {

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
  if (aligned(to, from)) return __real_memcpy(to, from, bytes);
  auto* d = static_cast<unsigned char*>(to);
  const auto* s = static_cast<const unsigned char*>(from);
  while (bytes-- != 0) *d++ = *s++;
  return to;
}

[[gnu::optimize("no-tree-loop-distribute-patterns")]] void* __wrap_memmove(void* to, const void* from,
                                                                           std::size_t bytes) {
  if (aligned(to, from)) return __real_memmove(to, from, bytes);
  auto* d = static_cast<unsigned char*>(to);
  const auto* s = static_cast<const unsigned char*>(from);
  if (reinterpret_cast<std::uintptr_t>(d) < reinterpret_cast<std::uintptr_t>(s))
    return __wrap_memcpy(to, from, bytes);
  while (bytes-- != 0) d[bytes] = s[bytes];
  return to;
}

} // extern "C"
