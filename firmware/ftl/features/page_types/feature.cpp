#include "firmware/ftl/features/page_types/key.h"
#include "firmware/ftl/features/page_types/page_types.h"
#include "firmware/ftl/features/page_types/relaxed_order.h"

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

constexpr RuleSet kSets[] = {
    make_rule_set("ftl.block_allocation = pa, pa-twin", needs_relaxed_order, kRules)};

Classifier* make_schemes(const PolicyParts& p) {
  return make_page_type_schemes(p.memory, p.config, p.config.classifier);
}

/// Behind papa and size PA-SSD's schemes: any pair of these works as well.
constexpr PolicyRow<Classifier> kClassifiers[] = {
    {"papa", "PAPA: a page covered in part LSB, a whole page MSB",
     [](const PolicyParts& p) { return make_papa_classifier(p.memory, p.config); }},
    {"size", "PAPA's rival: small requests LSB, larger ones MSB",
     [](const PolicyParts& p) { return make_size_classifier(p.memory, p.config); }},
    {"US", "the types in turn", make_schemes},
    {"HGS", "the access latency that the command asks for, else in turn", make_schemes},
    {"LFS", "always LSB, the fastest", make_schemes},
    {"SBS", "LSB for small requests, else in turn", make_schemes},
    {"QDS", "LSB while the queue is long, else in turn", make_schemes},
    {"WBS", "LSB when the write buffer is full, else in turn", make_schemes},
    {"UBS", "drawn by the free pages of each type", make_schemes},
    {"SBS+US", nullptr, make_schemes},
    {"SBS+UBS", nullptr, make_schemes},
    {"QDS+US", nullptr, make_schemes},
    {"QDS+UBS", nullptr, make_schemes},
};

constexpr AllocationRow kAllocations[] = {
    {"pa", "up to three open blocks per plane, one for each page type (PA-SSD)",
     [](const PolicyParts& p) { return make_page_type_allocation(p.memory, p.blocks, p.config); },
     page_type_reserve_pages, true},
    {"pa-twin", "the same for the twin blocks of all planes of a die",
     [](const PolicyParts& p) { return make_page_type_twin_allocation(p.memory, p.blocks, p.config); },
     page_type_reserve_pages, true, true, false, make_plain_moves, true},
};

constexpr PolicyRow<Relocation> kRelocations[] = {
    {"ubs", "inside the plane, the type drawn by the free pages (PA-SSD)",
     [](const PolicyParts& p) { return make_ubs_relocation(p.memory, p.blocks, p.config); }},
    {"slow", "inside the plane, onto the slowest type (PAPA)",
     [](const PolicyParts& p) { return make_slow_relocation(p.memory, p.blocks, p.config); }},
};

} // namespace

const FeatureRow& page_types_feature() {
  static constexpr FeatureRow kRow{
      page_types_key(),
      nullptr,
      kSets,
      {kClassifiers, kAllocations, {}, kRelocations, {}, is_page_type_scheme, make_schemes}};
  return kRow;
}

} // namespace twinplane::fw
