#include "platform/trace/column_map.h"

#include <algorithm>
#include <utility>

#include "platform/config/error.h"
#include "platform/config/units.h"

namespace twinplane::platform {
namespace {

/// One `key=value` of the map, with the means to refuse it.
struct Item {
  std::string_view key;
  std::string_view value;

  [[noreturn]] void refuse(const std::string& expected) const {
    throw InputError("columns: " + std::string(key) + ": expected " + expected + ", got '" +
                     std::string(value) + "'");
  }
  std::string_view head() const { return value.substr(0, value.find(':')); }
  std::string_view tail() const {
    const std::size_t colon = value.find(':');
    return colon == std::string_view::npos ? std::string_view{} : value.substr(colon + 1);
  }
};

constexpr int kMostColumns = static_cast<int>(Fields::kMax);

int column_of(const Item& item, std::string_view text) {
  const bool from_right = !text.empty() && text[0] == '-';
  std::uint64_t column = 0;
  if (!parse_integer(text.substr(from_right ? 1 : 0), column) || column >= Fields::kMax ||
      (from_right && column == 0)) {
    const std::string most = std::to_string(kMostColumns - 1);
    item.refuse("a column number from 0 to " + most + ", or from the right from -1 to -" + most);
  }
  return from_right ? -static_cast<int>(column) : static_cast<int>(column);
}

void set_time(ColumnMap& map, const Item& item) {
  map.time = column_of(item, item.head());
  const TimeUnit* unit = find_time_unit(item.tail());
  if (unit == nullptr) item.refuse("COLUMN:UNIT with s, ms, us, ns, ps or filetime");
  map.time_unit = *unit;
}

std::uint64_t byte_unit(const Item& item) {
  const std::string_view name = item.tail();
  if (name == "bytes") return 1;
  if (name == "sectors") return 512;
  if (name == "KiB") return 1024;
  if (name == "pages") return 4096;
  std::uint64_t bytes = 0;
  if (!parse_integer(name, bytes) || bytes == 0) {
    item.refuse("COLUMN:UNIT with bytes, sectors, KiB, pages or a number of bytes");
  }
  return bytes;
}

void set_offset(ColumnMap& map, const Item& item) {
  map.offset = column_of(item, item.head());
  map.offset_unit = byte_unit(item);
}

void set_size(ColumnMap& map, const Item& item) {
  map.size = column_of(item, item.head());
  map.size_unit = byte_unit(item);
}

void add_op_words(ColumnMap& map, std::string_view alternatives, IoOp op, bool fua) {
  while (!alternatives.empty()) {
    const std::size_t end = alternatives.find('/');
    map.op_words.push_back({std::string(alternatives.substr(0, end)), op, fua});
    alternatives.remove_prefix(end == std::string_view::npos ? alternatives.size() : end + 1);
  }
}

void set_op(ColumnMap& map, const Item& item) {
  if (item.value == "read" || item.value == "write") {
    map.op_rule = ColumnMap::OpRule::constant;
    map.constant = item.value == "read" ? IoOp::read : IoOp::write;
    return;
  }
  map.op = column_of(item, item.head());
  if (item.tail() == "odd|even" || item.tail() == "even|odd") {
    map.op_rule = ColumnMap::OpRule::parity;
    map.odd = item.tail() == "odd|even" ? IoOp::read : IoOp::write;
    return;
  }
  constexpr std::array<std::pair<IoOp, bool>, 5> kKinds{{{IoOp::read, false},
                                                         {IoOp::write, false},
                                                         {IoOp::trim, false},
                                                         {IoOp::flush, false},
                                                         {IoOp::write, true}}}; // force unit access
  Fields classes;
  split(item.tail(), Separator::bar, classes);
  if (classes.count < 2 || classes.count > kKinds.size() || classes.at[0].empty() || classes.at[1].empty()) {
    item.refuse("COLUMN:READ|WRITE[|TRIM[|FLUSH[|FUA]]], such as 4:R|W");
  }
  map.op_rule = ColumnMap::OpRule::words;
  for (std::size_t i = 0; i < classes.count; ++i) {
    add_op_words(map, classes.at[i], kKinds[i].first, kKinds[i].second);
  }
}

std::vector<std::string> alternatives_of(std::string_view text) {
  std::vector<std::string> words;
  for (;;) {
    const std::size_t end = text.find('/');
    words.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return words;
    text.remove_prefix(end + 1);
  }
}

void set_where(ColumnMap& map, const Item& item) {
  if (item.tail().empty()) item.refuse("COLUMN:WORD[/WORD...], such as 1:D");
  map.where.push_back({column_of(item, item.head()), alternatives_of(item.tail())});
}

void set_base(ColumnMap& map, const Item& item) {
  for (const std::string& entry : alternatives_of(item.value)) {
    const std::size_t colon = entry.rfind(':');
    const std::string place = colon == std::string::npos ? "" : entry.substr(colon + 1);
    std::uint64_t bytes = 0;
    if (!parse_integer(place, bytes)) {
      const auto size = parse_quantity(Dimension::size, place);
      if (!size) item.refuse("DEVICE:BYTES[/DEVICE:BYTES...], such as 0:0/1:512MiB");
      bytes = *size;
    }
    const std::string device = entry.substr(0, colon);
    for (const ColumnMap::Base& base : map.bases)
      if (base.device == device) item.refuse("each device once");
    map.bases.push_back({device, bytes});
  }
}

void set_device(ColumnMap& map, const Item& item) {
  const std::size_t plus = item.value.find('+');
  map.device = column_of(item, item.value.substr(0, plus));
  map.device_last =
      plus == std::string_view::npos ? map.device : column_of(item, item.value.substr(plus + 1));
  if (map.device_last < map.device || (map.device < 0) != (map.device_last < 0))
    item.refuse("columns in ascending order");
}

void set_separator(ColumnMap& map, const Item& item) {
  constexpr std::array<std::pair<std::string_view, Separator>, 5> kNames{{{"blanks", Separator::blanks},
                                                                          {"comma", Separator::comma},
                                                                          {"semicolon", Separator::semicolon},
                                                                          {"tab", Separator::tab},
                                                                          {"bar", Separator::bar}}};
  for (const auto& [name, separator] : kNames) {
    if (name == item.value) {
      map.separator = separator;
      return;
    }
  }
  item.refuse("blanks, comma, semicolon, tab or bar");
}

void set_skip(ColumnMap& map, const Item& item) {
  if (!parse_integer(item.value, map.skip_lines)) item.refuse("a number of lines");
}

void set_blank_op(ColumnMap& map, const Item& item) {
  if (item.value != "ignore") item.refuse("ignore");
  map.blank_op_ignored = true;
}

struct Key {
  std::string_view name;
  void (*set)(ColumnMap&, const Item&);
};

constexpr std::array<Key, 10> kKeys{{{"time", set_time},
                                     {"op", set_op},
                                     {"offset", set_offset},
                                     {"size", set_size},
                                     {"device", set_device},
                                     {"where", set_where},
                                     {"base", set_base},
                                     {"sep", set_separator},
                                     {"skip", set_skip},
                                     {"blank-op", set_blank_op}}};

} // namespace

ColumnMap parse_column_map(std::string_view text) {
  ColumnMap map;
  Fields items;
  split(text, Separator::comma, items);
  for (std::size_t i = 0; i < items.count; ++i) {
    const std::size_t equals = items.at[i].find('=');
    const Item item{items.at[i].substr(0, equals),
                    equals == std::string_view::npos ? std::string_view{} : items.at[i].substr(equals + 1)};
    const auto* key =
        std::find_if(kKeys.begin(), kKeys.end(), [&](const Key& k) { return k.name == item.key; });
    if (key == kKeys.end()) {
      throw InputError(
          "columns: expected time=, op=, offset=, size=, device=, where=, base=, sep=, skip= or blank-op=, "
          "got '" +
          std::string(items.at[i]) + "'");
    }
    key->set(map, item);
  }
  const bool has_op = map.op != ColumnMap::kNone || map.op_rule == ColumnMap::OpRule::constant;
  if (map.time == ColumnMap::kNone || map.offset == ColumnMap::kNone || map.size == ColumnMap::kNone ||
      !has_op) {
    throw InputError("columns: expected at least time=, op=, offset= and size=, got '" + std::string(text) +
                     "'");
  }
  if (!map.bases.empty() && map.device == ColumnMap::kNone) {
    throw InputError("columns: base=: expected device= with it, got '" + std::string(text) + "'");
  }
  return map;
}

} // namespace twinplane::platform
