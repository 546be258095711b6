#pragma once

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include "gloo_cpu/rank_set.h"

namespace attncheck::gloo_cpu {

// Set to "parent" in a process that main.cpp shall make the owner of a set of sleeping ranks.
inline constexpr const char* kRole = "ATTNCHECK_GLOO_TEST_ROLE";

// This program, which is its own rank program (main.cpp).
inline std::string self() {
  return std::filesystem::read_symlink("/proc/self/exe").string();
}

inline RankSetOptions options_for(int world, std::chrono::milliseconds timeout) {
  RankSetOptions options;
  options.command.argv = {self()};
  options.world = world;
  options.timeout = timeout;
  return options;
}

inline RankSetOptions options_for(int world) {
  return options_for(world, std::chrono::seconds(30));
}

// Neither gone nor a zombie that nobody has reaped yet.
inline bool runs(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string stat((std::istreambuf_iterator<char>(file)), {});
  const std::size_t name_end = stat.rfind(") ");
  return name_end != std::string::npos && stat[name_end + 2] != 'Z';
}

// True if all of them end within the time.
inline bool all_end_within(const std::vector<pid_t>& pids, std::chrono::milliseconds time) {
  const auto give_up = std::chrono::steady_clock::now() + time;
  for (pid_t pid : pids) {
    while (runs(pid)) {
      if (std::chrono::steady_clock::now() > give_up) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  return true;
}

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace attncheck::gloo_cpu
