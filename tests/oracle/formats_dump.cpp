// Quantises for formats_test.py. Reads lines of JSON {"format", "config", "shape", "offset"}
// from argv[1]; values lie in argv[2] as f32. Writes to argv[3], case after case: the fast
// result, the plain one, and what the codes decode to (all f32; NaN where there is no code).
#include <fstream>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "formats/quantiser.hpp"

namespace chop {
namespace {

using Json = nlohmann::json;

Attr attr_of(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_string()) return json.get<std::string>();
  if (json.is_number_float()) return json.get<double>();
  if (json.is_number()) return json.get<std::int64_t>();
  if (!json.empty() && json[0].is_number_float()) return json.get<std::vector<double>>();
  return json.get<Ints>();
}

Status dump(const Json& one, const std::vector<float>& values, std::ostream& out) {
  NumberFormat format{one["format"], {}};
  for (const auto& [key, value] : one["config"].items()) format.config[key] = attr_of(value);
  CH_TRY(Quantiser q, Quantiser::make(format, one["shape"].get<Shape>()));
  const auto count = static_cast<std::size_t>(q.size());
  const float* x = values.data() + one["offset"].get<std::size_t>();
  std::vector<float> y(count);
  const auto write = [&](const float* data) {
    out.write(reinterpret_cast<const char*>(data),
              static_cast<std::streamsize>(count * sizeof(float)));
  };
  q.run(x, y.data());
  write(y.data());
  q.run_plainly(x, y.data());
  write(y.data());
  if (const Result<Encoded> codes = q.encode(x); codes) {
    CH_TRY(const Tensor back, q.decode(codes.value()));
    write(back.data<float>().data());
  } else {
    y.assign(count, std::numeric_limits<float>::quiet_NaN());
    write(y.data());
  }
  return {};
}

int run(const char* cases, const char* values_path, const char* out_path) {
  std::ifstream bytes(values_path, std::ios::binary | std::ios::ate);
  std::vector<float> values(static_cast<std::size_t>(bytes.tellg()) / sizeof(float));
  bytes.seekg(0);
  bytes.read(reinterpret_cast<char*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(float)));
  std::ifstream lines(cases);
  std::ofstream out(out_path, std::ios::binary);
  for (std::string line; std::getline(lines, line);)
    if (const Status status = dump(Json::parse(line), values, out); !status) {
      std::cerr << line << '\n' << to_string(status.error());
      return 1;
    }
  return out.good() ? 0 : 1;
}

}  // namespace
}  // namespace chop

int main(int argc, char** argv) {
  return argc == 4 ? chop::run(argv[1], argv[2], argv[3]) : 2;
}
