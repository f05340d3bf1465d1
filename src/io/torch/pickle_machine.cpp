// The loop over the opcodes of a pickle: a table says what each does to the stack.
#include "io/torch/pickle_machine.hpp"

#include "support/text.hpp"

namespace chop::io {

Error PickleMachine::broken(const std::string& reason) const {
  return Error{.what = cat("'", name_, "' is not a readable pickle: ", reason),
               .notes = {cat("at byte ", opcode_at_, " of ", bytes_.size())},
               .hint = "the file may be truncated or damaged; write or download it again"};
}

Status PickleMachine::too_many(std::string_view what) const {
  return Error{.what = cat("'", name_, "' is refused: its pickle makes more than ",
                           with_commas(static_cast<std::int64_t>(limits_.values)), " ", what),
               .notes = {cat("at byte ", opcode_at_, " of ", bytes_.size())},
               .hint = "no checkpoint of tensors needs so many; save model.state_dict() alone"};
}

Result<std::string_view> PickleMachine::take(std::size_t count) {
  if (count > bytes_.size() - at_)
    return broken(
        cat("it ends in the middle: ", count, " bytes needed, ", bytes_.size() - at_, " left"));
  const std::string_view taken = bytes_.substr(at_, count);
  at_ += count;
  return taken;
}

/// An unsigned length of `width` bytes; take() checks whether so many follow.
Result<std::size_t> PickleMachine::take_length(std::size_t width) {
  CH_TRY(const std::string_view bytes, take(width));
  std::uint64_t value = 0;
  for (std::size_t i = width; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return static_cast<std::size_t>(value);
}

Result<std::string_view> PickleMachine::take_line() {
  const std::size_t end = bytes_.find('\n', at_);
  if (end == std::string_view::npos) return broken("it ends in the middle of a line");
  const std::string_view line = bytes_.substr(at_, end - at_);
  at_ = end + 1;
  return line;
}

Result<std::string_view> PickleMachine::take_sized(std::size_t width) {
  CH_TRY(const std::size_t length, take_length(width));
  return take(length);
}

Status PickleMachine::push(PickleValue value) {
  if (out_.values.size() >= limits_.values) return too_many("values");
  out_.values.push_back(std::move(value));
  return push_id(static_cast<PickleId>(out_.values.size() - 1));
}

Status PickleMachine::push_id(PickleId id) {
  if (stack_.size() >= limits_.values) return too_many("values on its stack");
  stack_.push_back(id);
  return {};
}

Result<PickleId> PickleMachine::top() const {
  if (stack_.size() <= (marks_.empty() ? 0 : marks_.back()))
    return broken("it takes a value where there is none");
  return stack_.back();
}

Result<PickleId> PickleMachine::pop() {
  CH_TRY(const PickleId id, top());
  stack_.pop_back();
  return id;
}

Result<std::vector<PickleId>> PickleMachine::pop_to_mark() {
  if (marks_.empty()) return broken("it goes back to a mark that was never set");
  const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
  std::vector<PickleId> items(begin, stack_.end());
  stack_.erase(begin, stack_.end());
  marks_.pop_back();
  return items;
}

Status PickleMachine::add(PickleId container, std::span<const PickleId> items) {
  references_ += items.size();
  if (references_ > limits_.values * 4) return too_many("values four times over in its lists");
  PickleValue& into = out_.values[container];
  std::size_t depth = into.depth;
  for (const PickleId id : items) depth = std::max<std::size_t>(depth, out_[id].depth + 1U);
  if (depth > limits_.depth)
    return Error{
        .what = cat("'", name_, "' is refused: its values are nested deeper than ", limits_.depth),
        .notes = {cat("at byte ", opcode_at_, " of ", bytes_.size())},
        .hint = "no checkpoint of tensors is so deep; save model.state_dict() alone"};
  into.depth = static_cast<std::uint16_t>(depth);
  into.items.insert(into.items.end(), items.begin(), items.end());
  return {};
}

Status PickleMachine::push_with(PickleKind kind, std::span<const PickleId> items) {
  CH_CHECK(push({.kind = kind}));
  return add(stack_.back(), items);
}

const std::array<PickleMachine::Step, 256>& PickleMachine::steps() {
  static const auto table = [] {
    std::array<Step, 256> all{};
    all.fill(&PickleMachine::refused);
    const auto set = [&](std::string_view codes, Step step) {
      for (const char code : codes) all[static_cast<unsigned char>(code)] = step;
    };
    set("\x80\x95", &PickleMachine::protocol);
    set("(012.", &PickleMachine::stack);
    set("N\x88\x89", &PickleMachine::constant);
    set("GJKM", &PickleMachine::number);
    set("FIL", &PickleMachine::number_line);
    set("\x8a\x8b", &PickleMachine::long_number);
    set("UTX\x8c\x8d", &PickleMachine::text);
    set("SV", &PickleMachine::text_line);
    set("BC\x8e\x96", &PickleMachine::binary);
    set("]})\x8f", &PickleMachine::empty);
    set("\x85\x86\x87", &PickleMachine::tuple);
    set("ltd\x91", &PickleMachine::collect);
    set("ae\x90", &PickleMachine::append);
    set("su", &PickleMachine::set_items);
    set("pqr\x94", &PickleMachine::memorise);
    set("ghj", &PickleMachine::recall);
    set("c\x93", &PickleMachine::name);
    set("R\x81\x92", &PickleMachine::call);
    set("io", &PickleMachine::instance);
    set("b", &PickleMachine::build);
    set("PQ", &PickleMachine::persistent);
    return all;
  }();
  return table;
}

Result<Pickle> PickleMachine::run() && {
  while (!stopped_) {
    opcode_at_ = at_;
    if (at_ == bytes_.size()) return broken("it ends before its STOP");
    const auto code = static_cast<unsigned char>(bytes_[at_++]);
    CH_CHECK((this->*steps()[code])(code));
  }
  out_.size = at_;
  return std::move(out_);
}

const PickleValue* Pickle::find(const PickleValue& dict, std::string_view key) const {
  if (dict.kind != PickleKind::Dict) return nullptr;
  for (std::size_t i = dict.items.size(); i >= 2; i -= 2) {
    const PickleValue& each = values[dict.items[i - 2]];
    if (each.kind == PickleKind::Text && each.text == key) return &values[dict.items[i - 1]];
  }
  return nullptr;
}

Result<Pickle> read_pickle(std::span<const std::byte> bytes, std::string_view name,
                           const PickleNames& allowed, const PickleLimits& limits) {
  assert(limits.depth < 0xFFFF && "depths are kept in 16 bits");
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return PickleMachine(text, name, allowed, limits).run();
}

}  // namespace chop::io
