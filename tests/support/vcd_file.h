// A small VCD reader for tests: every declared signal with its changes, and complaints about what a
// viewer would stumble over (time going backwards, undeclared codes, a change outside a time step).
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace twinplane::test {

class VcdFile {
 public:
  using Changes = std::vector<std::pair<std::uint64_t, std::string>>; // time, value

  explicit VcdFile(const std::filesystem::path& path) {
    std::ifstream in(path);
    std::string line;
    while (std::getline(in, line) && line.rfind("$enddefinitions", 0) != 0) declaration(line);
    if (!scopes_.empty()) complaints_.push_back("scope not closed");
    while (std::getline(in, line)) {
      if (in.eof()) complaints_.push_back("last line cut: " + line);
      change(line);
    }
  }

  const std::map<std::string, Changes>& signals() const { return signals_; }
  const Changes& of(const std::string& name) const { return signals_.at(name); }
  const std::vector<std::string>& complaints() const { return complaints_; }
  std::uint64_t end() const { return time_; }

  /// Value of a signal at a time: binary digits, "x", or a text; "" before the first time step.
  std::string at(const std::string& name, std::uint64_t time) const {
    std::string value;
    for (const auto& change : of(name)) {
      if (change.first <= time) value = change.second;
    }
    return value;
  }
  std::uint64_t number_at(const std::string& name, std::uint64_t time) const {
    return std::stoull(at(name, time), nullptr, 2);
  }

 private:
  void declaration(const std::string& line) {
    std::istringstream words(line);
    std::string keyword, kind, a, b, name;
    words >> keyword;
    if (keyword == "$scope") {
      words >> kind >> name;
      scopes_.push_back(name);
    } else if (keyword == "$upscope") {
      scopes_.pop_back();
    } else if (keyword == "$var") {
      words >> kind >> a >> b >> name;
      std::string full;
      for (const std::string& scope : scopes_) full += scope + ".";
      if (!codes_.emplace(b, full + name).second) complaints_.push_back("code used twice: " + b);
      signals_[full + name];
    }
  }

  void change(const std::string& line) {
    if (line.empty() || line[0] == '$') return;
    if (line[0] == '#') {
      const std::uint64_t time = std::stoull(line.substr(1));
      if (stamped_ && time < time_) complaints_.push_back("time goes backwards at " + line);
      time_ = time;
      stamped_ = true;
      return;
    }
    const bool vector = line[0] == 'b' || line[0] == 'r' || line[0] == 's';
    const std::size_t space = line.find(' ');
    const std::string value = vector ? line.substr(1, space - 1) : line.substr(0, 1);
    const auto code = codes_.find(vector ? line.substr(space + 1) : line.substr(1));
    if (!stamped_) complaints_.push_back("change before the first time: " + line);
    if (code == codes_.end()) {
      complaints_.push_back("undeclared code: " + line);
    } else {
      signals_[code->second].emplace_back(time_, value);
    }
  }

  std::vector<std::string> scopes_;
  std::map<std::string, std::string> codes_;
  std::map<std::string, Changes> signals_;
  std::vector<std::string> complaints_;
  std::uint64_t time_ = 0;
  bool stamped_ = false;
};

} // namespace twinplane::test
