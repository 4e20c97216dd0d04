// Column maps: a one-line description of any CSV or column text, and the parser that follows it. Most of
// the named formats are column maps too (formats.cpp).
//
//   time=0:ms,op=4:R|W,offset=2:sectors,size=3:bytes,device=1,sep=comma,skip=1
//
// Columns count from 0, or from the last one, which is -1 (where a name with blanks makes lines of different
// lengths). A field of a separator other than blanks may stand in double quotes, which are taken off. time,
// op, offset and size are required. Keys:
//   time=COLUMN:UNIT        s, ms, us, ns, ps or filetime (100 ns)
//   op=COLUMN:READ|WRITE    the word of each kind, case ignored; |TRIM and |FLUSH may follow; '/' between
//                           alternatives; a fifth is a write with force unit access. odd|even or even|odd
//                           look at the lowest bit of a number
//   op=read, op=write       every line is one
//   offset=COLUMN:UNIT      bytes, sectors (512), KiB, pages (4 KiB) or a number of bytes
//   size=COLUMN:UNIT        likewise
//   device=COLUMN or A+B    one column, or neighbouring columns from A to B
//   sep=NAME                blanks, comma, semicolon, tab or bar; comma if not given
//   where=COLUMN:WORD[/WORD]  only lines with one of these words there, case ignored; may be given several
//   times,
//                           all must hold
//   base=DEVICE:BYTES[/DEVICE:BYTES...]  where each device begins in the one address space (512, 4KiB, 1GiB),
//                           instead of one behind the other
//   skip=LINES              the first lines of the file, blank ones and comments included (without skip= a
//   first
//                           line of words is skipped)
//   blank-op=ignore         a line whose op column is empty carries no request
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "platform/trace/fields.h"
#include "platform/trace/record_parser.h"

namespace twinplane::platform {

struct ColumnMap {
  static constexpr int kNone = 1 << 20;
  enum class OpRule : std::uint8_t { words, parity, constant };

  /// A condition: one of the words stands in the column.
  struct Condition {
    int column = kNone;
    std::vector<std::string> words;
  };
  struct Base {
    std::string device;
    std::uint64_t bytes = 0;
  };

  struct OpWord {
    std::string word;
    IoOp op = IoOp::read;
    bool fua = false;
  };

  Separator separator = Separator::comma;
  int time = kNone; // negative: from the right
  TimeUnit time_unit;
  OpRule op_rule = OpRule::words;
  int op = kNone;
  std::vector<OpWord> op_words;
  IoOp odd = IoOp::read; // parity: the op of an odd number, the other is read or write
  IoOp constant = IoOp::read;
  int offset = kNone;
  std::uint64_t offset_unit = 1;
  int size = kNone;
  std::uint64_t size_unit = 1;
  int device = kNone;
  int device_last = kNone;
  std::vector<Condition> where;
  std::vector<Base> bases;
  std::uint64_t skip_lines = 0;
  bool blank_op_ignored = false;
};

/// Throws InputError naming the item and what was expected.
ColumnMap parse_column_map(std::string_view text);

std::unique_ptr<RecordParser> make_column_parser(ColumnMap map);

} // namespace twinplane::platform
