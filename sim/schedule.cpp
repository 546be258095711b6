#include "sim/schedule.h"

#include <bit>

namespace attncheck::sim {

namespace {
constexpr int kWordBits = 64;
}

ReadySet::ReadySet(int size) : words_((size + kWordBits - 1) / kWordBits, 0) {}

void ReadySet::insert(int rank) {
  words_[rank / kWordBits] |= uint64_t{1} << (rank % kWordBits);
}

void ReadySet::erase(int rank) {
  words_[rank / kWordBits] &= ~(uint64_t{1} << (rank % kWordBits));
}

bool ReadySet::contains(int rank) const {
  return words_[rank / kWordBits] >> (rank % kWordBits) & 1;
}

int ReadySet::count() const {
  int total = 0;
  for (uint64_t word : words_) total += std::popcount(word);
  return total;
}

int ReadySet::next_after(int rank) const {
  const int words = static_cast<int>(words_.size());
  const int start = rank + 1;
  for (int step = 0; step <= words; ++step) {
    const int index = (start / kWordBits + step) % words;
    uint64_t word = words_[index];
    // The first word is looked at twice: from `start` on, and, at the end, from its beginning.
    if (step == 0 && start / kWordBits < words) word &= ~uint64_t{0} << (start % kWordBits);
    if (word != 0) return index * kWordBits + std::countr_zero(word);
  }
  return -1;
}

int ReadySet::nth(int index) const {
  int rank = -1;
  for (int i = 0; i <= index; ++i) rank = next_after(rank);
  return rank;
}

}  // namespace attncheck::sim
