// quantize and quantize_grad: the format's own loops, cut among threads where values stand
// alone.
#include "ops/core/quantise.hpp"
#include "runtime/conv/frozen/apply_epilogue.hpp"
#include "runtime/elementwise.hpp"
#include "runtime/kernel.hpp"

namespace chop::runtime::kernels {
namespace {

std::span<const float> learned_of(const KernelArgs& args, std::size_t position,
                                  const Quantiser& quantiser) {
  if (args.in.size() <= position) return {};
  return {args.input(position), static_cast<std::size_t>(quantiser.learned_size())};
}

/// The quantised integers of a fixed-point grid, a byte each.
Kernel make_codes(const Quantiser& quantiser, DType dtype) {
  Grid grid = quantiser.fixed_point().value();
  if (dtype == DType::U8) grid.low = 0;  // no value is below
  return [grid, count = quantiser.size()](const KernelArgs& args, const RunContext& context) {
    in_chunks(context.threads, count, [&](std::int64_t first, std::int64_t length) {
      quantise_to_bytes(grid, args.input(0) + first, length, args.out[0] + first);
    });
  };
}

/// Groups follow the shape, so values in groups must lie as it says.
Layouts layouts_of(const KernelCall& call) {
  const Result<Quantiser> quantiser = ops::quantiser_of(call, call.shape(0));
  return quantiser && !quantiser.value().is_random() &&
                 (quantiser.value().groups() == 0 || quantiser.value().grid())
             ? Layouts::Same
             : Layouts::Dense;
}

bool draws_nothing(const KernelCall& call) {
  const Result<Quantiser> quantiser = ops::quantiser_of(call, call.shape(0));
  return quantiser && !quantiser.value().is_random();
}

Epilogue quantise_epilogue(const KernelCall& call, std::size_t from) {
  const Result<Quantiser> quantiser = ops::quantiser_of(call, call.shape(0));
  if (from != 0 || call.in.size() != 1 || !quantiser) return {};
  const std::optional<Grid> grid = quantiser.value().grid();
  if (!grid) return {};
  return {{.kind = EpilogueKind::Quantise, .grid = *grid}};
}

Kernel make_quantize(const KernelCall& call) {
  if (call.in[0].dtype != DType::F32) return {};
  Result<Quantiser> made = ops::quantiser_of(call, call.shape(0));
  if (!made) return {};
  const auto quantiser = std::make_shared<Quantiser>(std::move(made).value());
  if (call.out[0].dtype != DType::F32) return make_codes(*quantiser, call.out[0].dtype);
  const bool apart =
      quantiser->is_elementwise() && (call.in.size() == 2 || quantiser->learned_size() == 0);
  return [quantiser, apart, random = quantiser->is_random(), name = std::string(call.node_name)](
             const KernelArgs& args, const RunContext& context) {
    QuantiseRun run{.learned = learned_of(args, 1, *quantiser), .step = context.state.step};
    if (random) run.seed = ops::quantise_seed(context.state, name);
    const float* x = args.input(0);
    float* y = args.output();
    if (!apart) {
      quantiser->run(x, y, run);
      return;
    }
    in_chunks(context.threads, quantiser->size(), [&](std::int64_t first, std::int64_t length) {
      quantiser->run_part(x, y, first, length, run);
    });
  };
}

Kernel make_gradient(const KernelCall& call) {
  if (call.in[0].dtype != DType::F32) return {};
  Result<Quantiser> made = ops::quantiser_of(call, call.shape(1));
  if (!made) return {};
  const auto quantiser = std::make_shared<Quantiser>(std::move(made).value());
  const auto unread = std::make_shared<std::vector<float>>();  // where dx goes if nobody reads it
  if (!call.used[0]) unread->resize(static_cast<std::size_t>(quantiser->size()));
  return [quantiser, unread](const KernelArgs& args, const RunContext& /*context*/) {
    const std::span<const float> learned = learned_of(args, 2, *quantiser);
    std::span<float> d_learned;
    if (args.out.size() > 1 && args.out[1] != nullptr) d_learned = {args.output(1), learned.size()};
    float* dx = args.out[0] != nullptr ? args.output(0) : unread->data();
    quantiser->gradient(args.input(1), args.input(0), dx, learned, d_learned);
  };
}

}  // namespace

std::vector<KernelDef> quantize() {
  return {{.op = "quantize",
           .make = make_quantize,
           .layouts = layouts_of,
           .draws_nothing = draws_nothing,
           .epilogue = quantise_epilogue},
          {"quantize_grad", make_gradient}};
}

}  // namespace chop::runtime::kernels
