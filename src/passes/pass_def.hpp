// One pass: its name, its arguments, what it promises, what it does.
//
// The file src/passes/defs/<name>.cpp defines `PassDef define()` in namespace
// chop::passes::<name>; that is its registration.
#pragma once

#include <filesystem>

#include "config/args.hpp"
#include "data/dataset.hpp"
#include "ir/graph.hpp"
#include "report/table.hpp"

namespace chop::passes {

/// What a pass promises about the network's outputs. The pass manager checks MetadataOnly, the
/// tests check SameBits and Close.
enum class Promise : std::uint8_t {
  MetadataOnly,  ///< nothing but metadata changes
  SameBits,      ///< the graph may change, its outputs do not, to the last bit
  Close,         ///< outputs differ by rounding alone
  NewNumbers     ///< outputs change; that is the purpose of the pass
};
std::string_view name_of(Promise promise);
/// One clause for documentation.
std::string_view explain(Promise promise);

/// What a pass may use besides the graph and its arguments.
struct PassContext {
  const Split* samples = nullptr;  ///< rows to run the graph on; null: there are none
  std::int64_t batch_size = 8;
  int threads = 1;
  std::uint64_t seed = 0;
  /// Where files go whose names are relative; empty: the current folder, and only files that
  /// an argument asks for are written.
  std::filesystem::path folder = {};
  /// Where circuits are written, the FPGA they are for, and how many of it there are.
  std::filesystem::path hardware = "hardware";
  std::string target = "xilinx";
  std::int64_t num_targets = 1;
  std::optional<report::TableStyle> tables = {};  ///< of printed tables, in place of the usual one
};

/// A table as a pass prints it: in `usual` style, unless the user wants another.
std::string drawn(const report::Table& table, report::TableStyle usual, const PassContext& context);

/// Where a file named by an argument goes: absolute names as they are.
std::filesystem::path output_path(const PassContext& context, std::string_view name);

struct PassOutput {
  std::string text = {};                          ///< for people
  Tree info = {};                                 ///< the same for programs
  std::vector<std::filesystem::path> files = {};  ///< what was written
  std::vector<std::string> warnings = {};         ///< what the user may not have meant
};

/// Metadata that must be there before a pass runs.
enum class Needs : std::uint8_t { Nothing, Common, Software };

/// A run that the tests hold against the promise of the pass.
struct PassSample {
  Tree args = Tree::table();
  std::string_view model = {};  ///< of the zoo; "": one of each kind
  bool is_quantised = false;    ///< before the pass, all operands get a fixed-point format
  /// Promise::NewNumbers: outputs change, but by no more than this share of the largest.
  double within = 0;
};

struct PassDef {
  std::string_view name;
  std::string_view doc;           ///< one clause, lower-case, no final period
  std::string_view details = {};  ///< more help; may be empty
  std::vector<Field> args = {};
  /// Tables besides `args` are allowed, named by nodes or types; what they are called in help.
  std::string_view open = {};
  Promise promise = Promise::MetadataOnly;
  Needs needs = Needs::Nothing;
  bool needs_samples = false;
  Result<PassOutput> (*run)(Graph&, const Args&, const PassContext&) = nullptr;
  /// Empty: one run without arguments on each kind of network.
  std::vector<PassSample> samples = {};
};

/// All passes, in alphabetical order.
std::span<const PassDef> all_passes();
/// The pass of that name; the error names the nearest one.
Result<const PassDef*> find_pass(std::string_view name);

}  // namespace chop::passes
