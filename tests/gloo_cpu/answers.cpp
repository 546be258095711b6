#include "tests/gloo_cpu/answers.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <c10/util/Exception.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <unistd.h>

#include "gloo_cpu/shared_word.h"
#include "tests/gloo_cpu/left_behind.h"

namespace attncheck::gloo_cpu {
namespace {

using Group = c10::intrusive_ptr<c10d::ProcessGroup>;

std::vector<int> numbers_in(const std::string& text) {
  std::istringstream words(text);
  std::vector<int> numbers;
  for (int number = 0; words >> number;) numbers.push_back(number);
  return numbers;
}

std::vector<int> everybody(const GroupFactory& groups) {
  std::vector<int> members(static_cast<std::size_t>(groups.size()));
  std::iota(members.begin(), members.end(), 0);
  return members;
}

std::string text_of(const at::Tensor& tensor) {  // integers of one axis
  std::string text;
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    text += std::to_string(tensor.data_ptr<std::int64_t>()[i]) + " ";
  }
  return text;
}

at::Tensor all_reduced(const Group& group, at::Tensor value) {
  std::vector<at::Tensor> values{value};
  group->allreduce(values)->wait();
  return value;
}

// Four collectives with distinct tags: element = 100 * world rank + position.
std::string four_collectives(const Group& group, int tag) {
  const std::int64_t size = group->getSize();
  at::Tensor mine = at::arange(size, at::kLong) + 100 * tag;
  const at::Tensor sum = all_reduced(group, mine.clone());

  std::vector<std::vector<at::Tensor>> gathered(1);
  for (std::int64_t i = 0; i < size; ++i) gathered[0].push_back(at::empty({size}, at::kLong));
  std::vector<at::Tensor> inputs{mine};
  group->allgather(gathered, inputs)->wait();

  at::Tensor exchanged = at::empty({size}, at::kLong);
  std::vector<std::int64_t> even;
  group->alltoall_base(exchanged, mine, even, even)->wait();

  at::Tensor scattered = at::empty({1}, at::kLong);
  group->_reduce_scatter_base(scattered, mine)->wait();
  return text_of(sum) + "| " + text_of(at::cat(gathered[0])) + "| " + text_of(exchanged) + "| " +
         text_of(scattered);
}

std::string collectives(const std::string& members, GroupFactory& groups) {
  const auto ranks = members.empty() ? everybody(groups) : numbers_in(members);
  for (int rank : ranks) {
    if (rank == groups.rank()) return four_collectives(groups.group(ranks), rank);
  }
  return "not a member";
}

// Rank 0 sends more than rank 1 has room for.
std::string mismatch(const std::string&, GroupFactory& groups) {
  const Group world = groups.group(everybody(groups));
  std::vector<at::Tensor> message{at::full({groups.rank() == 0 ? 1000 : 10}, 1.0)};
  if (groups.rank() == 0) world->send(message, 1, 0)->wait();
  if (groups.rank() == 1) world->recv(message, 0, 0)->wait();
  return "exchanged";
}

// Everybody but the named rank takes part in an all-reduce, and reports an error of it as text.
std::string absent(const std::string& who, GroupFactory& groups, const std::function<void()>& act) {
  const Group world = groups.group(everybody(groups));
  all_reduced(world, at::full({1}, 1.0));
  if (groups.rank() == std::stoi(who)) act();
  try {
    all_reduced(world, at::full({1}, 1.0));
    return "exchanged";
  } catch (const std::exception& error) {
    groups.distrust();
    return std::string("error: ") + error.what();
  }
}

// The named rank does not join an all-reduce, says so, and no longer trusts its groups.
std::string leave(const std::string& who, GroupFactory& groups) {
  const Group world = groups.group(everybody(groups));
  if (groups.rank() != std::stoi(who))
    return text_of(all_reduced(world, at::full({1}, 1, at::kLong)));
  groups.distrust();
  return "left";
}

void sleep_for_ever() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

std::string sleep(const std::string& who, GroupFactory& groups) {
  if (who.empty() || groups.rank() == std::stoi(who)) sleep_for_ever();
  return "awake";
}

std::string shout(const std::string& text, GroupFactory& groups) {
  std::printf("on stdout %s\n", text.c_str());
  std::fflush(stdout);
  std::fprintf(stderr, "on stderr %s of rank %d\n", text.c_str(), groups.rank());
  if (groups.rank() == 1) ::_exit(3);
  return "shouted";
}

// Memory, written to, in steps of 16 MiB; never given back.
void take_memory(int64_t mebibytes) {
  constexpr int64_t kStep = 16;
  static std::vector<std::unique_ptr<std::string>> taken;
  for (int64_t step = 0; step < mebibytes / kStep; ++step) {
    taken.push_back(std::make_unique<std::string>(static_cast<std::size_t>(kStep << 20), 'x'));
  }
}

std::string hoard(const std::string& who, GroupFactory& groups) {
  if (groups.rank() == std::stoi(who)) take_memory(int64_t{1} << 40);
  return "content";
}

std::string keep(const std::string& mebibytes, GroupFactory&) {
  take_memory(std::stoi(mebibytes));
  return "kept";
}

std::string babble(const std::string&, GroupFactory&) {
  const std::string text(std::size_t{1} << 20, 'x');
  while (std::fwrite(text.data(), 1, text.size(), stdout) > 0) continue;
  return "heard";
}

std::string write_word(const std::string& descriptor, GroupFactory&) {
  SharedWord(std::stoi(descriptor)).value() = 42;
  std::abort();
}

std::string fork_and_die(const std::string& who, GroupFactory& groups) {
  leave_a_process(false);
  if (groups.rank() == std::stoi(who)) std::abort();
  return "alive";
}

using Verb = std::function<std::string(const std::string& rest, GroupFactory& groups)>;

const std::map<std::string, Verb>& verbs() {
  static const std::map<std::string, Verb> all{
      {"echo", [](const auto& rest, auto& groups) { return std::to_string(groups.rank()) + rest; }},
      {"pid", [](const auto&, auto&) { return std::to_string(::getpid()); }},
      {"collectives", collectives},
      {"mismatch", mismatch},
      {"sleep", sleep},
      {"leave", leave},
      {"shout", shout},
      {"hoard", hoard},
      {"keep", keep},
      {"babble", babble},
      {"write", write_word},
      {"fork_and_die", fork_and_die},
      {"fork",
       [](const auto& where, auto&) {
         leave_a_process(where == "away");
         return std::string("forked");
       }},
      {"abort", [](const auto& who, auto& g) { return absent(who, g, [] { std::abort(); }); }},
      {"exit", [](const auto& who, auto& g) { return absent(who, g, [] { ::_exit(7); }); }},
      {"absent", [](const auto& who, auto& g) { return absent(who, g, sleep_for_ever); }},
      {"throw",
       [](const auto&, auto&) -> std::string { throw std::runtime_error("out of the answer"); }},
      {"distrust",
       [](const auto&, auto& groups) {
         if (groups.rank() == 1) groups.distrust();
         return std::string("distrusted");
       }},
      {"group",
       [](const auto& members, auto& groups) {
         try {
           groups.group(numbers_in(members));
           return std::string("made");
         } catch (const c10::Error& error) {
           return std::string(error.what_without_backtrace());
         }
       }},
  };
  return all;
}

}  // namespace

std::string answer(const std::string& request, GroupFactory& groups) {
  const std::size_t space = request.find(' ');
  const std::string rest = space == std::string::npos ? "" : request.substr(space + 1);
  return verbs().at(request.substr(0, space))(rest, groups);
}

}  // namespace attncheck::gloo_cpu
