// What WorkProbe is told of commands. Nothing here changes anything.
#pragma once

#include "firmware/ftl/sched/command_group.h"

namespace twinplane::fw {

/// Why the page of slot `b` is not in a command with that of slot `a`.
HeldReason mismatch(const FtlState& state, const PageSlot& a, const PageSlot& b, PageHint hint);
/// The command, and why the planes of its die that it leaves out are left out.
IssuedWork issued_work(const FtlState& state, DieQueues& board, const GroupRules& rules,
                       const CommandGroup& g);

} // namespace twinplane::fw
