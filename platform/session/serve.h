// twinplane serve: a drive for a guest outside of the simulation, from a resolved configuration to the files
// of its output folder. And a guest's session once more, without the guest.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "platform/config/config.h"

namespace twinplane::platform {

struct ServeOptions {
  Config config;
  std::filesystem::path out;     // empty: no files, only the table on standard output
  std::string vfio_user;         // path of the socket at which one client is waited for; empty:
  std::vector<std::string> qemu; // command of the QEMU to start, without what connects it with the drive
  std::string image;             // file that keeps the drive between runs; empty: none
  std::string record;            // file for what crosses between guest and drive; empty: none
  bool paced = false;            // requests take no less of the wall clock's time than of simulated time
  std::string session;           // such a file, in the guest's place; empty: there is a guest
};

/// Serves one guest (the session that was recorded: then the image stays as it is) until it goes, or SIGINT
/// or SIGTERM ends it, and reports. Returns the exit status. Throws InputError for everything a user can
/// mend.
int serve_drive(const ServeOptions& options);

} // namespace twinplane::platform
