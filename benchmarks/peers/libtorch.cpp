// bench_libtorch train_step layers=bn,relu,5,relu batch=256: PyTorch without Python. Says "ready"
// with its facts, then measures once for every line it reads.
#include <dlfcn.h>
#include <torch/torch.h>

#include <chrono>
#include <cstdio>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace nn = torch::nn;

/// "bn" and "relu" by name, a linear layer by its width.
nn::Sequential network(const std::string& layers, std::int64_t width) {
  nn::Sequential net;
  std::istringstream words(layers);
  for (std::string word; std::getline(words, word, ',');) {
    if (word == "bn") {
      net->push_back(nn::BatchNorm1d(width));
    } else if (word == "relu") {
      net->push_back(nn::ReLU());
    } else {
      net->push_back(nn::Linear(width, std::stoll(word)));
      width = std::stoll(word);
    }
  }
  return net;
}

class Step {
 public:
  Step(const std::string& layers, std::int64_t batch)
      : net_(network(layers, 16)),
        parameters_(net_->parameters()),
        adam_(parameters_, torch::optim::AdamOptions(1e-3)),
        x_(torch::randn({batch, 16})),
        y_(torch::randint(0, 5, {batch}, torch::kLong)) {}

  /// Per step, over about a fifth of a second, and warm: others have worked meanwhile.
  double seconds() {
    seconds_over(0.05);
    return seconds_over(0.2);
  }
  double seconds_over(double least) {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    std::chrono::duration<double> passed{};
    int steps = 0;
    for (; passed.count() < least; passed = Clock::now() - start)
      for (int i = 0; i < 20; ++i, ++steps) once();
    return passed.count() / steps;
  }
  std::int64_t parameters() const {
    std::int64_t count = 0;
    for (const torch::Tensor& parameter : net_->parameters()) count += parameter.numel();
    return count;
  }

 private:
  void once() {
    // As Python's zero_grad(set_to_none=True), which this version does not have in C++.
    for (torch::Tensor& parameter : parameters_) parameter.mutable_grad().reset();
    nn::functional::cross_entropy(net_->forward(x_), y_).backward();
    adam_.step();
  }
  nn::Sequential net_;
  std::vector<torch::Tensor> parameters_;
  torch::optim::Adam adam_;
  torch::Tensor x_, y_;
};

/// OpenBLAS, if that is what products go to: its own count of threads and its name.
struct Blas {
  void (*set_threads)(int) = nullptr;
  std::string name = "reference BLAS";

  Blas() {
    const auto config = symbol<char* (*)()>("openblas_get_config");
    const auto core = symbol<char* (*)()>("openblas_get_corename");
    set_threads = symbol<void (*)(int)>("openblas_set_num_threads");
    if (config == nullptr || core == nullptr || set_threads == nullptr) return;
    std::istringstream words(config());
    std::string library, version;
    words >> library >> version;
    name = library + " " + version + " (" + core() + ")";
  }
  template <class Function>
  static Function symbol(const char* name) {
    return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
  }
};

/// What follows `before` in what libtorch says of itself, up to the end of the word.
std::string said(const std::string& before) {
  const std::string text = at::show_config();
  const std::size_t found = text.find(before);
  std::string word;
  if (found != std::string::npos) std::istringstream(text.substr(found + before.size())) >> word;
  return word;
}

struct Threads {
  int torch = 1;
  int blas = 1;
};

void use(const Blas& blas, Threads threads) {
  torch::set_num_threads(threads.torch);
  if (blas.set_threads != nullptr) blas.set_threads(threads.blas);
}

/// The fastest pair of one or two threads each.
Threads choose_threads(Step& step, const Blas& blas) {
  Threads best;
  double least = 0;
  for (const Threads threads : {Threads{1, 1}, {1, 2}, {2, 1}, {2, 2}}) {
    use(blas, threads);
    step.seconds();
    const double seconds = step.seconds();
    if (least == 0 || seconds < least) best = threads, least = seconds;
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, std::string> args = {{"layers", "bn,relu,5,relu"}, {"batch", "256"}};
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i];
    const std::size_t equals = word.find('=');
    if (equals != std::string::npos) args[word.substr(0, equals)] = word.substr(equals + 1);
  }
  if (argc < 2 || std::string(argv[1]) != "train_step") {
    std::fputs("usage: bench_libtorch train_step layers=bn,relu,5,relu batch=256\n", stderr);
    return 2;
  }
  torch::manual_seed(0);
  at::globalContext().setFlushDenormal(true);  // as we do
  Step step(args["layers"], std::stoll(args["batch"]));
  const Blas blas;
  const Threads threads = choose_threads(step, blas);
  use(blas, threads);
  std::cout << "ready {\"parameters\": " << step.parameters() << ", \"threads\": " << threads.torch
            << ", \"blas_threads\": " << threads.blas << ", \"version\": \"libtorch "
            << TORCH_VERSION << "\", \"blas\": \"" << blas.name << "\", \"level\": \""
            << said("CPU capability usage: ") << "\", \"onednn\": \"" << said("MKL-DNN v") << "\"}"
            << std::endl;
  for (std::string line; std::getline(std::cin, line);)
    std::cout << "{\"seconds\": " << step.seconds() << "}" << std::endl;
  return 0;
}
