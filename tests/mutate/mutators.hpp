// Changed files. A gentle change keeps the type of a value and takes another: a name for another
// name of the file, a number for its neighbour, zero, minus one or a huge one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mutate/random.hpp"
#include "support/tree.hpp"

namespace chop::mutate {

using Words = std::vector<std::string>;

/// Names that mean something to some reader: ops, formats, opcodes, types, operands.
const Words& known_words();

std::int64_t changed_number(std::int64_t value, Random& random);
double changed_number(double value, Random& random);
/// Another word of `words`, or a known one, or this one with a small change.
std::string changed_word(const std::string& word, const Words& words, Random& random);

/// One value somewhere in the tree is another one.
Tree changed_tree(const Tree& tree, Random& random);

// Each takes the bytes of a whole file and gives those of another.
std::string mutate_bytes(const std::string& file, Random& random);
/// Text of words, numbers, quotes and signs: TOML, CSV, graphs as text, headers.
std::string mutate_text(const std::string& file, Random& random);
/// Safetensors, ours and others': the JSON inside, the tensors, then lengths and checksum anew.
std::string mutate_safetensors(const std::string& file, Random& random);
std::string mutate_onnx(const std::string& file, Random& random);
std::string mutate_pickle(const std::string& file, Random& random);
/// A zip archive, of which one entry is changed by what its name says: a pickle, an npy.
std::string mutate_zip(const std::string& file, Random& random);
std::string mutate_npy(const std::string& file, Random& random);
/// A tar archive, gzipped: a field of a header with its checksum anew, or any bytes.
std::string mutate_tar(const std::string& file, Random& random);
std::string mutate_idx(const std::string& file, Random& random);

}  // namespace chop::mutate
