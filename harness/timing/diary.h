#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "problem/case.h"

namespace attncheck::timing {

// With which a request begins that asks for a diary of a case: "trace CASE".
inline constexpr const char* kTraceWord = "trace";

// What one rank of a mesh posted and waited for, in seconds of a clock that all processes of a
// machine share; and when its pass began, went backward, and ended. It computed the rest.
struct Diary {
  struct Exchange {
    std::string operation;  // "allgather", "alltoall", "send", "recv", "allreduce", ...
    std::string group;      // "ring", "ulysses" or "world"
    int peer = -1;          // of a message: rank of the mesh
    int tag = 0;            // of a message
    int64_t bytes = 0;      // received from all others together; of a message, its size
  };
  struct Deed {
    bool waited = false;  // else posted
    size_t exchange = 0;
    double begin = 0, end = 0;
  };
  std::vector<Exchange> exchanges;
  std::vector<Deed> deeds;
  double begin = 0, backward = 0, end = 0;
  std::string error;  // why there is nothing else
};

std::string trace_request(const Case& c);
// Throws std::invalid_argument (CaseTextError for the case's part).
Case parse_trace_request(const std::string& text);

std::string to_bytes(const Diary& diary);
// Throws std::invalid_argument for bytes that are none.
Diary diary_from_bytes(const std::string& bytes);

// Now, by that clock.
double seconds_now();

// Keeps a diary, for any number of threads.
class DiaryKeeper {
 public:
  // Which exchange it is.
  size_t post(const Diary::Exchange& exchange, double begin);
  void wait(size_t exchange, double begin);
  std::vector<Diary::Exchange> exchanges() const;
  std::vector<Diary::Deed> deeds() const;
  void clear();

 private:
  mutable std::mutex mutex_;
  std::vector<Diary::Exchange> exchanges_;
  std::vector<Diary::Deed> deeds_;
};

}  // namespace attncheck::timing
