// Other programs: started by name, waited for, with what they said.
#pragma once

#include <filesystem>

#include "support/result.hpp"

namespace chop::support {

struct ProgramResult {
  int code = 0;        ///< exit code; 128 and the number of the signal that ended it
  std::string output;  ///< standard output and standard error, as they came
};

/// Runs `words` (the program, found in $PATH, and its arguments) in `folder`. A program that does
/// not exist is an error; one that fails is a result.
Result<ProgramResult> run_program(const std::vector<std::string>& words,
                                  const std::filesystem::path& folder);
/// Whether $PATH has it.
bool has_program(const std::string& name);
/// An error where $PATH lacks one of these: asked before what they are needed for is begun.
Status need_programs(std::span<const std::string> names);

}  // namespace chop::support
