// Downloads of files whose sum is known, from a server in this process.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "data/fetch/sources.hpp"
#include "support/sha256.hpp"
#include "support/system/files.hpp"
#include "unit/io/temp_folder.hpp"

namespace chop {
namespace {

using testing::TempFolder;

/// Answers every connection with the same bytes until it is destroyed.
class FixedServer {
 public:
  explicit FixedServer(std::string answer) : answer_(std::move(answer)) {
    socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* plain = reinterpret_cast<sockaddr*>(&address);
    if (::bind(socket_, plain, size) != 0 || ::listen(socket_, 8) != 0 ||
        ::getsockname(socket_, plain, &size) != 0)
      std::abort();
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  FixedServer(const FixedServer&) = delete;
  FixedServer& operator=(const FixedServer&) = delete;
  ~FixedServer() {
    ::shutdown(socket_, SHUT_RDWR);
    thread_.join();
    ::close(socket_);
  }

  std::string url() const { return cat("http://127.0.0.1:", port_, "/file"); }

 private:
  void serve() {
    while (true) {
      const int client = ::accept(socket_, nullptr, nullptr);
      if (client < 0) return;
      std::string request;
      std::array<char, 4096> bytes{};
      while (request.find("\r\n\r\n") == std::string::npos) {
        const ssize_t got = ::recv(client, bytes.data(), bytes.size(), 0);
        if (got <= 0) break;
        request.append(bytes.data(), static_cast<std::size_t>(got));
      }
      (void)::send(client, answer_.data(), answer_.size(), MSG_NOSIGNAL);
      ::close(client);
    }
  }

  std::string answer_;
  int socket_ = -1;
  int port_ = 0;
  std::thread thread_;
};

class Fetch : public ::testing::Test {
 protected:
  Fetch() {
    if (const char* old = ::getenv("CH_CACHE_DIR"); old != nullptr) before_ = old;
    ::setenv("CH_CACHE_DIR", folder_.path().c_str(), 1);
    ::setenv("no_proxy", "127.0.0.1", 1);
  }
  ~Fetch() override {
    if (before_) {
      ::setenv("CH_CACHE_DIR", before_->c_str(), 1);
    } else {
      ::unsetenv("CH_CACHE_DIR");
    }
  }

  DatasetDef definition(const std::string& sha256) const {
    return {.name = "some",
            .doc = "",
            .sample_shape = {1},
            .sources = {{.file = "some.bin", .url = server_.url(), .sha256 = sha256, .bytes = 5}}};
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    std::error_code missing;
    for (const auto& entry : std::filesystem::directory_iterator(dataset_folder("some"), missing))
      names.push_back(entry.path().filename().string());
    return names;
  }

  TempFolder folder_;
  std::optional<std::string> before_;
  FixedServer server_{"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"};
};

TEST_F(Fetch, AFileWithThePublishedSumIsTaken) {
  const std::string sum = sha256(std::as_bytes(std::span(std::string_view("hello"))));
  const DatasetDef def = definition(sum);
  std::uint64_t last = 0;
  const Result<std::vector<FetchedFile>> fetched = fetch_sources(
      def,
      {.progress = [&](const std::string&, std::uint64_t done, std::uint64_t) { last = done; }});
  ASSERT_TRUE(fetched) << to_string(fetched.error());
  EXPECT_EQ(fetched.value()[0].sha256, sum);
  EXPECT_EQ(read_file(fetched.value()[0].path).value(), "hello");
  EXPECT_EQ(files(), std::vector<std::string>{"some.bin"}) << "a published sum need not be kept";
  EXPECT_EQ(last, 5U);
  EXPECT_TRUE(look_for_sources(def)[0].found);
  EXPECT_TRUE(fetch_sources(def, {}).value()[0].was_there);
}

TEST_F(Fetch, AFileWithAnotherSumIsNot) {
  const Result<std::vector<FetchedFile>> fetched =
      fetch_sources(definition(std::string(64, '0')), {});
  ASSERT_FALSE(fetched);
  EXPECT_NE(fetched.error().what.find("is that published"), std::string::npos)
      << fetched.error().what;
  EXPECT_TRUE(files().empty());
}

TEST_F(Fetch, ADownloadCanBeCancelled) {
  const Result<std::vector<FetchedFile>> fetched =
      fetch_sources(definition(""), {.patience = {.cancelled = [] { return true; }}});
  ASSERT_TRUE(fetched) << to_string(fetched.error());
  EXPECT_TRUE(fetched.value()[0].cancelled);
  EXPECT_FALSE(std::filesystem::exists(dataset_folder("some") / "some.bin"));
}

}  // namespace
}  // namespace chop
