#include "harness/drive/random_cases.h"

#include <rapidcheck.h>

#include "problem/fnv1a.h"

namespace attncheck {
namespace {

int64_t below(int64_t n) {
  return n <= 1 ? 0 : *rc::gen::inRange<int64_t>(0, n);
}

}  // namespace

struct RandomCases::State {
  rc::Random random;
};

RandomCases::RandomCases(uint64_t seed, const std::string& name)
    : state_(new State{rc::Random(rc::Random::Key{seed, fnv1a(name), 0, 0})}) {}

RandomCases::~RandomCases() = default;

Case RandomCases::next(const std::function<Case(const Pick&)>& make) {
  const rc::Gen<Case> gen = rc::gen::exec([&make] { return make(below); });
  return gen(state_->random.split(), rc::kNominalSize).value();
}

}  // namespace attncheck
