// ONNX models as protobuf's reflection sees them: any field of any message, changed within its
// type.
#include <onnx/onnx_pb.h>

#include "mutate/mutators.hpp"

namespace chop::mutate {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

/// A value: a field of a message, and which one of a repeated field.
struct Slot {
  Message* message;
  const FieldDescriptor* field;
  int index = -1;
};

void collect(Message& message, std::vector<Slot>& slots, Words& words) {
  const Reflection& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    const int count = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
    if (field->is_repeated()) slots.push_back({&message, field});
    // Long lists of numbers are tensors: a few of them stand for all.
    for (int i = 0; i < std::min(count, 64); ++i) {
      const int index = field->is_repeated() ? i : -1;
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
        collect(index < 0 ? *reflection.MutableMessage(&message, field)
                          : *reflection.MutableRepeatedMessage(&message, field, i),
                slots, words);
        continue;
      }
      slots.push_back({&message, field, index});
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING)
        words.push_back(index < 0 ? reflection.GetString(message, field)
                                  : reflection.GetRepeatedString(message, field, i));
    }
  }
}

void change_list(const Slot& slot, Random& random) {
  const Reflection& reflection = *slot.message->GetReflection();
  const int size = reflection.FieldSize(*slot.message, slot.field);
  if (size == 0) return;
  const auto any = [&] { return static_cast<int>(random.below(static_cast<std::size_t>(size))); };
  if (random.one_in(2))
    reflection.SwapElements(slot.message, slot.field, any(), any());
  else if (random.one_in(4))
    reflection.ClearField(slot.message, slot.field);
  else
    reflection.RemoveLast(slot.message, slot.field);
}

/// Sets the value of a slot; `Set` and `Get` differ for single and repeated fields.
void change_value(const Slot& p, const Words& words, Random& random) {
  const Reflection& r = *p.message->GetReflection();
  const bool one = p.index < 0;
  switch (p.field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32: {
      const std::int32_t was =
          one ? r.GetInt32(*p.message, p.field) : r.GetRepeatedInt32(*p.message, p.field, p.index);
      const auto now = static_cast<std::int32_t>(changed_number(std::int64_t{was}, random));
      one ? r.SetInt32(p.message, p.field, now)
          : r.SetRepeatedInt32(p.message, p.field, p.index, now);
      break;
    }
    case FieldDescriptor::CPPTYPE_INT64: {
      const std::int64_t was =
          one ? r.GetInt64(*p.message, p.field) : r.GetRepeatedInt64(*p.message, p.field, p.index);
      const std::int64_t now = changed_number(was, random);
      one ? r.SetInt64(p.message, p.field, now)
          : r.SetRepeatedInt64(p.message, p.field, p.index, now);
      break;
    }
    case FieldDescriptor::CPPTYPE_FLOAT: {
      const float was =
          one ? r.GetFloat(*p.message, p.field) : r.GetRepeatedFloat(*p.message, p.field, p.index);
      const auto now = static_cast<float>(changed_number(static_cast<double>(was), random));
      one ? r.SetFloat(p.message, p.field, now)
          : r.SetRepeatedFloat(p.message, p.field, p.index, now);
      break;
    }
    case FieldDescriptor::CPPTYPE_STRING: {
      const std::string was = one ? r.GetString(*p.message, p.field)
                                  : r.GetRepeatedString(*p.message, p.field, p.index);
      const bool raw = p.field->type() == FieldDescriptor::TYPE_BYTES;
      std::string now =
          raw && random.one_in(2) ? mutate_bytes(was, random) : changed_word(was, words, random);
      one ? r.SetString(p.message, p.field, std::move(now))
          : r.SetRepeatedString(p.message, p.field, p.index, std::move(now));
      break;
    }
    case FieldDescriptor::CPPTYPE_ENUM:
      if (one) r.SetEnumValue(p.message, p.field, static_cast<int>(random.below(24)));
      break;
    default:
      break;
  }
}

}  // namespace

std::string mutate_onnx(const std::string& file, Random& random) {
  ::onnx::ModelProto model;
  if (random.one_in(12) || !model.ParseFromString(file)) return mutate_bytes(file, random);
  for (std::size_t changes = random.one_in(3) ? 2 : 1; changes > 0; --changes) {
    std::vector<Slot> slots;
    Words words;
    collect(model, slots, words);
    if (slots.empty()) break;
    const Slot slot = slots[random.below(slots.size())];
    if (slot.field->is_repeated() && slot.index < 0)
      change_list(slot, random);
    else
      change_value(slot, words, random);
  }
  return model.SerializeAsString();
}

}  // namespace chop::mutate
