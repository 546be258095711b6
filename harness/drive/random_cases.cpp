#include "harness/drive/random_cases.h"

#include <rapidcheck.h>

namespace attncheck {
namespace {

uint64_t fnv1a(const std::string& text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (unsigned char letter : text) hash = (hash ^ letter) * 0x100000001b3;
  return hash;
}

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
