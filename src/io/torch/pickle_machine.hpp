// The stack machine that executes pickles, without the opcodes that would run code.
// pickle_machine.cpp has its stack and its table of opcodes, pickle_values.cpp the opcodes of
// plain values, pickle_calls.cpp the memo, names and calls.
#pragma once

#include <unordered_map>

#include "io/torch/pickle.hpp"

namespace chop::io {

class PickleMachine {
 public:
  PickleMachine(std::string_view bytes, std::string_view name, const PickleNames& allowed,
                const PickleLimits& limits)
      : bytes_(bytes), name_(name), allowed_(allowed), limits_(limits) {}

  Result<Pickle> run() &&;

 private:
  using Step = Status (PickleMachine::*)(unsigned char code);
  static const std::array<Step, 256>& steps();

  Error broken(const std::string& reason) const;
  Status too_many(std::string_view what) const;

  // Bytes
  Result<std::string_view> take(std::size_t count);
  Result<std::size_t> take_length(std::size_t width);
  Result<std::string_view> take_line();
  Result<std::string_view> take_sized(std::size_t width);
  std::string_view keep(std::string text) { return out_.texts.emplace_back(std::move(text)); }

  // Stack
  Status push(PickleValue value);
  Status push_id(PickleId id);
  Result<PickleId> pop();
  Result<PickleId> top() const;
  Result<std::vector<PickleId>> pop_to_mark();
  Status add(PickleId container, std::span<const PickleId> items);
  Status push_with(PickleKind kind, std::span<const PickleId> items);

  // Opcodes, by what they do
  Status protocol(unsigned char code);
  Status stack(unsigned char code);
  Status constant(unsigned char code);
  Status number(unsigned char code);
  Status number_line(unsigned char code);
  Status long_number(unsigned char code);
  Status text(unsigned char code);
  Status text_line(unsigned char code);
  Status binary(unsigned char code);
  Status empty(unsigned char code);
  Status tuple(unsigned char code);
  Status collect(unsigned char code);
  Status append(unsigned char code);
  Status set_items(unsigned char code);
  Result<std::size_t> take_slot(bool in_digits, bool one_byte);
  Status memorise(unsigned char code);
  Status recall(unsigned char code);
  Status name(unsigned char code);
  Status call(unsigned char code);
  Status instance(unsigned char code);
  Status build(unsigned char code);
  Status persistent(unsigned char code);
  Status refused(unsigned char code);

  Status push_name(std::string_view module, std::string_view name);
  Status push_call(PickleId callee, PickleId arguments);
  Status push_dict_call(std::string_view name, const PickleValue& arguments);

  std::string_view bytes_;
  std::string_view name_;
  const PickleNames& allowed_;
  const PickleLimits& limits_;
  std::size_t at_ = 0;         ///< next byte
  std::size_t opcode_at_ = 0;  ///< position of the current opcode
  bool stopped_ = false;
  std::size_t references_ = 0;
  Pickle out_;
  std::vector<PickleId> stack_;
  std::vector<std::size_t> marks_;
  std::unordered_map<std::uint32_t, PickleId> memo_;
};

}  // namespace chop::io
