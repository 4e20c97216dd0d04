#include "firmware/ftl/features/page_types/relaxed_order.h"
#include "firmware/ftl/policies.h"
#include "firmware/ftl/rules/rules.h"

namespace twinplane::fw {

namespace {

constexpr Rule kRules[] = {
    {"nand.program_order: must be \"relaxed\" with ftl.block_allocation = pa, pa-twin, which choose a page "
     "by "
     "its type",
     [](const FtlConfig& c) {
       return c.program_order != ProgramOrder::strict && c.program_order != ProgramOrder::ascending;
     }},
    {"nand.page_table: must be \"diagonal\" with ftl.block_allocation = pa, pa-twin",
     [](const FtlConfig& c) { return c.page_table == PageTable::diagonal; }},
    {"geometry.pages_per_block: must be at most 255 wordlines with ftl.block_allocation = pa, pa-twin, whose "
     "counts have 8 bits",
     [](const FtlConfig& c) {
       return c.geometry.pages_per_block / static_cast<std::uint32_t>(c.geometry.cell) <=
              kMaxRelaxedWordlines;
     }},
    {"ftl.slc_mode: leaves pages of one type, and ftl.block_allocation = pa, pa-twin choose between types",
     [](const FtlConfig& c) { return !c.slc_mode; }},
};

} // namespace

const RuleSet kPageTypeRules =
    make_rule_set("ftl.block_allocation = pa, pa-twin", needs_relaxed_order, kRules);

} // namespace twinplane::fw
