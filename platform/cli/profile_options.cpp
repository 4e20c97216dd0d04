#include "platform/cli/profile_options.h"

#include "platform/cli/validators.h"
#include "platform/config/error.h"
#include "platform/config/units.h"
#include "platform/workload/profile_loader.h"

namespace twinplane::platform::cli {

namespace {

/// "8GiB" or a share of the drive, "80%".
void read_footprint(const std::string& text, ProfileOptions& options) {
  if (!text.empty() && text.back() == '%') {
    const auto share = parse_fraction(text);
    if (share && *share > 0.0 && *share <= 1.0) {
      options.footprint_share = *share;
      return;
    }
  } else if (const auto bytes = parse_quantity(Dimension::size, text); bytes && *bytes > 0) {
    options.scale.footprint = *bytes;
    return;
  }
  throw CLI::ValidationError("--footprint",
                             "expected a size such as 8GiB or a share of the drive such as 80%, got " + text);
}

} // namespace

void add_profile_options(CLI::App& command, ProfileOptions& options) {
  CLI::Option* profile =
      command
          .add_option("--profile", options.name,
                      "workload profile: a built-in name (`twinplane list profiles`) or a TOML file")
          ->type_name("NAME|FILE");
  command
      .add_option("--profile-set", options.changes,
                  "changes one key of the profile, e.g. arrival.bias=0.8; may be repeated")
      ->take_all()
      ->allow_extra_args(false)
      ->needs(profile)
      ->type_name("KEY=VALUE");
  command
      .add_option("--requests", options.scale.requests,
                  "scales a profile to so many requests; its addresses and footprint go along")
      ->check(whole_number(1))
      ->needs(profile)
      ->type_name("N");
  command
      .add_option_function<std::string>(
          "--footprint", [&options](const std::string& text) { read_footprint(text, options); },
          "footprint of a profile instead: a size, or a share of the drive")
      ->needs(profile)
      ->type_name("SIZE|SHARE%");
  command
      .add_option("--time-scale", options.scale.time,
                  "multiplies a profile's arrival times: 0.1 is ten times as intense")
      ->check(above_zero())
      ->needs(profile)
      ->type_name("X");
}

Profile resolve_profile(const ProfileOptions& options, std::uint64_t exported_bytes) {
  Profile profile = load_profile(options.name, options.changes);
  ProfileScale by = options.scale;
  if (options.footprint_share > 0.0) {
    by.footprint = static_cast<std::uint64_t>(static_cast<double>(exported_bytes) * options.footprint_share);
    if (profile.offset + by.footprint > exported_bytes) profile.offset = exported_bytes - by.footprint;
  }
  if (options.seed) profile.seed = *options.seed;
  return scale(std::move(profile), by);
}

} // namespace twinplane::platform::cli
