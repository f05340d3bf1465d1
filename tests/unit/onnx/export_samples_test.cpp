// Every sample of every op, written as ONNX: a model that reads back, or an error that names the
// node.
#include <gtest/gtest.h>

#include "onnx/export/export.hpp"
#include "onnx/import.hpp"
#include "support/samples.hpp"

namespace chop {
namespace {

TEST(OnnxExport, EverySampleIsAModelThatCanBeParsedOrARefusal) {
  for (const test::Case& at : test::all_cases()) {
    const Result<std::string> model = export_onnx(test::make(at).graph);
    if (!model) {
      EXPECT_FALSE(model.error().what.empty()) << at.name();
      continue;
    }
    EXPECT_TRUE(parse_onnx(std::as_bytes(std::span(model.value())), at.name())) << at.name();
  }
}

}  // namespace
}  // namespace chop
