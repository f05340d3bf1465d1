// bench_libtorch train_step layers=bn,relu,5,relu batch=256: PyTorch without Python. Says "ready"
// with its facts, then measures once for every line it reads.
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

/// One thread or two, whichever is faster here; 0 asks for that.
int choose_threads(Step& step, int asked) {
  if (asked > 0) return asked;
  double one = 0;
  for (const int threads : {1, 2}) {
    torch::set_num_threads(threads);
    step.seconds();
    const double seconds = step.seconds();
    if (threads == 2 && seconds < one) return 2;
    one = seconds;
  }
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, std::string> args = {
      {"layers", "bn,relu,5,relu"}, {"batch", "256"}, {"threads", "0"}};
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
  Step step(args["layers"], std::stoll(args["batch"]));
  const int threads = choose_threads(step, std::stoi(args["threads"]));
  torch::set_num_threads(threads);
  std::cout << "ready {\"parameters\": " << step.parameters() << ", \"threads\": " << threads << "}"
            << std::endl;
  for (std::string line; std::getline(std::cin, line);)
    std::cout << "{\"seconds\": " << step.seconds() << "}" << std::endl;
  return 0;
}
