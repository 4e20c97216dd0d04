// Where things lie in the address space of the core that the image runs on. Tightly coupled memory holds what
// the image brings; everything that grows with the drive lies in DRAM.
#pragma once

#include <cstdint>

namespace twinplane::fw::target {

constexpr std::uint32_t kCode = 0x0000'0000; // vectors, text, constants, initial values of data
constexpr std::uint32_t kCodeBytes = 1u << 20;
constexpr std::uint32_t kData = 0x0020'0000; // stack at the bottom, then data and bss. Nothing lies below: a
constexpr std::uint32_t kDataBytes = 1u << 20; // stack that grows too far is a fault and not a riddle
constexpr std::uint32_t kStackBytes = 64u << 10;
constexpr std::uint32_t kRegisters = 0x4000'0000; // + an address of hw/spec/registers.h
constexpr std::uint32_t kRegisterBytes = 2u << 20;
constexpr std::uint32_t kDebug = 0x4100'0000; // debug window (image.h): registers ...
constexpr std::uint32_t kDebugBytes = 1u << 12;
constexpr std::uint32_t kWindow = 0x4200'0000; // ... and memory for arguments of calls from outside
constexpr std::uint32_t kWindowBytes = 1u << 20;
constexpr std::uint32_t kBoot = 0x5000'0000; // BootBlock, read only
constexpr std::uint32_t kBootBytes = 1u << 12;
constexpr std::uint32_t kDram = 0x6000'0000; // device DRAM: what hardware looks at, then tables
constexpr std::uint32_t kDramEnd = 0xFFFF'0000;

constexpr std::uint32_t kHeader = kCode + 0x80;      // ImageHeader
constexpr std::uint32_t kCallReturns = kCode + 0x14; // reserved vector: where a call from outside comes back
constexpr std::uint32_t kVectorBytes = kHeader - kCode;

} // namespace twinplane::fw::target
