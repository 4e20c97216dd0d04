#include "platform/session/session_file.h"

#include <array>
#include <boost/crc.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "platform/config/error.h"
#include "platform/config/export.h"
#include "platform/config/loader.h"
#include "platform/session/config_differences.h"

namespace twinplane::platform {
namespace {

constexpr std::uint64_t kMostText = 4096;

bool concerns_session(const std::string& section, const std::string&) {
  return section != "report" && section != "waves";
}

void serialise(StateVisitor& state, std::string& text) {
  std::uint64_t length = text.size();
  state.value(length);
  if (length > kMostText) state.refuse("it is damaged (a name longer than any)");
  text.resize(length);
  state.bytes(text.data(), length);
}

void serialise(StateVisitor& state, SessionHead& head) {
  state.section("session");
  serialise(state, head.program);
  serialise(state, head.source);
  state.value(head.image);
}

} // namespace

const StateFileKind kSession = {"twinplane session ", "2", "a guest's session", "serve --record", true};

std::uint64_t digest_of_image(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError("--image " + path + ": cannot be opened");
  boost::crc_32_type crc;
  std::uint64_t size = 0;
  std::vector<char> part(std::size_t{1} << 20);
  while (file.read(part.data(), static_cast<std::streamsize>(part.size())), file.gcount() > 0) {
    crc.process_bytes(part.data(), static_cast<std::size_t>(file.gcount()));
    size += static_cast<std::uint64_t>(file.gcount());
  }
  return size << 32 | crc.checksum() | std::uint64_t{1} << 63;
}

std::unique_ptr<StateSaver> begin_session(const std::string& path, const Config& config, SessionHead head) {
  auto saver = std::make_unique<StateSaver>(path, dump_toml(config), kSession);
  serialise(*saver, head);
  saver->boundary(true);
  return saver;
}

RecordedSession::RecordedSession(const std::string& path)
    : path_(path), loader_(path, "--replay-session", kSession) {
  serialise(loader_, head_);
}

void RecordedSession::require_same_drive(const Config& config, const std::string& image) {
  ConfigLoader recorded;
  recorded.add_text(loader_.config(), path_);
  const std::string differences =
      config_differences(to_json(recorded.finish().config), to_json(config), "recorded", concerns_session);
  if (!differences.empty()) loader_.refuse(("it is the session of another drive:" + differences).c_str());
  if (head_.image == 0 && !image.empty())
    loader_.refuse(("the drive began without an image, and --image " + image + " is given").c_str());
  if (head_.image != 0 && image.empty())
    loader_.refuse("the drive began with an image: expected --image FILE with a copy of it");
  if (head_.image != 0 && digest_of_image(image) != head_.image)
    loader_.refuse(("the drive began with another image than " + image).c_str());
}

} // namespace twinplane::platform
