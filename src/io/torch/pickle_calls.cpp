// Opcodes of the memo, of names and of calls. A call is recorded as a value and never made.
#include "io/torch/pickle_machine.hpp"
#include "support/escape.hpp"
#include "support/text.hpp"

namespace chop::io {

/// Where in the memo: a line of digits, or a number of one byte or four.
Result<std::size_t> PickleMachine::take_slot(bool in_digits, bool one_byte) {
  if (!in_digits) return take_length(one_byte ? 1 : 4);
  CH_TRY(const std::string_view line, take_line());
  const std::optional<std::int64_t> number = parse_int(line);
  if (!number || *number < 0 || *number > 0xFFFFFFFF)
    return broken(cat("'", shown_in_message(line), "' is no index of the memo"));
  return static_cast<std::size_t>(*number);
}

Status PickleMachine::memorise(unsigned char code) {
  std::size_t slot = memo_.size();
  if (code != 0x94) {
    CH_TRY(slot, take_slot(code == 'p', code == 'q'));
  }
  CH_TRY(const PickleId id, top());
  if (memo_.size() >= limits_.values) return too_many("entries in its memo");
  memo_[static_cast<std::uint32_t>(slot)] = id;
  return {};
}

Status PickleMachine::recall(unsigned char code) {
  CH_TRY(const std::size_t slot, take_slot(code == 'g', code == 'h'));
  const auto found = memo_.find(static_cast<std::uint32_t>(slot));
  if (found == memo_.end()) return broken(cat("memo ", slot, " is read before it is written"));
  return push_id(found->second);
}

Status PickleMachine::push_name(std::string_view module, std::string_view name) {
  const std::string full = cat(module, ".", name);
  if (!allowed_(module, name))
    return Error{
        .what = cat("'", name_, "' is refused: it asks for ", shown_in_message(full)),
        .notes = {cat("at byte ", opcode_at_, " of its pickle; nothing was called"),
                  "only tensors and plain values are loaded"},
        .hint = "in Python, torch.save(model.state_dict(), 'weights.pt') writes a file of those"};
  return push({.kind = PickleKind::Name, .text = keep(full)});
}

Status PickleMachine::name(unsigned char code) {
  if (code == 'c') {
    CH_TRY(const std::string_view module, take_line());
    CH_TRY(const std::string_view name, take_line());
    return push_name(module, name);
  }
  CH_TRY(const PickleId name, pop());
  CH_TRY(const PickleId module, pop());
  if (out_[name].kind != PickleKind::Text || out_[module].kind != PickleKind::Text)
    return broken("it asks for a name that is no text");
  return push_name(out_[module].text, out_[name].text);
}

/// A call of collections.OrderedDict or a similar class becomes the dict it would make.
Status PickleMachine::push_dict_call(std::string_view name, const PickleValue& arguments) {
  std::vector<PickleId> items;
  for (const PickleId argument : arguments.items) {
    const PickleValue& given = out_[argument];
    if (given.kind == PickleKind::Dict) items = given.items;
    if (given.kind != PickleKind::List) continue;
    for (const PickleId pair : given.items) {
      if (out_[pair].items.size() != 2 ||
          (out_[pair].kind != PickleKind::Tuple && out_[pair].kind != PickleKind::List))
        return broken(cat(name, " is given something else than pairs"));
      items.insert(items.end(), out_[pair].items.begin(), out_[pair].items.end());
    }
  }
  return push_with(PickleKind::Dict, items);
}

Status PickleMachine::push_call(PickleId callee, PickleId arguments) {
  if (out_[callee].kind != PickleKind::Name)
    return Error{
        .what = cat("'", name_, "' is refused: it calls something that is not a plain name"),
        .notes = {cat("at byte ", opcode_at_, " of its pickle; nothing was called"),
                  "such as the result of another call"},
        .hint = "in Python, torch.save(model.state_dict(), 'weights.pt') writes plain tensors"};
  const PickleValue& given = out_[arguments];
  if (given.kind != PickleKind::Tuple) return broken("the arguments of a call are no tuple");
  const std::string_view name = out_[callee].text;
  if (name == "collections.OrderedDict" || name == "collections.defaultdict" ||
      name == "collections.Counter")
    return push_dict_call(name, given);
  return push_with(PickleKind::Call, std::array{callee, arguments});
}

/// REDUCE and NEWOBJ; NEWOBJ_EX with its dict of keywords, which nothing allowed has.
Status PickleMachine::call(unsigned char code) {
  if (code == 0x92) {
    CH_TRY(const PickleId keywords, pop());
    if (out_[keywords].kind != PickleKind::Dict || !out_[keywords].items.empty())
      return broken("it makes an object with keyword arguments");
  }
  CH_TRY(const PickleId arguments, pop());
  CH_TRY(const PickleId callee, pop());
  return push_call(callee, arguments);
}

/// INST and OBJ: classes of protocol 0 and 1, their arguments since the mark.
Status PickleMachine::instance(unsigned char code) {
  CH_TRY(std::vector<PickleId> items, pop_to_mark());
  if (code == 'o') {
    if (items.empty()) return broken("it makes an object of no class");
    CH_CHECK(push_id(items.front()));
    items.erase(items.begin());
  } else {
    CH_TRY(const std::string_view module, take_line());
    CH_TRY(const std::string_view name, take_line());
    CH_CHECK(push_name(module, name));
  }
  CH_CHECK(push_with(PickleKind::Tuple, items));
  return call('R');
}

/// The attributes of an object, such as _metadata of a state dict; we need none of them.
Status PickleMachine::build(unsigned char) {
  CH_TRY(const PickleId state, pop());
  CH_TRY(const PickleId object, top());
  static_cast<void>(state);
  if (out_[object].kind != PickleKind::Dict && out_[object].kind != PickleKind::Call)
    return broken("it sets the state of a plain value");
  return {};
}

Status PickleMachine::persistent(unsigned char code) {
  if (code == 'P') {
    CH_TRY(const std::string_view line, take_line());
    if (!is_utf8(line)) return broken("a text is not UTF-8");
    CH_CHECK(push({.kind = PickleKind::Text, .text = line}));
  }
  CH_TRY(const PickleId id, pop());
  return push_with(PickleKind::Persistent, std::array{id});
}

Status PickleMachine::refused(unsigned char code) {
  if (code >= 0x82 && code <= 0x84)
    return Error{.what = cat("'", name_, "' is refused: it asks for a registered extension"),
                 .notes = {cat("at byte ", opcode_at_, " of its pickle; nothing was called")}};
  if (code == 0x97 || code == 0x98) return broken("it keeps bytes outside of itself");
  constexpr std::string_view kDigits = "0123456789abcdef";
  return broken(cat("0x", kDigits[code >> 4], kDigits[code & 15], " is no opcode"));
}

}  // namespace chop::io
