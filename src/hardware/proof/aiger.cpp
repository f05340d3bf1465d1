// The binary form of AIGER 1.9 (Biere, Heljanko, Wieringa 2011): what Yosys writes and ABC reads.
#include "hardware/proof/aig.hpp"
#include "support/text.hpp"

namespace chop::hardware {
namespace {

constexpr std::uint64_t kMostNodes = std::uint64_t{1} << 30;

class AigerReader {
 public:
  explicit AigerReader(std::string_view bytes) : bytes_(bytes) {}

  Result<Aig> run() {
    CH_CHECK(header());
    for (std::size_t i = 0; i < latches_; ++i) {
      CH_TRY(const auto words, numbers(1, 2));  // what follows is its first value
      CH_TRY(const Literal next, literal(words[0]));
      aig_.latches.push_back(next);
    }
    for (std::size_t i = 0; i < outputs_; ++i) {
      CH_TRY(const auto words, numbers(1, 1));
      CH_TRY(const Literal output, literal(words[0]));
      aig_.outputs.push_back(output);
    }
    CH_CHECK(ands());
    symbols();
    return std::move(aig_);
  }

 private:
  static Error damaged(std::string_view why) {
    return Error{.what = cat("no binary AIGER file: ", why)};
  }

  std::optional<std::string_view> line() {
    const std::size_t end = bytes_.find('\n', at_);
    if (end == std::string_view::npos) return {};
    const std::string_view text = bytes_.substr(at_, end - at_);
    at_ = end + 1;
    return text;
  }

  Result<std::vector<std::uint64_t>> numbers(std::size_t least, std::size_t most) {
    const auto text = line();
    if (!text) return damaged("it ends early");
    std::vector<std::uint64_t> found;
    for (const std::string& word : split(*text, ' ')) {
      const auto number = parse_int(word);
      if (!number || *number < 0) return damaged(cat("'", word, "' is no number"));
      found.push_back(static_cast<std::uint64_t>(*number));
    }
    if (found.size() < least || found.size() > most) return damaged("a line of another length");
    return found;
  }

  Result<Literal> literal(std::uint64_t value) const {
    if (value / 2 >= nodes_) return damaged(cat("there is no literal ", value));
    return static_cast<Literal>(value);
  }

  Status header() {
    if (!bytes_.starts_with("aig ")) return damaged("its first word is not 'aig'");
    at_ = 4;
    CH_TRY(const auto counts, numbers(5, 9));
    for (std::size_t i = 5; i < counts.size(); ++i)
      if (counts[i] != 0) return damaged("properties are not supported");
    for (const std::uint64_t count : counts)
      if (count > kMostNodes) return damaged("it is too large");
    if (counts[0] != counts[1] + counts[2] + counts[4]) return damaged("its counts disagree");
    aig_.inputs = counts[1];
    latches_ = counts[2];
    outputs_ = counts[3];
    nodes_ = counts[0] + 1;
    // Every latch and every output is a line, every AND two bytes at least.
    if (latches_ + outputs_ + counts[4] > bytes_.size()) return damaged("it ends early");
    return {};
  }

  Result<std::uint64_t> delta() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 35; shift += 7) {
      if (at_ == bytes_.size()) return damaged("it ends early");
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
      if ((byte & 0x80U) == 0) return value;
    }
    return damaged("a number is too long");
  }

  Status ands() {
    for (std::uint64_t node = 1 + aig_.inputs + latches_; node < nodes_; ++node) {
      CH_TRY(const std::uint64_t first, delta());
      CH_TRY(const std::uint64_t second, delta());
      if (first == 0 || first > 2 * node || second > 2 * node - first)
        return damaged("an AND reads what comes after it");
      const std::uint64_t a = 2 * node - first;
      aig_.ands.push_back({static_cast<Literal>(a), static_cast<Literal>(a - second)});
    }
    return {};
  }

  void symbols() {
    aig_.input_names.resize(aig_.inputs);
    aig_.latch_names.resize(latches_);
    aig_.output_names.resize(outputs_);
    while (const auto text = line()) {
      const std::size_t space = text->find(' ');
      if (space == std::string_view::npos || text->front() == 'c') return;
      const auto number = parse_int(text->substr(1, space - 1));
      if (!number || *number < 0) return;
      const auto i = static_cast<std::size_t>(*number);
      std::vector<std::string> names = split(text->substr(space + 1), ' ');
      if (text->front() == 'i' && i < aig_.inputs) aig_.input_names[i] = std::move(names[0]);
      if (text->front() == 'l' && i < latches_) aig_.latch_names[i] = std::move(names);
      if (text->front() == 'o' && i < outputs_) aig_.output_names[i] = std::move(names[0]);
    }
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
  std::size_t latches_ = 0;
  std::size_t outputs_ = 0;
  std::uint64_t nodes_ = 0;
  Aig aig_;
};

void append_delta(std::string& bytes, Literal value) {
  for (; value >= 0x80U; value >>= 7) bytes += static_cast<char>(value | 0x80U);
  bytes += static_cast<char>(value);
}

}  // namespace

Result<Aig> read_aiger(std::string_view bytes) {
  return AigerReader(bytes).run();
}

std::string write_aiger(const Aig& aig) {
  std::string bytes = cat("aig ", aig.nodes() - 1, " ", aig.inputs, " ", aig.latches.size(), " ",
                          aig.outputs.size(), " ", aig.ands.size(), "\n");
  for (const Literal next : aig.latches) bytes += cat(next, "\n");
  for (const Literal output : aig.outputs) bytes += cat(output, "\n");
  for (std::size_t i = 0; i < aig.ands.size(); ++i) {
    const auto own = static_cast<Literal>(2 * (aig.first_and() + i));
    const auto [low, high] = std::minmax(aig.ands[i][0], aig.ands[i][1]);
    append_delta(bytes, own - high);
    append_delta(bytes, high - low);
  }
  return bytes;
}

}  // namespace chop::hardware
