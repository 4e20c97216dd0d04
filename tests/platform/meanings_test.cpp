// Does `twinplane list` say of each policy, and of each name of a decision, what it is?
#include "platform/config/meanings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "platform/config/parameter.h"
#include "platform/config/registry.h"

namespace twinplane::platform::meanings_test {
namespace {

TEST(Meanings, EveryNameOfADecisionHasOneOfItsOwn) {
  std::size_t names = 0;
  for (const Parameter& p : registry()) {
    if (p.type.kind != Kind::name || p.key.substr(0, 4) != "ftl.") continue;
    std::set<std::string> seen;
    for (const std::string& name : p.type.names()) {
      const std::string meaning = meaning_of(p.key, name);
      EXPECT_GE(meaning.size(), 10u) << p.key << " = " << name;
      EXPECT_LE(meaning.size(), 80u) << p.key << " = " << name << ": does not fit beside the name";
      EXPECT_TRUE(seen.insert(meaning).second)
          << p.key << " = " << name << " is said to be as another: " << meaning;
      ++names;
    }
  }
  EXPECT_GT(names, 50u);
}

TEST(Meanings, PutsComposedNamesIntoWords) {
  EXPECT_EQ(meaning_of("ftl.classifier", "QDS+UBS"),
            "LSB while the queue is long; else drawn by the free pages of each type");
  EXPECT_EQ(meaning_of("ftl.plane_allocation", "WCDP"),
            "by address: chips, then channels, then dies, then planes");
  EXPECT_EQ(meaning_of("ftl.policy", "f2+tbm+bac"),
            "TBM letter: allocation F2, twin blocks, dies ask for equal blocks too");
  EXPECT_EQ(meaning_of("ftl.victim", "none"), "");
  EXPECT_EQ(meaning_of("ftl.policy", "g+tbm"), "");
  EXPECT_EQ(meaning_of("ftl.plane_allocation", "CXP"), "");
}

} // namespace
} // namespace twinplane::platform::meanings_test
