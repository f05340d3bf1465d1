// linear and linear_grad as matrix products.
#include "ops/core/registry.hpp"
#include "runtime/column_sums.hpp"
#include "runtime/conv/frozen/apply_epilogue.hpp"
#include "runtime/conv/frozen/frozen_conv.hpp"
#include "runtime/elementwise.hpp"
#include "runtime/gemm/gemm.hpp"
#include "runtime/kernel.hpp"
#include "runtime/row_blocks.hpp"
#include "runtime/scratch.hpp"
#include "runtime/shares.hpp"
#include "runtime/team.hpp"

namespace chop::runtime::kernels {
namespace {

using Scratch = std::shared_ptr<std::vector<float>>;

Scratch scratch_for(std::size_t floats) {
  return std::make_shared<std::vector<float>>(floats);
}

Gemm product_of(const KernelCall& call) {
  const std::int64_t out = call.shape(1)[0];
  const std::int64_t in = call.shape(1)[1];
  return {.m = out == 0 ? 0 : numel(call.out[0].shape) / out,
          .n = out,
          .k = in,
          .a_row = in,
          .b_row = 1,
          .b_col = in,
          .c_row = out,
          .relu = call.flag("relu")};
}

/// A product whose rows are shared among the members of a team.
std::optional<TeamRun> rows_by_team(const Gemm& product, bool biased) {
  if (product.is_large()) return {};
  const RowBlocks blocks{product.m, kTeamRows};
  return TeamRun{.rows = product.m,
                 .work = product.m * product.n * product.k,
                 .rows_in = 0b1,
                 .rows_out = 0b1,
                 .run = [=](const KernelArgs& args, Member& member) {
                   const Share rows = member.rows(blocks);
                   Gemm own = product;
                   own.m = rows.size();
                   fetch(args.input(1), own.n * own.k);  // others have updated their part
                   own.run(args.input(0) + rows.begin * own.a_row, args.input(1),
                           biased ? args.input(2) : nullptr, args.output() + rows.begin * own.c_row,
                           reinterpret_cast<float*>(thread_scratch(own.scratch() * sizeof(float))),
                           1);
                 }};
}

Kernel make_linear(const KernelCall& call) {
  // Lowered calls have no mask: their weights are multiplied with it before.
  if (!all_float(call) || mask_of(call) != nullptr) return {};
  const Gemm product = product_of(call);
  const bool biased = call.in.size() > 2;
  if (call.fixed.size() > 1 && call.fixed[1] != nullptr)
    return {[product, biased, packed = product.pack(call.fixed[1])](const KernelArgs& args,
                                                                    const RunContext& context) {
              product.run_packed(args.input(0), args.input(1), packed.get(),
                                 biased ? args.input(2) : nullptr, args.output(), context.threads);
            },
            product.backend()};
  return {[product, biased, scratch = scratch_for(product.scratch())](const KernelArgs& args,
                                                                      const RunContext& context) {
            product.run(args.input(0), args.input(1), biased ? args.input(2) : nullptr,
                        args.output(), scratch->data(), context.threads);
          },
          product.backend(), rows_by_team(product, biased)};
}

/// Bytes pay for their packing where there is work: many weights, or not so few and many rows.
bool is_worth_bytes(const KernelCall& call) {
  constexpr std::int64_t kWeights = std::int64_t{1} << 14;
  constexpr std::int64_t kFewWeights = std::int64_t{1} << 10;
  constexpr std::int64_t kRows = 64;
  const std::int64_t weights = numel(call.shape(1));
  return weights >= kWeights || (weights >= kFewWeights && call.shape(0)[0] >= kRows);
}

bool heads_chain(const KernelCall& call) {
  return call.shape(0).size() == 2 && call.in[1].dtype == DType::F32 && mask_of(call) == nullptr &&
         (call.in[0].dtype == DType::F32 || is_worth_bytes(call)) && numel(call.out[0].shape) > 0;
}

/// Rows of float sums go through the epilogue while they are in the cache. They are computed in the
/// result's own memory; in scratch memory where the chain has several results or an integer one.
Kernel make_float_chain(const KernelCall& call, Epilogue epilogue) {
  const auto results =
      std::ranges::count_if(epilogue, [](const auto& op) { return op.output >= 0; });
  const bool in_place = results == 1 && epilogue.back().output == 0 && !epilogue.back().integers;
  std::erase_if(epilogue, [](const EpilogueOp& op) {
    return op.kind == EpilogueKind::Identity && op.output < 0;
  });
  if (in_place && epilogue.size() == 1 && epilogue[0].kind == EpilogueKind::Identity)
    return make_linear(call);
  const Gemm product = product_of(call);
  const bool biased = call.in.size() > 2;
  const Scratch own = scratch_for(in_place ? 0 : static_cast<std::size_t>(product.m * product.n));
  return
      [=, packed = product.pack(call.fixed[1]), rest = RowEpilogue(product.n, std::move(epilogue))](
          const KernelArgs& args, const RunContext& context) {
        float* const sums = in_place ? args.output() : own->data();
        const auto finish = [&](std::int64_t row, std::int64_t rows) {
          rest.run(sums, row, rows, args);
        };
        product.run_packed(args.input(0), args.input(1), packed.get(),
                           biased ? args.input(2) : nullptr, sums, context.threads, finish);
      };
}

/// In bytes, rows are the positions of one image of one column.
Kernel make_chain(const KernelCall& call, Epilogue epilogue) {
  if (call.in[0].dtype == DType::F32) return make_float_chain(call, std::move(epilogue));
  if (call.flag("relu")) epilogue.insert(epilogue.begin(), clamp_op(0));
  FrozenConvJob job = frozen_conv_job(call, std::move(epilogue));
  job.shape = {.in_channels = call.shape(1)[1], .out_channels = call.shape(1)[0]};
  job.shape.window.in.h = job.shape.window.out.h = call.shape(0)[0];
  return frozen_conv(std::move(job));
}

/// dy where y > 0, by the same steps as relu's own gradient.
void through_relu(const float* dy, const float* y, std::int64_t count, float* masked, int threads) {
  in_chunks(threads, count, [&](std::int64_t first, std::int64_t length) {
    for (std::int64_t i = first; i < first + length; ++i)
      masked[i] = dy[i] * (y[i] > 0 ? 1.0F : 0.0F);
  });
}

/// Σ dyᵀ x over many rows: products of blocks of rows, added in their order. `parts` has room for
/// one product to a block.
void weight_by_blocks(const RowBlocks& blocks, const Gemm& whole, const float* dy, const float* x,
                      float* parts, float* dw, int threads) {
  const std::int64_t length = whole.m * whole.n;
  blocks.each(threads, [&](std::int64_t block) {
    Gemm part = whole;
    part.k = blocks.size(block);
    const std::int64_t first = blocks.first(block);
    part.run(dy + first * whole.a_col, x + first * whole.b_row, nullptr, parts + block * length,
             nullptr, 1);
  });
  blocks.add_up(parts, length, dw);
}

/// Σ dy over many rows, likewise.
void bias_by_blocks(const RowBlocks& blocks, const float* dy, std::int64_t out, float* parts,
                    float* db, int threads) {
  blocks.each(threads, [&](std::int64_t block) {
    column_sums(dy + blocks.first(block) * out, blocks.size(block), out, {0, out},
                parts + block * out);
  });
  blocks.add_up(parts, out, db);
}

/// The products of linear_grad, from dy [rows, out], x [rows, in] and w [out, in].
struct GradJob {
  std::int64_t rows, in, out;

  /// dx [rows, in] = dy w
  Gemm to_input() const {
    return {.m = rows, .n = in, .k = out, .a_row = out, .b_row = in, .c_row = in};
  }
  /// dw [out, in] = dyᵀ x, by the blocks of rows that members of a team have
  Gemm to_weight() const {
    return {.m = out,
            .n = in,
            .k = rows,
            .a_row = 1,
            .a_col = out,
            .b_row = in,
            .c_row = in,
            .longest = kTeamRows};
  }
};

/// All products of linear_grad shared among threads, each of which has a share of every result.
void grad_parts(const GradJob& job, const float* dy, const KernelArgs& args, int parts) {
  parallel_short(parts, [&](std::int64_t number) {
    const int part = static_cast<int>(number);
    if (args.out[0] != nullptr)
      job.to_input().run_part(dy, args.input(2), args.output(0), part, parts);
    if (args.out[1] != nullptr)
      job.to_weight().run_part(dy, args.input(1), args.output(1), part, parts);
    if (args.out[2] != nullptr)
      column_sums(dy, job.rows, job.out, share_of(job.out, kSummedColumns, part, parts),
                  args.output(2));
  });
}

/// linear_grad by the members of a team: the products of each block of rows, whose sums are added
/// after the next meeting.
struct TeamGrad {
  GradJob job;
  bool relu;
  RowBlocks blocks;
  std::vector<float> weights, biases;  ///< of each block: dyᵀ x and Σ dy

  TeamGrad(const GradJob& what, bool clamped)
      : job(what),
        relu(clamped),
        blocks{what.rows, kTeamRows},
        weights(static_cast<std::size_t>(blocks.count() * job.out * job.in)),
        biases(static_cast<std::size_t>(blocks.count() * job.out)) {}

  void run(const KernelArgs& args, Member& member) {
    const Share rows = member.rows(blocks);
    const Share mine = member.blocks(blocks);
    fetch_to_write(weights.data() + mine.begin * job.out * job.in, mine.size() * job.out * job.in);
    const float* dy = args.input(0) + rows.begin * job.out;
    if (relu) {
      auto* const masked = reinterpret_cast<float*>(thread_scratch(
          static_cast<std::size_t>(rows.size() * job.out) * sizeof(float), ScratchFor::Call));
      through_relu(dy, args.input(3) + rows.begin * job.out, rows.size() * job.out, masked, 1);
      dy = masked;
    }
    if (args.out[0] != nullptr) {
      Gemm own = job.to_input();
      own.m = rows.size();
      own.run(dy, args.input(2), nullptr, args.output(0) + rows.begin * job.in, nullptr, 1);
    }
    for (std::int64_t block = mine.begin; block < mine.end; ++block) {
      const std::int64_t first = blocks.first(block);
      const float* const some = dy + (first - rows.begin) * job.out;
      Gemm part = job.to_weight();
      part.k = blocks.size(block);
      if (args.out[1] != nullptr)
        part.run(some, args.input(1) + first * job.in, nullptr,
                 weights.data() + block * job.out * job.in, nullptr, 1);
      if (args.out[2] != nullptr)
        column_sums(some, part.k, job.out, {0, job.out}, biases.data() + block * job.out);
    }
    member.later([this, &args](const Member& each) { add_up(args, each); });
  }

 private:
  void add_up(const KernelArgs& args, const Member& member) const {
    const std::int64_t length = job.out * job.in;
    if (args.out[1] != nullptr)
      add_blocks(weights.data(), length, share_of(length, 16, member.number(), member.count()),
                 args.output(1));
    if (args.out[2] != nullptr && member.is_first())
      add_blocks(biases.data(), job.out, {0, job.out}, args.output(2));
  }
  void add_blocks(const float* parts, std::int64_t length, Share share, float* to) const {
    for (std::int64_t block = 0; block < blocks.count(); ++block)
      fetch(parts + block * length + share.begin, share.size());
    fetch_to_write(to + share.begin, share.size());
    std::copy(parts + share.begin, parts + share.end, to + share.begin);
    for (std::int64_t block = 1; block < blocks.count(); ++block)
      for (std::int64_t i = share.begin; i < share.end; ++i) to[i] += parts[block * length + i];
  }
};

std::optional<TeamRun> grad_by_team(const GradJob& job, bool relu) {
  const RowBlocks blocks{job.rows, kTeamRows};
  if (blocks.many() || blocks.count() < 2 || job.to_input().is_large() ||
      job.to_weight().is_large())
    return {};
  return TeamRun{.rows = job.rows,
                 .work = 2 * job.rows * job.out * job.in,
                 .rows_in = 0b1011,
                 .rows_out = 0b001,
                 .late_out = 0b110,
                 .run = [grad = std::make_shared<TeamGrad>(job, relu)](
                            const KernelArgs& args, Member& member) { grad->run(args, member); }};
}

Kernel make_linear_grad(const KernelCall& call) {
  if (!all_float(call)) return {};
  const std::int64_t out = call.shape(2)[0];
  const std::int64_t in = call.shape(2)[1];
  const std::int64_t rows = out == 0 ? 0 : numel(call.shape(0)) / out;
  const GradJob job{rows, in, out};
  const Gemm to_input = job.to_input();
  const Gemm to_weight = job.to_weight();
  const bool relu = call.flag("relu");
  const RowBlocks blocks{rows};
  // Wide weights keep all threads busy by themselves, and their parts would be large.
  const bool by_blocks = blocks.many() && in * out <= (1 << 16);
  const auto scratch = scratch_for(to_input.scratch());
  const std::int64_t masked_floats = relu ? (rows * out + 15) / 16 * 16 : 0;
  const std::int64_t part_floats =
      blocks.many() ? blocks.count() * out * (by_blocks ? std::max<std::int64_t>(in, 1) : 1) : 0;
  Gemm first_block = to_weight;
  if (by_blocks) first_block.k = blocks.size(0);
  const bool large =
      (call.used[0] && to_input.is_large()) || (call.used[1] && first_block.is_large());
  const auto run = [=](const KernelArgs& args, const RunContext& context) {
    auto* const memory = reinterpret_cast<float*>(thread_scratch(
        static_cast<std::size_t>(masked_floats + part_floats) * sizeof(float), ScratchFor::Call));
    float* const sums = memory + masked_floats;
    const float* dy = args.input(0);
    if (relu) {
      through_relu(dy, args.input(3), rows * out, memory, context.threads);
      dy = memory;
    }
    if (const int parts = large || blocks.many() ? 1 : to_weight.parts(context.threads); parts > 1)
      return grad_parts(job, dy, args, parts);
    if (args.out[0] != nullptr)
      to_input.run(dy, args.input(2), nullptr, args.output(0), scratch->data(), context.threads);
    if (args.out[1] != nullptr && by_blocks)
      weight_by_blocks(blocks, to_weight, dy, args.input(1), sums, args.output(1), context.threads);
    else if (args.out[1] != nullptr)
      to_weight.run(dy, args.input(1), nullptr, args.output(1), scratch->data(), context.threads);
    if (args.out[2] != nullptr && blocks.many())
      bias_by_blocks(blocks, dy, out, sums, args.output(2), context.threads);
    else if (args.out[2] != nullptr)
      column_sums(dy, rows, out, {0, out}, args.output(2));
  };
  return {run, large ? "onednn" : "", large ? std::nullopt : grad_by_team(job, relu)};
}

}  // namespace

std::vector<KernelDef> linear() {
  return {
      {.op = "linear", .make = make_linear, .heads_chain = heads_chain, .make_chain = make_chain},
      {"linear_grad", make_linear_grad}};
}

}  // namespace chop::runtime::kernels
