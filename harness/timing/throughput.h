#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "problem/problem.h"

namespace attncheck::timing {

// An exchange in which every rank of a group takes part, as nccl-tests names it.
enum class ExchangeKind { all_gather, all_to_all, send_recv };

// "all_gather", "all_to_all", "send_recv".
const char* to_text(ExchangeKind kind);
// Throws std::invalid_argument for another word.
ExchangeKind parse_exchange(const std::string& text);
const std::vector<ExchangeKind>& all_exchanges();

// In bytes a second.
struct Bandwidth {
  double algorithm = 0, bus = 0;
};

// As nccl-tests defines both (doc/PERFORMANCE.md there, and the kinds' `GetBw` in its sources):
//   algorithm = S / t,  bus = algorithm * factor
//   all_gather   S = what a rank has in the end, its own share included   factor (n - 1) / n
//   all_to_all   S = what a rank has at the start, its own share included factor (n - 1) / n
//   send_recv    S = what a rank sends to the next one                    factor 1
// so that bus is what goes through a rank's link in one direction, whatever n is. `bytes` is what a
// rank gives; an exchange of one rank is none: 0.
Bandwidth bandwidth(ExchangeKind kind, int64_t bytes, int ranks, double seconds);

// The products of attention: 2 (D + E) FLOP for each visible (query, key) pair and head forward,
// 2 (3 D + 2 E) backward, which computes the scores again (FlashAttention-2, arXiv:2307.08691,
// section 4.1, counts the same for D = E). D and E are the head_dims of k and v. A problem without
// mask, window and documents.
struct Products {
  double forward = 0, backward = 0;  // FLOP
};
Products products_of(const Problem& problem);

// The throughput of one of `ranks` ranks that take so long together, of that of one rank that does
// all alone, in percent.
double percent_of_alone(double alone_seconds, double together_seconds, int ranks);

}  // namespace attncheck::timing
