// The firmware as the software of the modelled core, whatever form it has: code of this program
// (host_firmware.h), or an image for a target core (image_firmware.h).
//
// When it refuses to boot or panics, the drive stands still with CSTS.CFS set, and the simulation goes on:
// other drives have nothing to do with it. An SC_ERROR "twinplane.firmware" says why. It is shown but not
// thrown, unlike other errors, because it would be thrown through the kernel and end everybody's simulation;
// a platform that wants that end gives the message type the action SC_STOP or SC_ABORT.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <systemc>
#include <utility>

#include "firmware/boot/firmware.h"
#include "hw/cpu/software.h"
#include "platform/fw_host/firmware_window.h"

namespace twinplane::platform {

class ImageMachine;
class ImageMeter;

/// The firmware's last words, thrown from wherever it was. In the core's thread FirmwareProcess takes them;
/// a caller of the firmware from outside (preconditioning) takes them itself.
class FirmwarePanic : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class FirmwareProcess : public hw::Software {
 public:
  virtual ~FirmwareProcess() = default;
  FirmwareProcess(const FirmwareProcess&) = delete;
  FirmwareProcess& operator=(const FirmwareProcess&) = delete;

  /// Called when the drive has come to stand still, in the core's thread.
  void on_failure(std::function<void()> call) { on_failure_ = std::move(call); }
  /// Called when the firmware has booted, in the core's thread, which goes on in a later time step.
  void on_booted(std::function<void()> call) { on_booted_ = std::move(call); }

  /// Before simulation starts: the cells have been written in an earlier power cycle, and the firmware is to
  /// find its tables in them before it gets ready (docs/power_loss.md).
  void recover_tables() { config_.ftl.used_cells = true; }

  /// How often the core has called step().
  std::uint64_t turns() const { return turns_; }
  /// Empty when the firmware has booted; else what it refused.
  const std::string& boot_error() const { return boot_error_; }
  bool booted() const { return booted_; }
  /// Empty, or the words of the panic that has ended the firmware.
  const std::string& panic() const { return panic_; }

  virtual FirmwareWindow& window() = 0;
  [[nodiscard]] virtual const FirmwareWindow& window() const = 0;
  /// For a look into its parts: null unless it is code of this program.
  virtual fw::Firmware* host_code() { return nullptr; }
  /// The same; the caller knows that it is.
  fw::Firmware& firmware() { return *host_code(); }
  /// False: it cannot be asked what goes on in it.
  virtual bool can_be_watched() const { return true; }
  /// Null unless it is an image.
  virtual ImageMachine* image() { return nullptr; }
  virtual ImageMeter* image_meter() { return nullptr; }

 protected:
  /// `drive` is for messages.
  FirmwareProcess(std::string drive, fw::Hal& hal, const fw::FirmwareConfig& config)
      : drive_(std::move(drive)), hal_(hal), config_(config) {}

  /// Ends boot(): with what the firmware refused, or nothing.
  void booted_with(const fw::Firmware::BootError& error);
  /// Ends boot(), and does not return.
  [[noreturn]] void failed_to_boot(const FirmwarePanic& panic);
  /// Ends step(), and does not return.
  [[noreturn]] void panicked(const FirmwarePanic& panic);

  fw::Hal& hal() { return hal_; }
  const fw::FirmwareConfig& config() const { return config_; }

  std::uint64_t turns_ = 0;

 private:
  [[noreturn]] void stand_still(const std::string& why);

  std::string drive_;
  fw::Hal& hal_;
  fw::FirmwareConfig config_;
  std::string boot_error_;
  std::string panic_;
  bool booted_ = false;
  std::function<void()> on_failure_;
  std::function<void()> on_booted_;
  sc_core::sc_event never_{"never"};
};

/// Before anything else has run: lets the simulation go on until the firmware has booted or has refused to,
/// or until it is stopped.
void run_until_booted(FirmwareProcess& firmware);

} // namespace twinplane::platform
