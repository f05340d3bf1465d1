// Codes that come from outside: a placeholder of the network, read through a format.
#include "hardware/integer/op_def.hpp"

namespace chop::hardware::integer_ops::input {

IntegerOpDef define() {
  return {.name = "input", .doc = "codes that come from outside", .least_inputs = 0};
}

}  // namespace chop::hardware::integer_ops::input
