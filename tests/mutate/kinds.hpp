// The kinds of file that are mutated: what each starts from, how it changes, and what opens it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "mutate/mutators.hpp"

namespace chop::mutate {

struct Kind {
  std::string name;
  std::string file;  ///< where the commands look for it, below the work folder
  Words bases;       ///< whole files
  std::string (*mutate)(const std::string& file, Random& random);
  std::vector<Words> commands;  ///< words behind `ch`, or "exercise" and the file
};

/// The kinds, with bases from the library's own writers and from the corpus of the fuzz targets.
std::vector<Kind> all_kinds(const std::filesystem::path& source);

/// Puts the files that commands need beside the mutated one into the work folder.
void write_companions(const std::filesystem::path& work);

/// Everything the library can be asked about the network in a file: its text and JSON and back,
/// shapes, costs, bits, plans for evaluation and training, a run, ONNX and back. 0, or 1 for an
/// error of ours.
int exercise(const std::string& file);

/// Whether the file holds a network that asks for more work than a command may take here. A mutant
/// may do that rightly: [1, 2, 8388608, 2] is a shape.
bool asks_for_much(const std::string& file);

}  // namespace chop::mutate
