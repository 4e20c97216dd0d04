// Text that grows at its end, with a claim/used pair for lines that are put together in place:
// a std::string's append costs as much as making a short line.
#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>
#include <vector>

namespace twinplane::platform {

class TextBuffer {
 public:
  /// Room for `bytes` at the end of the text; valid until the next call.
  char* claim(std::size_t bytes) {
    if (size_ + bytes > store_.size()) store_.resize(2 * store_.size() + bytes);
    return store_.data() + size_;
  }
  /// The claimed room was filled up to `end`.
  void used(const char* end) { size_ = static_cast<std::size_t>(end - store_.data()); }

  void append(std::string_view text) {
    std::memcpy(claim(text.size()), text.data(), text.size());
    size_ += text.size();
  }
  std::string_view text() const { return {store_.data(), size_}; }
  void clear() { size_ = 0; }

 private:
  std::vector<char> store_;
  std::size_t size_ = 0;
};

} // namespace twinplane::platform
