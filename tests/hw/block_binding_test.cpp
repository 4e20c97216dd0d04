// What does the compiler allow to be bound to what?
#include <gtest/gtest.h>
#include <tlm_utils/simple_target_socket.h>

#include <type_traits>
#include <utility>

#include "hw/channel/channel_block.h"
#include "hw/controller/ecc_block.h"
#include "hw/controller/flash_controller.h"
#include "hw/core/dram_block.h"
#include "hw/cpu/core_block.h"
#include "hw/host_if/front_end_block.h"
#include "hw/nand/package_block.h"

namespace twinplane::hw::block_binding_test {
namespace {

template <typename From, typename To, typename = void>
struct Binds : std::false_type {};
template <typename From, typename To>
struct Binds<From, To, std::void_t<decltype(std::declval<From&>().bind(std::declval<To&>()))>>
    : std::true_type {};

template <typename From, typename To>
constexpr bool kBinds = Binds<From, To>::value;

using Bus = decltype(ControllerBlock::bus);
using Chip = decltype(ChannelBlock::chips)::element_type;
using In = decltype(ChannelBlock::in);
using Package = decltype(PackageBlock::bus);
using Registers = decltype(ControllerBlock::regs);
using Memory = decltype(DramBlock::port);
using CoreFlash = decltype(CoreBlock::flash)::element_type;

struct SomeMemory {};
using GenericMemory = tlm_utils::simple_target_socket<SomeMemory>;

TEST(BlockBinding, ATenureGoesToAChannelOrAPackageAndNowhereElse) {
  EXPECT_TRUE((kBinds<Bus, In>));
  EXPECT_TRUE((kBinds<Chip, Package>));
  EXPECT_TRUE((kBinds<Bus, Package>)) << "one package without a channel is for users to judge";
  EXPECT_FALSE((kBinds<Bus, Registers>));
  EXPECT_FALSE((kBinds<Bus, Memory>));
  EXPECT_FALSE((kBinds<Bus, GenericMemory>));
  EXPECT_FALSE((kBinds<Chip, GenericMemory>));
}

TEST(BlockBinding, ARegisterAccessDoesNotReachTheBus) {
  EXPECT_TRUE((kBinds<CoreFlash, Registers>));
  EXPECT_FALSE((kBinds<CoreFlash, In>));
  EXPECT_FALSE((kBinds<CoreFlash, Package>));
}

TEST(BlockBinding, SideChannelsAreTyped) {
  using Fence = decltype(ControllerBlock::dma_fence);
  using Ecc = decltype(ControllerBlock::ecc_stage);
  using EventQueuePort = decltype(ControllerBlock::event_queue);
  using Ready = decltype(PackageBlock::ready);
  EXPECT_TRUE((kBinds<Fence, DmaFence>));
  EXPECT_TRUE((kBinds<Ecc, EccStage>));
  EXPECT_TRUE((kBinds<EventQueuePort, EventQueue>));
  EXPECT_TRUE((kBinds<Ready, ControllerBlock>));
  EXPECT_FALSE((kBinds<Fence, EventQueue>));
  EXPECT_FALSE((kBinds<Fence, EccStage>));
  EXPECT_FALSE((kBinds<Ecc, DmaFence>));
  EXPECT_FALSE((kBinds<EventQueuePort, DmaFence>));
  EXPECT_FALSE((kBinds<Ready, EventQueue>));
}

} // namespace
} // namespace twinplane::hw::block_binding_test
