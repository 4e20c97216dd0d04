// Are fio's words that are no keys here, and files of other programs, answered with what to write instead?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "platform/config/error.h"
#include "platform/config/loader.h"
#include "tests/support/config_text.h"

namespace twinplane::platform::config_fio_words_test {
namespace {

using test::complaint;
using testing::HasSubstr;

std::string answer(const std::string& line) {
  return complaint("[workload]\n" + line + "\n");
}

TEST(FioWords, KeysAreAnsweredWithTheirEquivalents) {
  EXPECT_THAT(answer("rwmixwrite = 30"), HasSubstr("workload.rwmixwrite: a word of fio that is no key here; "
                                                   "expected workload.rwmixread = 70"));
  EXPECT_THAT(answer("io_size = \"1m\""), HasSubstr("expected workload.number_ios"));
  EXPECT_THAT(answer("numjobs = 4"), HasSubstr("expected a larger workload.iodepth"));
  EXPECT_THAT(answer("loops = 2"), HasSubstr("expected host.rounds"));
  EXPECT_THAT(answer("norandommap = true"), HasSubstr("expected workload.randommap = false"));
  EXPECT_THAT(complaint("[host]\nloops = 2\n"), HasSubstr("host.loops: unknown key"));
}

TEST(FioWords, ValuesAreAnsweredWithTheirEquivalents) {
  EXPECT_THAT(answer("bs = \"4k,16k\""), HasSubstr("here: workload.bssplit = \"4k/100,16k/100\""));
  EXPECT_THAT(answer("bs = 4096"), HasSubstr("here: workload.bs = \"4096B\""));
  EXPECT_THAT(answer("size = \"80%\""), HasSubstr("here: that share of the exported capacity"));
  EXPECT_THAT(answer("offset = \"40%\""), HasSubstr("here: that share of the exported capacity"));
  EXPECT_THAT(answer("thinktime = 100"), HasSubstr("here: workload.thinktime = \"100us\""));
  EXPECT_THAT(answer("rw = \"trimwrite\""), HasSubstr("workload.rwmixtrim"));
}

TEST(FioWords, EquivalentsAreAccepted) {
  EXPECT_EQ(answer("rw = \"randrw\"\nrwmixread = 70\nbssplit = \"4k/100,16k/100\"\nsize = \"4096B\"\n"
                   "thinktime = \"100us\"\nrandommap = false"),
            "");
}

TEST(ForeignFiles, AreNamedBesideTheMistakeInTheirTOML) {
  EXPECT_THAT(complaint("[global]\nioengine=libaio\nrw=randread\nsize=80%\n"),
              testing::AllOf(HasSubstr(":2:10: not valid TOML"), HasSubstr("this is a fio job file")));
  EXPECT_THAT(complaint("<Execution_Parameter_Set>\n"), HasSubstr("this is an XML file of MQSim"));
  EXPECT_THAT(complaint("<config>\n"), HasSubstr("this is XML"));
  EXPECT_THAT(complaint("chip number = 8;\n"), HasSubstr("page.parameters file of SSDSim"));
  EXPECT_THAT(complaint("[cpu]\nClockSpeed = 400m\n"), HasSubstr("this is an ini file"));
  EXPECT_THAT(complaint("{\"a\": 1}\n"), HasSubstr("this is JSON"));
  for (const char* mistake : {"channels = 4\nchannels = 8\n", "channels = 4,\n",
                              "channels = 99999999999999999999\n", "channels = four\n"})
    EXPECT_THAT(complaint(std::string("[geometry]\n") + mistake), testing::Not(HasSubstr("this is")))
        << mistake;
  EXPECT_THAT(complaint("[nand]\ncell = tlc\n[workload]\nrw = randread\n"),
              testing::Not(HasSubstr("this is")));
  EXPECT_THAT(complaint("[host]\nqueues = = 4\nnot = a [ table\n{}\n"), testing::Not(HasSubstr("this is")));
}

} // namespace
} // namespace twinplane::platform::config_fio_words_test
