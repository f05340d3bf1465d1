// The texts of a stream's testbench and of the program around Verilator's model, and their vectors.
#include "hardware/stream/bench.hpp"
#include "hardware/stream/units.hpp"

namespace chop::hardware {
namespace {

constexpr std::string_view kStreamTestbench =
    R"(// Gives words, with random pauses on both sides where +stalls=1, and compares every word that
// comes. Vectors: +vectors=DIR, the current folder without it.
`timescale 1ns / 1ps
/* verilator lint_off UNUSED */
module @TOP@_tb;
  localparam int GIVEN = @GIVEN@;
  localparam int MADE = @MADE@;
  logic aclk = 1'b0;
  logic aresetn = 1'b0;
  logic [@IN@:0] inputs [0:GIVEN-1];
  logic [@OUT@:0] outputs [0:MADE-1];
  logic [@IN@:0] s_axis_tdata;
  logic [@OUT@:0] m_axis_tdata, kept;
  logic s_axis_tvalid = 1'b0;
  logic m_axis_tready = 1'b0;
  logic s_axis_tready, m_axis_tvalid;
  logic waits = 1'b0;
  string folder;
  int stalls = 0;
  int given = 0;
  int made = 0;
  int differing = 0;
  int idle = 0;

  @TOP@ dut (
    .aclk(aclk), .aresetn(aresetn),
    .s_axis_tdata(s_axis_tdata), .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
    .m_axis_tdata(m_axis_tdata), .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready)
  );

  initial begin
    if (!$value$plusargs("vectors=%s", folder)) folder = ".";
    if (!$value$plusargs("stalls=%d", stalls)) stalls = 0;
    $readmemh({folder, "/inputs.hex"}, inputs);
    $readmemh({folder, "/outputs.hex"}, outputs);
    if ((^inputs[GIVEN-1]) === 1'bx || (^outputs[MADE-1]) === 1'bx)
      $fatal(1, "FAIL: no vectors in %s", folder);
    s_axis_tdata = inputs[0];
    for (int t = 0; t < 4; t++) begin
      #1 aclk = 1'b1;
      #1 aclk = 1'b0;
    end
    aresetn = 1'b1;
    while (made < MADE && idle < 100000) begin
      if (!s_axis_tvalid && given < GIVEN) s_axis_tvalid = stalls == 0 || $urandom_range(3) != 0;
      m_axis_tready = stalls == 0 || $urandom_range(3) != 0;
      s_axis_tdata = inputs[given < GIVEN ? given : GIVEN - 1];
      #1;
      if (waits && (!m_axis_tvalid || m_axis_tdata !== kept)) $fatal(1, "FAIL: a word was taken back");
      idle++;
      if (m_axis_tvalid && m_axis_tready) begin
        if (m_axis_tdata !== outputs[made]) begin
          differing++;
          if (differing <= 10) $display("word %0d: %h, not %h", made, m_axis_tdata, outputs[made]);
        end
        made++;
        idle = 0;
      end
      kept = m_axis_tdata;
      waits = m_axis_tvalid && !m_axis_tready;
      if (s_axis_tvalid && s_axis_tready) begin
        given++;
        idle = 0;
        aclk = 1'b1;
        #1;
        s_axis_tvalid = 1'b0;
      end else begin
        aclk = 1'b1;
        #1;
      end
      aclk = 1'b0;
    end
    if (made != MADE) $fatal(1, "FAIL: %0d words came, not %0d", made, MADE);
    if (differing != 0) $fatal(1, "FAIL %0d of %0d", differing, made);
    $display("PASS %0d", made);
    $finish;
  end
endmodule
)";

constexpr std::string_view kStreamMain =
    R"(// Gives the words of inputs.bin, with random pauses on both sides if asked for, and compares every
// word that comes with outputs.bin. Prints words, how many differ, latency, and cycles between the
// ends of the first and the last sample.
@INCLUDE@ <cstdint>
@INCLUDE@ <cstdio>
@INCLUDE@ <cstdlib>
@INCLUDE@ <cstring>
@INCLUDE@ <memory>
@INCLUDE@ <vector>

@INCLUDE@ "V@TOP@.h"

namespace {

constexpr std::size_t kIn = @IN@;    // words of 32 bits of a port
constexpr std::size_t kOut = @OUT@;
constexpr std::size_t kTokens = @TOKENS@;  // words of a sample that come out
constexpr std::uint64_t kMostIdle = 1000000;

using Words = std::vector<std::uint32_t>;

Words read(const char* path) {
  std::FILE* file = std::fopen(path, "rb");
  if (file == nullptr) {
    std::fprintf(stderr, "cannot read %s\n", path);
    std::exit(1);
  }
  Words words;
  std::uint32_t buffer[4096];
  for (std::size_t n; (n = std::fread(buffer, 4, 4096, file)) > 0;) words.insert(words.end(), buffer, buffer + n);
  std::fclose(file);
  return words;
}

// Ports of up to 64 bits are numbers, wider ones arrays.
template <class Port>
void give(Port& port, const std::uint32_t* word) {
  if constexpr (kIn > 2) {
    for (std::size_t i = 0; i < kIn; ++i) port[i] = word[i];
  } else {
    port = static_cast<Port>(word[0] | (kIn == 2 ? std::uint64_t{word[kIn - 1]} << 32 : 0));
  }
}

template <class Port>
void take(const Port& port, std::uint32_t* word) {
  if constexpr (kOut > 2) {
    for (std::size_t i = 0; i < kOut; ++i) word[i] = port[i];
  } else {
    word[0] = static_cast<std::uint32_t>(port);
    if (kOut == 2) word[kOut - 1] = static_cast<std::uint32_t>(std::uint64_t{port} >> 32);
  }
}

std::uint64_t state = 88172645463325252;

bool chance() {  // three of four
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (state >> 20 & 3) != 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const Words in = read(argv[1]);
  const Words out = read(argv[2]);
  const bool stalls = argv[3][0] == '1';
  const std::size_t given_all = in.size() / kIn;
  const std::size_t made_all = out.size() / kOut;
  if (given_all == 0 || made_all == 0 || made_all % kTokens != 0 || in.size() % kIn != 0 || out.size() % kOut != 0) {
    std::fprintf(stderr, "the vectors have the wrong size\n");
    return 1;
  }
  auto top = std::make_unique<V@TOP@>();
  const auto clock = [&] {
    top->aclk = 1;
    top->eval();
    top->aclk = 0;
  };
  top->aresetn = 0;
  top->s_axis_tvalid = 0;
  top->m_axis_tready = 0;
  for (int t = 0; t < 4; ++t) {
    top->eval();
    clock();
  }
  top->aresetn = 1;
  std::size_t given = 0;
  std::size_t made = 0;
  std::uint64_t differing = 0;
  std::uint64_t idle = 0;
  std::uint64_t first_in = 0;
  std::uint64_t first_end = 0;
  std::uint64_t last_end = 0;
  bool waits = false;
  std::uint32_t word[kOut];
  std::uint32_t kept[kOut];
  for (std::uint64_t t = 0; made < made_all && idle < kMostIdle; ++t, ++idle) {
    if (!top->s_axis_tvalid && given < given_all) top->s_axis_tvalid = !stalls || chance();
    top->m_axis_tready = !stalls || chance();
    if (given < given_all) give(top->s_axis_tdata, &in[given * kIn]);
    top->eval();
    if (top->m_axis_tvalid || waits) {
      take(top->m_axis_tdata, word);
      if (waits && (!top->m_axis_tvalid || std::memcmp(word, kept, sizeof(word)) != 0)) {
        std::fprintf(stderr, "word %zu was taken back\n", made);
        return 1;
      }
      std::memcpy(kept, word, sizeof(word));
    }
    waits = top->m_axis_tvalid && !top->m_axis_tready;
    if (top->m_axis_tvalid && top->m_axis_tready) {
      differing += std::memcmp(word, &out[made * kOut], sizeof(word)) != 0;
      ++made;
      idle = 0;
      if (made % kTokens == 0) last_end = t;
      if (made == kTokens) first_end = t;
    }
    const bool taken = top->s_axis_tvalid && top->s_axis_tready;
    if (taken && given == 0) first_in = t;
    clock();
    if (taken) {
      ++given;
      idle = 0;
      top->s_axis_tvalid = 0;
    }
  }
  if (made != made_all) {
    std::fprintf(stderr, "%zu words came, not %zu\n", made, made_all);
    return 1;
  }
  std::printf("%zu %llu %llu %llu\n", made, static_cast<unsigned long long>(differing),
              static_cast<unsigned long long>(first_end - first_in), static_cast<unsigned long long>(last_end - first_end));
  return 0;
}
)";

/// The words of all samples, each as bits, the lowest first.
template <class Visit>
void for_each_word(const Word& word, const std::vector<std::vector<std::size_t>>& tokens,
                   const std::vector<Codes>& samples, Visit&& visit) {
  for (const Codes& sample : samples)
    for (const std::vector<std::size_t>& elements : tokens) {
      std::string bits;
      for (std::size_t i = 0; i < word.size(); ++i) append_bits(sample[elements[i]], word[i], bits);
      bits.resize(static_cast<std::size_t>(port_width(word)), '0');
      visit(bits);
    }
}

std::string hexadecimal_words(const Word& word, const std::vector<std::vector<std::size_t>>& tokens,
                              const std::vector<Codes>& samples) {
  std::string text;
  for_each_word(word, tokens, samples,
                [&](const std::string& bits) { text += hexadecimal(bits) + "\n"; });
  return text;
}

}  // namespace

Testbench to_testbench(const Dataflow& dataflow, const Vectors& vectors) {
  const Word& in = dataflow.links[dataflow.input];
  const Word& out = dataflow.links[dataflow.output];
  return {
      .name = cat(dataflow.name, "_tb"),
      .text = filled(kStreamTestbench,
                     {{"@TOP@", dataflow.name},
                      {"@GIVEN@", std::to_string(vectors.inputs.size() * dataflow.given.size())},
                      {"@MADE@", std::to_string(vectors.outputs.size() * dataflow.made.size())},
                      {"@IN@", std::to_string(port_width(in) - 1)},
                      {"@OUT@", std::to_string(port_width(out) - 1)}}),
      .inputs = hexadecimal_words(in, dataflow.given, vectors.inputs),
      .outputs = hexadecimal_words(out, dataflow.made, vectors.outputs)};
}

std::string to_verilator_main(const Dataflow& dataflow) {
  const auto words = [&](std::size_t link) {
    return std::to_string((port_width(dataflow.links[link]) + 31) / 32);
  };
  return filled(kStreamMain, {{"@INCLUDE@", "#include"},
                              {"@TOP@", dataflow.name},
                              {"@IN@", words(dataflow.input)},
                              {"@OUT@", words(dataflow.output)},
                              {"@TOKENS@", std::to_string(dataflow.made.size())}});
}

std::string binary_words(const Word& word, const std::vector<std::vector<std::size_t>>& tokens,
                         const std::vector<Codes>& samples) {
  std::string bytes;
  for_each_word(word, tokens, samples, [&](const std::string& bits) {
    for (std::size_t first = 0; first < bits.size(); first += 32) {
      std::uint32_t value = 0;
      for (std::size_t b = 0; b < 32 && first + b < bits.size(); ++b)
        value |= (bits[first + b] == '1' ? 1U : 0U) << b;
      bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
    }
  });
  return bytes;
}

}  // namespace chop::hardware
