// A Python script in a process of its own, which measures once for every line it is sent.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace chop {

class Peer {
 public:
  /// Starts bench/<script> with these arguments.
  Peer(const std::string& script, const std::vector<std::string>& arguments) {
    std::array<int, 2> ask{};
    std::array<int, 2> answer{};
    if (pipe(ask.data()) != 0 || pipe(answer.data()) != 0) return;
    child_ = fork();
    if (child_ == 0) {
      dup2(ask[0], STDIN_FILENO);
      dup2(answer[1], STDOUT_FILENO);
      close(ask[1]);
      close(answer[0]);
      std::vector<std::string> words = {"python3", "-B",
                                        std::string(CH_SOURCE_DIR) + "/bench/" + script};
      words.insert(words.end(), arguments.begin(), arguments.end());
      std::vector<char*> argv;
      for (std::string& word : words) argv.push_back(word.data());
      argv.push_back(nullptr);
      execv("/usr/bin/python3", argv.data());
      _exit(127);
    }
    close(ask[0]);
    close(answer[1]);
    ask_ = ask[1];
    answers_ = fdopen(answer[0], "r");
  }
  ~Peer() {
    if (ask_ >= 0) close(ask_);
    if (answers_ != nullptr) std::fclose(answers_);
    if (child_ > 0) waitpid(child_, nullptr, 0);
  }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  /// The numbers of the line the script answers with; none when it is gone.
  std::vector<double> ask(const std::string& question = "") {
    const std::string line = question + "\n";
    std::array<char, 256> reply{};
    if (ask_ < 0 || write(ask_, line.c_str(), line.size()) < 0 ||
        std::fgets(reply.data(), reply.size(), answers_) == nullptr)
      return {};
    std::vector<double> numbers;
    char* at = reply.data();
    for (char* end = nullptr;; at = end) {
      const double number = std::strtod(at, &end);
      if (end == at) return numbers;
      numbers.push_back(number);
    }
  }
  /// The first of them, or -1.
  double measure(const std::string& question = "") {
    const std::vector<double> numbers = ask(question);
    return numbers.empty() ? -1 : numbers.front();
  }

 private:
  pid_t child_ = -1;
  int ask_ = -1;
  std::FILE* answers_ = nullptr;
};

}  // namespace chop
