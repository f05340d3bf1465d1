// The matrix products of a training step of a multilayer perceptron, alone: for every linear
// layer y = x Wᵀ, dx = dy W and dW = dyᵀ x, with the shapes and strides the plan has.
#include <vector>

#include "network.hpp"
#include "runtime/gemm/gemm.hpp"
#include "support/text.hpp"

namespace chop::works {
namespace {

struct Product {
  Gemm gemm;
  std::vector<float> a, b, c, scratch;

  explicit Product(const Gemm& shape)
      : gemm(shape),
        a(std::size_t(shape.m * shape.k)),
        b(std::size_t(shape.k * shape.n)),
        c(std::size_t(shape.m * shape.n)),
        scratch(shape.scratch()) {
    fill_normal(a);
    fill_normal(b);
  }
  void run() { gemm.run(a.data(), b.data(), nullptr, c.data(), scratch.data(), 1); }
  double operations() const { return 2.0 * double(gemm.m) * double(gemm.n) * double(gemm.k); }
};

std::vector<Product> products_of(std::int64_t batch, const std::vector<std::string>& widths) {
  std::vector<Product> products;
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
    const std::int64_t in = parse_int(widths[i]).value_or(1);
    const std::int64_t out = parse_int(widths[i + 1]).value_or(1);
    products.emplace_back(
        Gemm{.m = batch, .n = out, .k = in, .a_row = in, .b_row = 1, .b_col = in, .c_row = out});
    products.emplace_back(
        Gemm{.m = batch, .n = in, .k = out, .a_row = out, .b_row = in, .c_row = in});
    products.emplace_back(
        Gemm{.m = out, .n = in, .k = batch, .a_row = 1, .a_col = out, .b_row = in, .c_row = in});
  }
  return products;
}

Result<PreparedWork> prepare(const WorkArgs& args) {
  const auto products = std::make_shared<std::vector<Product>>(
      products_of(args.number("batch", 256), split(args.text("widths", "16,64,32,32,5"), ',')));
  double operations = 0;
  for (const Product& product : *products) operations += product.operations();
  const Repeated rounds([products] {
    for (Product& product : *products) product.run();
  });
  return PreparedWork{.measure = [rounds, operations]() -> Result<Numbers> {
    const double seconds = rounds.seconds();
    return Numbers{{"seconds", seconds}, {"flops", operations / seconds}};
  }};
}

}  // namespace

WorkDef products() {
  return {.name = "products",
          .doc = "widths=, batch=: float32 operations per second in the products of a step",
          .prepare = prepare};
}

}  // namespace chop::works
