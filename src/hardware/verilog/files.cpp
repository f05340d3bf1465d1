// What the files of all circuits have in common.
#include "hardware/verilog/verilog.hpp"

namespace chop::hardware {

std::vector<SourceFile> circuit_files(std::vector<SourceFile> modules, std::string main,
                                      Testbench bench) {
  std::vector<SourceFile> files;
  std::string names;
  for (SourceFile& module : modules) {
    files.push_back({cat("rtl/", module.name), std::move(module.text)});
    names += files.back().name + "\n";
  }
  files.push_back({"rtl/files.f", std::move(names)});
  files.push_back({"sim/main.cpp", std::move(main)});
  files.push_back({cat("test/", bench.name, ".sv"), std::move(bench.text)});
  files.push_back({"test/inputs.hex", std::move(bench.inputs)});
  files.push_back({"test/outputs.hex", std::move(bench.outputs)});
  return files;
}

std::string filled(std::string_view form,
                   const std::vector<std::pair<std::string_view, std::string>>& values) {
  std::string text(form);
  for (const auto& [mark, value] : values)
    for (std::size_t at = text.find(mark); at != std::string::npos;
         at = text.find(mark, at + value.size()))
      text.replace(at, mark.size(), value);
  return text;
}

void append_bits(std::int64_t code, const Interval& range, std::string& bits) {
  for (int b = 0; b < width_of(range); ++b) bits += (code >> b & 1) != 0 ? '1' : '0';
}

std::string hexadecimal(std::string bits) {
  while (bits.size() % 4 != 0) bits += '0';
  std::string text;
  for (std::size_t at = bits.size(); at > 0; at -= 4) {
    int digit = 0;
    for (std::size_t b = 0; b < 4; ++b) digit |= (bits[at - 4 + b] == '1' ? 1 : 0) << b;
    text += "0123456789abcdef"[digit];
  }
  return text;
}

}  // namespace chop::hardware
