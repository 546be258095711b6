#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "properties/lab.h"
#include "properties/observation.h"

namespace attncheck {

// What runs gave and what the reference says of them, by the text of the request. What was asked
// for longest ago goes first.
class RunMemory {
 public:
  // nullptr for what is not remembered.
  const Observation* observation(const std::string& request);
  const Expected* expected(const std::string& request);
  // The references stay valid until shrink_to or clear.
  const Observation& keep(const std::string& request, Observation observation);
  const Expected& keep(const std::string& request, Expected expected);

  int64_t bytes() const { return bytes_; }  // of the tensors
  // Drops what was asked for longest ago until at most `bytes` are left, or one entry.
  void shrink_to(int64_t bytes);
  void clear();

 private:
  struct Entry {
    std::unique_ptr<const Observation> observation;  // one of the two
    std::unique_ptr<const Expected> expected;
    int64_t bytes = 0;
    uint64_t asked = 0;  // when, in questions
  };

  Entry* find(const std::string& key);
  Entry& add(const std::string& key, int64_t bytes);

  std::map<std::string, Entry> entries_;
  int64_t bytes_ = 0;
  uint64_t questions_ = 0;
};

}  // namespace attncheck
