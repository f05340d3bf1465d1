// ch format NAME [KEY=VALUE ...]: what a number format does to values, or to a file of them.

#include "cli/action_def.hpp"
#include "cli/output.hpp"
#include "config/toml.hpp"
#include "formats/quantiser.hpp"
#include "formats/registry.hpp"
#include "io/npy.hpp"
#include "support/text.hpp"

namespace chop::cli::actions::format {
namespace {

Table list_table() {
  Table table{.columns = {{"Format", Align::Left, 0, "format"},
                          {"Key", Align::Left, 0, "key"},
                          {"Default", Align::Left, 0, "default"},
                          {"Allowed", Align::Left, 34, "allowed"},
                          {"Meaning", Align::Left, 60, "meaning"}},
              .rows = {}};
  for (const FormatDef& def : all_formats()) {
    std::string name(def.name);
    for (const std::string_view alias : def.aliases) name += cat(", ", alias);
    if (def.keys.empty()) table.rows.push_back({name, "", "", "", def.doc});
    for (const Field& key : def.keys) {
      table.rows.push_back({Cell(std::string(def.name), name), key.name, shown_default(def, key),
                            describe_allowed(key), key.doc});
      name.clear();  // once per format for people; programs read it in every row
    }
  }
  return table;
}

Tree list_tree() {
  Tree list = Tree::list();
  for (const FormatDef& def : all_formats()) {
    Tree entry = Tree::Table{{"format", def.name}, {"aliases", def.aliases}, {"doc", def.doc}};
    entry["gradient"] = name_of(def.gradient);
    entry["keys"] = Tree::list();
    for (const Field& key : def.keys)
      entry["keys"].push(Tree::Table{{"key", key.name},
                                     {"default", shown_default(def, key)},
                                     {"allowed", describe_allowed(key)},
                                     {"meaning", key.doc}});
    list.push(std::move(entry));
  }
  return list;
}

Result<NumberFormat> read_format(const Invocation& invocation) {
  NumberFormat format{invocation.settings.text_or_empty("name"), {}};
  for (const std::string& word : invocation.words) {
    const std::size_t equals = word.find('=');
    const std::string text = word.substr(equals + 1);
    format.config[word.substr(0, equals)] = attr_of(read_word(text)).value_or(Attr(text));
  }
  return complete(format);
}

/// Numbers of both signs from tiny to large: powers of two, ties, values just below them.
Tensor example_values() {
  return Tensor::of<float>(
      {22},
      {0.0F, 0.001F, 0x1p-7F, 0.03F, 0.03125F, 0.1F,   0.15625F, 0.3F,  0.5F,  0.75F,  1.0F,
       1.5F, 1.97F,  2.0F,    3.3F,  7.96F,    100.0F, 1000.0F,  -0.3F, -1.0F, -1.97F, -100.0F});
}

Cell number(double value) {
  return {value, exact(static_cast<float>(value))};
}

Result<Table> values_table(const NumberFormat& format) {
  const Tensor x = example_values();
  CH_TRY(Quantiser quantiser, Quantiser::make(format, x.shape()));
  CH_TRY(const Tensor q, quantise(format, x));
  CH_TRY(const Encoded encoded, quantiser.encode(x.data<float>().data()));
  Table table{.columns = {{"x", Align::Right, 0, "x"},
                          {"q", Align::Right, 0, "q"},
                          {"Code", Align::Right, 0, "code"},
                          {"Error", Align::Right, 0, "error"}},
              .rows = {}};
  for (std::int64_t i = 0; i < x.size(); ++i)
    table.rows.push_back({number(x.at(i)), number(q.at(i)),
                          encoded.codes.data<std::int64_t>()[static_cast<std::size_t>(i)],
                          number(q.at(i) - x.at(i))});
  return table;
}

Table facts_table(const FormatDef& def, const Range& range, const Bits& bits) {
  Table table{.columns = {{"What", Align::Left, 0, "what"}, {"Value", Align::Left, 0, "value"}},
              .rows = {{"bits per value", bits.value}}};
  if (bits.shared > 0) table.rows.push_back({"bits per group", bits.shared});
  const std::string_view of = range.relative ? ", in units of the group's scale" : "";
  table.rows.push_back({cat("lowest", of), number(range.lowest)});
  table.rows.push_back({cat("highest", of), number(range.highest)});
  table.rows.push_back({cat("least above zero", of), number(range.least_positive)});
  if (range.step > 0) table.rows.push_back({cat("step", of), number(range.step)});
  table.rows.push_back({"zero", range.has_zero ? "exact" : "not representable"});
  table.rows.push_back({"gradient", name_of(def.gradient)});
  return table;
}

Tree config_tree(const NumberFormat& format) {
  Tree tree = Tree::table();
  for (const auto& [key, value] : format.config)
    std::visit([&, &name = key](const auto& v) { tree[name] = v; }, value);
  return tree;
}

Result<Exit> show(const Invocation& invocation, const NumberFormat& format) {
  CH_TRY(const FormatDef* def, find_format(format.name));
  CH_TRY(const Range range, range_of(format));
  CH_TRY(const Bits bits, bits_of(format));
  CH_TRY(const Table values, values_table(format));
  const Table facts = facts_table(*def, range, bits);
  if (prints_text(invocation)) {
    invocation.out << display(format) << ": " << def->doc << "\n\n"
                   << shown(invocation, facts, TableStyle::Simple) << "\n"
                   << shown(invocation, values, TableStyle::Simple);
  }
  return done(invocation,
              Tree::Table{{"format", format.name},
                          {"config", config_tree(format)},
                          {"bits", Tree::Table{{"value", bits.value}, {"shared", bits.shared}}},
                          {"range", Tree::Table{{"lowest", range.lowest},
                                                {"highest", range.highest},
                                                {"least_positive", range.least_positive},
                                                {"step", range.step},
                                                {"has_zero", range.has_zero},
                                                {"relative", range.relative}}},
                          {"gradient", name_of(def->gradient)},
                          {"values", tree_of(values)}});
}

/// What quantising did to a tensor.
Table change_table(const Tensor& x, const Tensor& q, std::int64_t bits, const Range& range) {
  double most = 0;
  double error = 0;
  double power = 0;
  std::int64_t zeroed = 0;
  std::int64_t clipped = 0;
  std::int64_t compared = 0;
  for (std::int64_t i = 0; i < x.size(); ++i) {
    const double a = x.at(i);
    const double b = q.at(i);
    zeroed += a != 0 && b == 0 ? 1 : 0;
    clipped += !range.relative && (a < range.lowest || a > range.highest) ? 1 : 0;
    if (!std::isfinite(a)) continue;
    ++compared;
    most = std::max(most, std::fabs(a - b));
    error += (a - b) * (a - b);
    power += a * a;
  }
  Table table{.columns = {{"What", Align::Left, 0, "what"}, {"Value", Align::Left, 0, "value"}},
              .rows = {{"shape", to_string(x.shape())}, {"bits", bits}}};
  table.rows.push_back({"largest error", most});
  table.rows.push_back({"mean squared error", compared > 0 ? error / double(compared) : 0.0});
  if (error > 0 && power > 0)
    table.rows.push_back({"signal to noise, dB", Cell(10 * std::log10(power / error), 2)});
  if (!range.relative) table.rows.push_back({"values clipped", clipped});
  table.rows.push_back({"values flushed to zero", zeroed});
  if (compared < x.size()) table.rows.push_back({"not finite", x.size() - compared});
  return table;
}

Result<Exit> convert(const Invocation& invocation, const NumberFormat& format,
                     const std::string& path) {
  CH_TRY(const Tensor read, read_npy(path));
  const Tensor x = read.to(DType::F32);
  Result<Tensor> q = quantise(format, x);
  if (!q) return std::move(q).error().note(path);
  CH_TRY(const std::int64_t bits, total_bits(format, x.shape()));
  CH_TRY(const Range range, range_of(format));
  if (const auto out = invocation.settings.text("out")) CH_CHECK(write_npy(*out, q.value()));
  if (prints_text(invocation)) invocation.out << display(format) << "\n";
  return print_table(invocation, change_table(x, q.value(), bits, range), TableStyle::Simple);
}

Result<Exit> run(const Invocation& invocation) {
  const Settings& settings = invocation.settings;
  if (settings.flag("list")) {
    if (prints_text(invocation))
      invocation.out << shown(invocation, list_table(), TableStyle::Simple);
    return done(invocation, list_tree());
  }
  if (!settings.has("name"))
    return Error{.what = "which number format?",
                 .hint =
                     "`ch format integer width=8 frac_width=4` shows one, `ch format --list` "
                     "lists them all"};
  CH_TRY(const NumberFormat format, read_format(invocation));
  const auto in = settings.text("in");
  if (!in && settings.has("out"))
    return Error{.what = "--out needs --in", .hint = "--in x.npy names the values to quantise"};
  return in ? convert(invocation, format, *in) : show(invocation, format);
}

}  // namespace

ActionDef define() {
  return {
      .name = "format",
      .usage = "ch format NAME [KEY=VALUE ...] [--in X.npy [--out Y.npy]] | --list [--json FILE]",
      .summary = "show what a number format does to values, or quantise a file",
      .details =
          "  ch format --list                                  all formats and their keys\n"
          "  ch format integer width=8 frac_width=4            range, bits, codes, errors\n"
          "  ch format block_fp width=7 block_size=1,16 --in x.npy --out y.npy",
      .positionals = {"name"},
      .settings = {"json", "quiet"},
      .own =
          {positional("name", "NAME", "a number format, such as integer",
                      registered_names<all_formats>),
           flag("list", "list all formats with their keys"),
           {.field = {.name = "in", .doc = "values to quantise", .kind = FieldKind::ExistingFile},
            .placeholder = "X.npy"},
           {.field = {.name = "out",
                      .doc = "where the quantised values go",
                      .kind = FieldKind::Path},
            .placeholder = "Y.npy"}},
      .takes_words = true,
      .run = run};
}

}  // namespace chop::cli::actions::format
