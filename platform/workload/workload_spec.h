// A synthetic workload in the words of fio (fio HOWTO, "Job file parameters"). Where fio and this differ, the
// field says so.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace twinplane::platform {

/// rw=
enum class AccessPattern : std::uint8_t { read, write, trim, rw, randread, randwrite, randtrim, randrw };

/// One entry of bssplit: requests of `bytes` are `percent` of all of their kind.
struct SizeShare {
  std::uint32_t bytes = 4096;
  double percent = 100.0;
};

/// One entry of random_distribution=zoned: `access_percent` of the requests go to the next `size_percent` of
/// the space, in order of address.
struct Zone {
  double access_percent = 100.0;
  double size_percent = 100.0;
};

/// One entry of random_distribution=sized (not one of fio's): requests of `bytes` go to the next
/// `size_percent` of the space; evenly, or by zipf:theta.
struct SizedSpace {
  std::uint32_t bytes = 4096;
  double size_percent = 100.0;
  double theta = 0.0;
};

/// random_distribution=
struct AddressDistribution {
  enum class Kind : std::uint8_t { random, zipf, pareto, normal, zoned, sized };
  Kind kind = Kind::random;
  /// zipf: theta > 0, P(rank k) ~ k^-theta. pareto: 0 < h <= 0.5: a share 1-h of the requests goes to a share
  /// h of the blocks. normal: standard deviation in percent of the space, around its middle.
  double parameter = 0.0;
  std::vector<Zone> zones;
  std::vector<SizedSpace> spaces; // of sized
};

struct WorkloadSpec {
  AccessPattern rw = AccessPattern::randread;
  /// bs / bssplit per kind of request. The percentages of each list add up to 100.
  std::vector<SizeShare> read_sizes{SizeShare{}};
  std::vector<SizeShare> write_sizes{SizeShare{}};
  std::vector<SizeShare> trim_sizes{SizeShare{}};
  double rwmixread = 50.0; // percent, for rw and randrw
  double rwmixtrim = 0.0;  // percent of what rw and randrw do not read: trims, not writes
  AddressDistribution random_distribution;
  double percentage_random = 100.0; // of a random pattern; the rest goes on where its kind left off
  /// randommap: every block once per pass over the space, in a random order of each pass. Off as with fio's
  /// norandommap=1 (fio's default is on). Only with random_distribution=random and one block size.
  bool randommap = false;
  std::uint64_t offset = 0;     // bytes: start of the space
  std::uint64_t size = 0;       // bytes: length of the space; must be set
  std::uint64_t blockalign = 0; // bytes: random offsets are multiples; 0 = the smallest block size
  std::uint64_t number_ios = 0; // requests in total, flushes of fsync not counted
  std::uint64_t fsync = 0;      // a flush after so many writes; 0 = none
  double rate_iops = 0.0;       // requests per second of all kinds together; 0 = no arrival times
  bool poisson = false;         // rate_process=poisson, else linear
  std::uint64_t thinktime_ns =
      0; // silence after every thinktime_blocks requests; closed loop: when all are done
  std::uint64_t thinktime_blocks = 1;
  std::uint64_t seed = 1;
};

/// The words of rw=: read write trim rw readwrite randread randwrite randtrim randrw. Throws InputError.
AccessPattern parse_access_pattern(const std::string& word);

/// random, zipf:THETA, pareto:H, normal:DEVIATION, zoned:ACCESS/SIZE:ACCESS/SIZE..., and
/// sized:BYTES/SIZE[/THETA]:BYTES/SIZE[/THETA]... Throws InputError.
AddressDistribution parse_distribution(const std::string& text);

/// `bs` is SIZE or READ,WRITE[,TRIM]; `bssplit` is SIZE/PERCENT:SIZE/PERCENT... likewise by commas and
/// replaces `bs` when not empty. A kind not listed takes the sizes of the one before it. Sizes are 512, 4k,
/// 4KiB, 1m, 1MiB. Percentages left out share what is left. Throws InputError.
void parse_block_sizes(const std::string& bs, const std::string& bssplit, WorkloadSpec& spec);

} // namespace twinplane::platform
