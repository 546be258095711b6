#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "gloo_cpu/launched_place.h"
#include "gloo_cpu/rank_set.h"
#include "gloo_cpu/reply_bytes.h"

namespace attncheck::gloo_cpu {

// A request for the ranks of one set of the world.
struct Order {
  int set = 0;
  int world = 1;  // ranks of the set
  std::chrono::milliseconds timeout{0}, peer_grace{0};
  std::string request;
};

// Keeps this process's part of every set of a launched world. The ranks are processes of its own,
// not the launched process itself: a rank that dies then is an answer, and the launcher, which
// would end everything, never sees it. Of a world of as many ranks as were launched each process
// keeps one, of a smaller one the first processes do, of a larger one each keeps several.
class Steward {
 public:
  Steward(LaunchedPlace place, RankSetOptions base);

  // Starts the set if it is new, and runs the request on its ranks here. `others_ended`: whether a
  // rank elsewhere cannot go on.
  PartReplies run(const Order& order, const std::function<bool()>& others_ended);
  void drop(int set) { sets_.erase(set); }

  // How many ranks of a set a process keeps.
  int ranks_at(int launched, int world) const;

 private:
  RankSet& set_of(const Order& order);

  LaunchedPlace place_;
  RankSetOptions base_;
  std::function<bool()> others_ended_;
  std::map<int, std::unique_ptr<RankSet>> sets_;
};

}  // namespace attncheck::gloo_cpu
