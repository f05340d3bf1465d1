// Running one pass in a test: metadata first, arguments as a table, errors as text.
#pragma once

#include <gtest/gtest.h>

#include "models/registry.hpp"
#include "passes/manager.hpp"

namespace chop {

inline Graph zoo(std::string_view name) {
  Result<Graph> graph = build_model(name, {});
  EXPECT_TRUE(graph) << to_string(graph.error());
  return std::move(graph).value();
}

/// Adds metadata, runs the pass through the manager, and hands back what it said.
inline Result<PassOutput> run_pass(Graph& graph, std::string_view name, const Tree& args = {},
                                   PassContext context = {}) {
  CH_TRY(const PassCall call, make_call(name, args));
  CH_CHECK(add_metadata(graph, context));
  CH_TRY(std::vector<PassReport> reports, run_passes(graph, {&call, 1}, context));
  return std::move(reports.front().output);
}

/// As above where it must succeed.
inline PassOutput must_run(Graph& graph, std::string_view name, const Tree& args = {},
                           PassContext context = {}) {
  Result<PassOutput> output = run_pass(graph, name, args, context);
  EXPECT_TRUE(output) << to_string(output.error());
  return output ? std::move(output).value() : PassOutput{};
}

/// The message of a pass that must fail.
inline std::string message_of(Graph graph, std::string_view name, const Tree& args,
                              PassContext context = {}) {
  const Result<PassOutput> output = run_pass(graph, name, args, context);
  EXPECT_FALSE(output) << name << " accepted " << to_text(args);
  return output ? "" : to_string(output.error());
}

}  // namespace chop
