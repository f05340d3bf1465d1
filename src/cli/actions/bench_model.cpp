// ch bench-model MODEL|FILE [DATASET]: what a network costs against how long it takes.
#include "analysis/timing/layer_times.hpp"
#include "cli/open_model.hpp"
#include "cli/output.hpp"
#include "cli/session.hpp"
#include "runtime/measure/machine.hpp"
#include "support/system/simd_level.hpp"
#include "support/text.hpp"
#include "train/evaluate.hpp"

namespace chop::cli::actions::bench_model {
namespace {

struct Bench {
  GraphCost cost;
  LayerTimes times;
  MachineSpeed machine;
  int threads = 1;
  std::string no_counters;  ///< why there are none
};

double rate(std::int64_t amount, double seconds) {
  return seconds > 0 ? static_cast<double>(amount) / seconds : 0;
}

/// People see "conv2d + relu (winograd)".
Cell op_cell(const LayerTime& layer) {
  return {layer.op, layer.backend.empty() ? layer.op : cat(layer.op, " (", layer.backend, ")")};
}

Table layer_table(const Bench& bench) {
  Table table{.columns = {{"Layer", Align::Left, 40, "layer"},
                          {"Op", Align::Left, 28, "op"},
                          {"Backend", Align::Left, 0, "backend", false},
                          {"Time (us)", Align::Right, 0, "microseconds"},
                          {"Share (%)", Align::Right, 0, "share_percent"},
                          {"MACs", Align::Right, 0, "macs", false},
                          {"GFLOP/s", Align::Right, 0, "gflops"},
                          {"of peak (%)", Align::Right, 0, "peak_percent"},
                          {"GB/s", Align::Right, 0, "gigabytes_per_second"},
                          {"of copy (%)", Align::Right, 0, "copy_percent"}},
              .rows = {}};
  for (const LayerTime& layer : bench.times.layers) {
    const StepCost step = cost_of_step(layer, bench.cost);
    const double flops = rate(step.operations, layer.seconds);
    const double bytes = rate(step.bytes, layer.seconds);
    table.rows.push_back({layer.name, op_cell(layer), layer.backend, Cell(layer.seconds * 1e6, 2),
                          Cell(layer.share * 100, 1), Cell(step.macs, with_commas(step.macs)),
                          Cell(flops * 1e-9, 2), Cell(100 * flops / bench.machine.flops, 1),
                          Cell(bytes * 1e-9, 2), Cell(100 * bytes / bench.machine.bytes, 1)});
  }
  return table;
}

std::string counters_text(const Bench& bench) {
  if (bench.times.counters.empty()) return cat(bench.no_counters, "\n");
  std::string text = "Hardware counters per run, of the calling thread:";
  for (const CounterValue& counter : bench.times.counters)
    text += cat(" ", with_commas(counter.value), " ", counter.name,
                &counter == &bench.times.counters.back() ? "\n" : ",");
  return text;
}

std::string remarks_text(const Bench& bench) {
  std::string text;
  for (const std::string& remark : bench.times.remarks) text += cat("Remark: ", remark, "\n");
  return text;
}

std::string summary(const Bench& bench) {
  const LayerTimes& times = bench.times;
  const double flops = rate(bench.cost.arithmetic.exact, times.run_seconds);
  const auto fixed = [](double value, int decimals) { return Cell(value, decimals).text; };
  return cat("One run of batch size ", bench.cost.batch, ": ", fixed(times.run_seconds * 1e6, 2),
             " us (", fixed(times.step_seconds() * 1e6, 2), " us as the sum of its steps), ",
             with_commas(static_cast<std::int64_t>(rate(bench.cost.batch, times.run_seconds))),
             " samples/s; medians of ", times.repeats, " runs\n", "Counted ",
             with_commas(bench.cost.arithmetic.macs), " MACs, ",
             with_commas(bench.cost.arithmetic.exact),
             " operations (exact): ", fixed(flops * 1e-9, 2), " GFLOP/s, ",
             fixed(100 * flops / bench.machine.flops, 1), " % of this machine's peak\n",
             "Measured peak on ", bench.threads, bench.threads == 1 ? " thread" : " threads",
             " with ", name_of(simd_level()), ": ", fixed(bench.machine.flops * 1e-9, 1),
             " GFLOP/s (product of matrices), ", fixed(bench.machine.bytes * 1e-9, 1),
             " GB/s (copy of 64 MiB)\n", counters_text(bench), remarks_text(bench));
}

Tree tree_of(const Bench& bench, const std::string& model) {
  Tree result =
      Tree::Table{{"model", model},
                  {"batch_size", bench.cost.batch},
                  {"threads", bench.threads},
                  {"simd", name_of(simd_level())},
                  {"repeats", bench.times.repeats},
                  {"run_microseconds", bench.times.run_seconds * 1e6},
                  {"step_microseconds", bench.times.step_seconds() * 1e6},
                  {"samples_per_second", rate(bench.cost.batch, bench.times.run_seconds)},
                  {"macs", bench.cost.arithmetic.macs},
                  {"operations", bench.cost.arithmetic.exact},
                  {"gflops", rate(bench.cost.arithmetic.exact, bench.times.run_seconds) * 1e-9},
                  {"peak_gflops", bench.machine.flops * 1e-9},
                  {"copy_gigabytes_per_second", bench.machine.bytes * 1e-9},
                  {"plan_bytes", bench.times.plan_bytes}};
  if (bench.times.counters.empty()) {
    result["counters"] = Tree();
    result["no_counters"] = bench.no_counters;
  } else {
    for (const CounterValue& counter : bench.times.counters)
      result["counters"][counter.name] = counter.value;
  }
  result["remarks"] = Tree::List(bench.times.remarks.begin(), bench.times.remarks.end());
  result["layers"] = tree_of(layer_table(bench));
  return result;
}

Result<Bench> measure(const Graph& graph, TimingOptions options) {
  Bench bench{.threads = options.threads};
  CH_TRY(bench.cost, count_costs(graph, {.batch = options.batch}));
  bench.machine = measure_machine(options.threads);
  Result<HardwareCounters> counters = HardwareCounters::open();
  if (counters) {
    options.counters = &counters.value();
    Result<LayerTimes> times = time_layers(graph, options);
    if (times) {
      bench.times = std::move(times).value();
      return bench;
    }
    bench.no_counters = times.error().what;  // what fails without counters too fails below
    options.counters = nullptr;
  } else {
    bench.no_counters = counters.error().what;
  }
  CH_TRY(bench.times, time_layers(graph, options));
  return bench;
}

Result<Exit> run(const Invocation& invocation) {
  const Settings& settings = invocation.settings;
  const auto seed = settings.seed();
  CH_TRY(const ModelSource source, classify(settings.text_or_empty("model")));
  CH_TRY(const OpenedModel model,
         open_for_data(source, settings, settings.text_or_empty("dataset")));
  std::optional<Dataset> data;
  if (const auto name = settings.text("dataset")) {
    CH_TRY(data, open_dataset(*name, data_options(settings), model.graph, Labels::Optional));
    CH_CHECK(check_fits(model.graph, calibration_rows(*data), data->num_classes));
  }
  CH_TRY(const Bench bench, measure(model.graph, {.batch = batch_size(model, settings),
                                                  .threads = thread_count(settings),
                                                  .repeats = settings.integer("repeats"),
                                                  .samples = data ? &data->test : nullptr,
                                                  .seed = seed}));
  if (prints_text(invocation))
    invocation.out << shown(invocation, layer_table(bench), TableStyle::Simple) << summary(bench);
  return done(invocation, tree_of(bench, model.name));
}

}  // namespace

ActionDef define() {
  return {
      .name = "bench-model",
      .usage = "ch bench-model MODEL|FILE [DATASET] [options]",
      .summary = "time a network layer by layer, beside the operations and bytes it needs",
      .details =
          "  ch bench-model resnet18 --batch-size 1\n"
          "  ch bench-model jsc-s jsc --batch-size 1024 --threads 1 --json bench.json\n"
          "Layers that run as one step are named together. GFLOP/s are exact operations (a\n"
          "multiply-accumulate is two) per second; GB/s the bytes of parameters, inputs and\n"
          "outputs. The peak is measured in the same run: a large matrix product, a large copy.\n"
          "Without a data set the network is fed normally distributed numbers.",
      .positionals = {"model", "dataset"},
      .required = {"model"},
      .settings = sample_settings({"batch_size"}),
      .own = {{.field = {.name = "repeats",
                         .initial = 0,
                         .doc = "timed runs; 0: as many as fit in a second, from 3 to 1000",
                         .bounds = {.least = 0}},
               .placeholder = "N"}},
      .run = run};
}

}  // namespace chop::cli::actions::bench_model
