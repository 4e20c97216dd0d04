// The device's internal address map as the CPU sees it, and the registers of each block.
// All registers are 32 bits wide; offsets in bytes. "visible" registers answer for the time of the
// access (now + annotated delay), so firmware never sees something before its time.
#pragma once

#include <cstdint>

namespace twinplane::reg {

// --- CPU address map ---
constexpr std::uint32_t kHostBase = 0x0000'0000;
constexpr std::uint32_t kIntcBase = 0x0001'0000;
constexpr std::uint32_t kTimerBase = 0x0001'1000;
constexpr std::uint32_t kFlashBase = 0x0010'0000;
constexpr std::uint32_t kFlashStride = 0x1000; // one register bank per channel

// --- interrupt sources (bit numbers of INTC CAUSE; write the number to INTC TRIGGER) ---
namespace irq {
constexpr std::uint32_t host_command = 0; // command ring has visible entries
constexpr std::uint32_t host_event = 1;   // HOST_EVENT has bits set (enable, disable, shutdown, bad doorbell)
constexpr std::uint32_t host_dma = 2;     // a descriptor with dma_flag::notify is done
constexpr std::uint32_t timer = 3;
constexpr std::uint32_t flash_error = 4; // a flash controller has set a bit of its ERROR register
constexpr std::uint32_t power_fail = 5;  // the supply has failed: what is left is hold-up energy
constexpr std::uint32_t software = 6;    // no device's: firmware that has work left writes it to INTC TRIGGER
constexpr std::uint32_t flash0 = 8;      // + channel: completion ring has visible entries
} // namespace irq

/// Interrupt controller (one per CPU).
namespace intc {
constexpr std::uint32_t cause_lo = 0x00;  // RO visible, clears on read: sources 0..31
constexpr std::uint32_t cause_hi = 0x04;  // RO visible, clears on read: sources 32..63
constexpr std::uint32_t cause_top = 0x08; // RO visible, clears on read: sources 64..95
constexpr std::uint32_t trigger = 0x10;   // WO: source number (message-signalled, time-annotated)
constexpr std::uint32_t sources = 96;
} // namespace intc

/// Timer: one shot, and the time since power-on.
namespace timer {
constexpr std::uint32_t arm_ns = 0x00;  // WO: raise irq::timer that many ns from now; 0 disarms
constexpr std::uint32_t time_lo = 0x04; // RO: picoseconds, bits 31:0; keeps bits 63:32 for time_hi
constexpr std::uint32_t time_hi = 0x08; // RO: bits 63:32 of the time that time_lo was read at
} // namespace timer

/// One flash controller (channel).
namespace flash {
constexpr std::uint32_t id = 0x00;      // RO: 'TPFC' = 0x54504643
constexpr std::uint32_t control = 0x04; // RW: bit 0 enable (rings must be set); cleared by an error
// the rings may be set while the controller is off and all completions have been read; enabling checks them
constexpr std::uint32_t submission_base = 0x08; // RW: DRAM byte offset
constexpr std::uint32_t submission_size = 0x0C; // RW: entries, power of two
constexpr std::uint32_t completion_base = 0x10; // RW: DRAM byte offset
constexpr std::uint32_t completion_size = 0x14; // RW: entries, power of two
constexpr std::uint32_t doorbell = 0x18;        // WO: submission tail (free running)
constexpr std::uint32_t submission_head = 0x1C; // RO: descriptors consumed (free running)
// RO visible: completions appended (free running). The entries before the value that was read last count as
// taken when the doorbell is rung next: their slots may be written again.
constexpr std::uint32_t completion_tail = 0x20;
constexpr std::uint32_t error = 0x24; // RW: flash_error bits; writing 1 clears a bit
// RO: bit n: knows FlashOp n. A controller that has no such register answers 0: it reads, programs and
// erases, and its targets are at their timing mode without firmware's doing.
constexpr std::uint32_t operations = 0x28;
constexpr std::uint32_t functional = 0x800; // debug transport only: FlashDescriptor in, FlashCompletion out
constexpr std::uint32_t id_value = 0x54504643;
} // namespace flash

/// Why a flash controller has stopped: it takes no more descriptors, what it has taken goes on. Each bit
/// raises irq::flash_error.
namespace flash_error {
constexpr std::uint32_t bad_ring = 1u << 0;     // size not a power of two, outside DRAM, or set while enabled
constexpr std::uint32_t bad_doorbell = 1u << 1; // not enabled, or more descriptors than the ring holds
constexpr std::uint32_t too_many_commands = 1u << 2;   // more than the controller can hold
constexpr std::uint32_t completion_overflow = 1u << 3; // doorbell for more than the completion ring has room
} // namespace flash_error

/// NVMe front end, firmware's side.
namespace host {
constexpr std::uint32_t command_base = 0x00; // RW: DRAM byte offset of the command ring
constexpr std::uint32_t command_size = 0x04; // RW: entries, power of two
constexpr std::uint32_t command_tail = 0x08; // RO visible
constexpr std::uint32_t command_head = 0x0C; // WO
constexpr std::uint32_t dma_base = 0x10;     // RW
constexpr std::uint32_t dma_size = 0x14;     // RW
constexpr std::uint32_t dma_tail = 0x18;     // WO: doorbell
constexpr std::uint32_t dma_done = 0x1C;     // RO visible: descriptors done (free running)
constexpr std::uint32_t event = 0x20;        // RO, clears on read: host_event bits, in their order
constexpr std::uint32_t event_info = 0x24;   // RO: async event info of the last bad doorbell
constexpr std::uint32_t control =
    0x28; // WO: bit 0 set CSTS.RDY, bit 1 clear CSTS.RDY, bit 2 shutdown complete,
          //     bit 3 set CSTS.CFS, bit 4 the same for good: firmware has stopped, no reset helps
constexpr std::uint32_t arbitration = 0x2C; // WO: AB[2:0], LPW[15:8], MPW[23:16], HPW[31:24] (feature 01h)
constexpr std::uint32_t coalescing = 0x30;  // WO: THR[7:0], TIME[15:8] in 100 us (feature 08h)
constexpr std::uint32_t max_slots = 0x34;   // RO: number of command slots
constexpr std::uint32_t inflight =
    0x38; // RO visible: commands fetched and not completed, accesses to host memory
constexpr std::uint32_t queued = 0x3C; // RO visible: entries announced by doorbells and not yet fetched
// queue mailbox: write the fields, then `queue_command`; `queue_result` holds 0 or an NVMe status
constexpr std::uint32_t queue_id = 0x40;      // RW
constexpr std::uint32_t queue_base_lo = 0x44; // RW: host address
constexpr std::uint32_t queue_base_hi = 0x48; // RW
constexpr std::uint32_t queue_entries = 0x4C; // RW: number of entries (not zero based)
constexpr std::uint32_t queue_cq = 0x50;      // RW: SQ: completion queue id
constexpr std::uint32_t queue_flags = 0x54;   // RW: CQ: bit 0 interrupts enabled, bits 31:16 vector; SQ: bits
                                              // 2:1 QPRIO, bits 31:16 CommandEntry::queue_tag
constexpr std::uint32_t queue_command = 0x58; // WO: queue_op
constexpr std::uint32_t queue_result = 0x5C;  // RO
constexpr std::uint32_t dma_status = 0x70;    // RW: DRAM byte offset of the DmaStatus
constexpr std::uint32_t dma_move = 0x74;      // WO: move data up to this index now; time counts from dma_tail
constexpr std::uint32_t data_slot = 0x78;     // RW: the command that data_status tells of
constexpr std::uint32_t data_status =
    0x7C; // RO: NVMe status of its first data that failed to move, 0 if none
} // namespace host

/// What the host did since the last read. A reset revokes what the host asked for before it: when CC.EN
/// falls, the front end takes back `enabled` and `shutdown` that were not read. So bits read together
/// happened in the order disabled, enabled, shutdown, however often the host changed its mind.
namespace host_event {
constexpr std::uint32_t enabled = 1u << 0;  // CC.EN 0 -> 1: set up, then control.set_ready
constexpr std::uint32_t disabled = 1u << 1; // CC.EN 1 -> 0: controller reset; all queues are gone
constexpr std::uint32_t shutdown = 1u << 2; // CC.SHN written
constexpr std::uint32_t bad_doorbell = 1u << 3;
} // namespace host_event

/// set_ready and shutdown_complete answer an event: they have no effect once the host has reset the
/// controller after it, whether firmware has read that reset or not.
namespace host_control {
constexpr std::uint32_t set_ready = 1u << 0;
constexpr std::uint32_t clear_ready = 1u << 1;
constexpr std::uint32_t shutdown_complete = 1u << 2;
constexpr std::uint32_t set_fatal = 1u << 3;
constexpr std::uint32_t halted = 1u << 4;
} // namespace host_control

namespace queue_op {
constexpr std::uint32_t create_cq = 1;
constexpr std::uint32_t create_sq = 2;
constexpr std::uint32_t delete_cq = 3;
constexpr std::uint32_t delete_sq = 4;
constexpr std::uint32_t shadow_doorbells = 5; // their page is queue_base
constexpr std::uint32_t event_indices = 6;    // ... theirs; from here on both are used
} // namespace queue_op

} // namespace twinplane::reg
