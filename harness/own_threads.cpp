#include "harness/own_threads.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <thread>

#include <unistd.h>

namespace attncheck {
namespace {

constexpr std::chrono::milliseconds kMoment{100}, kLook{1};

// proc(5): the 20th word, of which the second, the program's name, may hold blanks.
int count_threads() {
  std::ifstream file("/proc/self/stat");
  const std::string stat((std::istreambuf_iterator<char>(file)), {});
  std::istringstream words(stat.substr(std::min(stat.rfind(')') + 1, stat.size())));
  constexpr int kBehindName = 18;
  std::string word;
  for (int i = 0; i < kBehindName; ++i) words >> word;
  return words.fail() ? 0 : std::stoi(word);
}

}  // namespace

OwnThreads::OwnThreads() : before_(count_threads()) {}

int OwnThreads::left() const {
  const auto give_up = std::chrono::steady_clock::now() + kMoment;
  int more = count_threads() - before_;
  while (more > 0 && std::chrono::steady_clock::now() < give_up) {
    std::this_thread::sleep_for(kLook);
    more = count_threads() - before_;
  }
  return std::max(more, 0);
}

void note_threads_left(int threads, RankResult& result) {
  if (threads == 0) return;
  result.facts["threads_left"] = std::to_string(threads);
  result.facts["process"] = std::to_string(::getpid());
}

}  // namespace attncheck
