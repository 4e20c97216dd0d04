#include "platform/observe/waves/fst_file.h"

#include <cerrno>
#include <cstring>
#include <map>

#include <fstapi.h>
#include "platform/config/error.h"
#include "platform/observe/waves/scope_tree.h"

namespace twinplane::platform {
namespace {

/// Without the colour that GTKWave's translate files have.
std::string plain(const std::string& text) {
  const std::size_t end = text.empty() || text[0] != '?' ? std::string::npos : text.find('?', 1);
  return end == std::string::npos ? text : text.substr(end + 1);
}

std::string binary(std::uint32_t value, std::uint32_t bits) {
  std::string digits(bits, '0');
  for (std::uint32_t i = 0; i < bits; ++i) {
    if ((value >> i & 1) != 0) digits[bits - 1 - i] = '1';
  }
  return digits;
}

/// Declares an enumeration for each width that it is used with.
class Enumerations {
 public:
  Enumerations(void* context, const std::vector<WaveDrive>& drives) : context_(context), drives_(drives) {}

  /// The next variable shows its values by name, if it has any.
  void announce(std::string_view dotted, std::uint32_t bits) {
    const WaveDrive* const drive = drive_of(drives_, dotted);
    const TranslationTable* const table = drive == nullptr ? nullptr : drive->table_of(dotted);
    if (table != nullptr) fstWriterEmitEnumTableRef(context_, handle(*table, bits));
  }

 private:
  fstEnumHandle handle(const TranslationTable& table, std::uint32_t bits) {
    const auto [found, is_new] = handles_.try_emplace({table.file, bits}, fstEnumHandle{0});
    if (is_new) found->second = create(table, bits);
    return found->second;
  }
  fstEnumHandle create(const TranslationTable& table, std::uint32_t bits) {
    std::vector<std::string> texts;
    for (const Translation& line : table.lines) {
      texts.push_back(plain(line.text));
      texts.push_back(binary(line.value, bits));
    }
    std::vector<const char*> names;
    std::vector<const char*> values;
    for (std::size_t i = 0; i < texts.size(); i += 2) {
      names.push_back(texts[i].c_str());
      values.push_back(texts[i + 1].c_str());
    }
    return fstWriterCreateEnumTable(context_, table.signal, static_cast<std::uint32_t>(names.size()), bits,
                                    names.data(), values.data());
  }

  void* context_;
  const std::vector<WaveDrive>& drives_;
  std::map<std::pair<std::string, std::uint32_t>, fstEnumHandle> handles_;
};

} // namespace

FstFile::FstFile(const std::filesystem::path& path, const std::vector<Variable>& variables,
                 const std::vector<WaveDrive>& drives)
    : path_(path), context_(fstWriterCreate(path.c_str(), 1)), count_(variables.size()) {
  if (context_ == nullptr)
    throw InputError("cannot write \"" + path.string() + "\": " + std::strerror(errno));
  fstWriterSetPackType(context_,
                       FST_WR_PT_ZLIB); // a quarter smaller than by LZ4, for a fifth more instructions
  fstWriterSetTimescaleFromString(context_, "1ps");
  fstWriterSetVersion(context_, "twinplane");
  fstWriterSetDate(context_, ""); // the same run, the same bytes
  ScopeTree scopes;
  for (std::size_t i = 0; i < variables.size(); ++i) scopes.add(variables[i].name, i);

  struct Declaration {
    FstFile& file;
    const std::vector<Variable>& variables;
    Enumerations enumerations;
    void begin_scope(const std::string& name) {
      fstWriterSetScope(file.context_, FST_ST_VCD_MODULE, name.c_str(), nullptr);
    }
    void end_scope() { fstWriterSetUpscope(file.context_); }
    void variable(const std::string& name, std::size_t index) {
      const auto [dotted, number, bits] = variables[index];
      if (bits != 0) enumerations.announce(dotted, bits);
      const std::string shown = bits < 2 ? name : name + " [" + std::to_string(bits - 1) + ":0]";
      const fstVarType type = bits == 0 ? FST_VT_GEN_STRING : FST_VT_VCD_WIRE;
      if (number >= file.variables_.size()) file.variables_.resize(number + 1);
      file.variables_[number] = {
          fstWriterCreateVar(file.context_, type, FST_VD_IMPLICIT, bits, shown.c_str(), 0), bits};
    }
  };
  scopes.visit(Declaration{*this, variables, Enumerations(context_, drives)});
}

FstFile::~FstFile() {
  if (context_ == nullptr) return;
  fstWriterClose(context_);
  discard();
}

/// Half a file cannot be read, unlike half a VCD.
void FstFile::discard() const {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

void FstFile::go_to(TimePs at) {
  if (at == now_) return;
  now_ = at;
  fstWriterEmitTimeChange(context_, at);
}

void FstFile::value(TimePs at, std::uint32_t number, WaveValue value) {
  go_to(at);
  const Declared& v = variables_[number];
  if (value == kUnknown || value == kHighZ) {
    const std::string digits(v.bits, value == kUnknown ? 'x' : 'z');
    fstWriterEmitValueChange(context_, v.handle, digits.c_str());
  } else {
    fstWriterEmitValueChange32(context_, v.handle, v.bits, value);
  }
}

void FstFile::text(TimePs at, std::uint32_t number, std::string_view text) {
  go_to(at);
  fstWriterEmitVariableLengthValueChange(context_, variables_[number].handle, text.data(),
                                         static_cast<std::uint32_t>(text.size()));
}

std::string FstFile::close(TimePs end) {
  go_to(end);
  const bool seeks_failed = fstWriterGetFseekFailed(context_) != 0;
  fstWriterClose(context_);
  context_ = nullptr;
  void* const written = seeks_failed ? nullptr : fstReaderOpen(path_.c_str());
  const bool whole =
      written != nullptr && fstReaderGetEndTime(written) == end && fstReaderGetVarCount(written) == count_;
  if (written != nullptr) fstReaderClose(written);
  if (!whole) discard();
  return whole ? "" : "cannot write \"" + path_.string() + "\": it is not complete (disk full?)";
}

} // namespace twinplane::platform
