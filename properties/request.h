#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "problem/case.h"

namespace attncheck {

// What a cotangent (of out, or of the log-sum-exp) is.
//   absent   not given: the tensor is no root of the backward pass
//   random   normal values, rounded to the tensor's dtype
//   zero, ones
//   grid_a, grid_b, grid_mixed
//            values on a grid of eighths in [-1, 1], a and b independent, and mixed = 2 a + b:
//            exact in every dtype, so that linearity has no rounding of its own, and 2 + 1 != 1,
//            so that a gradient that ignores its cotangent is not linear
//   one_rank random on the queries of one rank (`rank`), zero elsewhere
struct Cotangent {
  enum class Kind { absent, random, zero, ones, grid_a, grid_b, grid_mixed, one_rank };
  Kind kind = Kind::absent;
  int rank = 0;

  bool operator==(const Cotangent&) const = default;
};

// How v is replaced. Columns that do not fit into v's head_dim are laid into further batches: the
// run has batch * ceil(columns / v_head_dim) of them, with q and k repeated, and column c of key j
// lies in batch (c / v_head_dim) * batch + b, component c % v_head_dim.
//   identity         column j is 1 at key j: out is the attention matrix itself
//   shard_indicator  column r is 1 at the keys of rank r: out is the attention mass by key shard
// On a grid of eighths, as the cotangents of those names, and without further batches:
//   grid_a, grid_b, grid_mixed
enum class ValueEdit { none, identity, shard_indicator, grid_a, grid_b, grid_mixed };

// How the scores are replaced. constant: q = 1 and k = 1, every score is scale * head_dim.
enum class ScoreEdit { none, constant };

// How the keys are edited; their values move along with them.
//   permuted    another order over the whole sequence, across shards
//   grid        k is normal, rounded to sixteenths in [-4, 4], whatever the case's data
//   shifted     grid, plus one vector of sixteenths in [-2, 2] for each KV head: exact in every
//               dtype
//   duplicated  the second half of the keys repeats the first (kv_len is even)
enum class KeyEdit { none, permuted, grid, shifted, duplicated };

// Another case, the companion, that runs in the same process groups as the request's own.
//   interleaved  forward, forward of the companion, backward, backward of the companion; what the
//                companion gives is named "other_out", ...
//   before       the companion runs from its first to its last step before; it leaves nothing
enum class Company { none, interleaved, before };

// What fresh CPU memory holds in every run that says nothing else: NaN in every floating dtype.
inline constexpr uint8_t kUsualFill = 0xFF;

// A run of a case with named edits. Its text is the key under which its observation is remembered.
struct Request {
  Case case_;
  Cotangent dout{Cotangent::Kind::random, 0};
  Cotangent dlse;  // random where the case says dlse=1
  ValueEdit value = ValueEdit::none;
  ScoreEdit score = ScoreEdit::none;
  KeyEdit key = KeyEdit::none;
  bool other_cells = false;       // about half of the cells hold other data: see changed_cell
  bool backward = true;           // false: forward alone
  std::optional<uint8_t> poison;  // fresh CPU memory holds this byte, not kUsualFill
  int repeat = 0;                 // tells runs of the same request apart
  // For a backend alone: its keys in so many blocks, whose lengths are drawn (key_blocks.h).
  // Forward of each is merged, backward of each is given the global out and log-sum-exp. 0: all at
  // once.
  int key_blocks = 0;
  bool contiguous = false;   // q, k, v and the cotangents as contiguous copies, whatever the view
  bool keep_inputs = false;  // the ranks return copies of their inputs, as they were and are then
  bool fresh_ranks = false;  // ranks that ran nothing before, or the fact "kept_ranks"
  Company company = Company::none;
  std::optional<Case> companion;  // on the same mesh; there is one unless company is none
  bool watch = false;     // looks for reads and writes of tensors in flight, and measures memory
  bool embedded = false;  // the mesh is part of a larger world: see harness/placement.h
  bool forced = false;    // call the subject although it says that it does not support the case

  bool operator==(const Request&) const = default;
};

// The plain run of a case.
Request base_request(const Case& c);

// "impl=ring ... | dout=one_rank:2 v=identity": the case's text, and the edits that are not
// defaults; then, after another bar, the companion's.
std::string to_text(const Request& request);

// parse_request(to_text(r)) == r. Throws std::invalid_argument (CaseTextError for the case's part).
Request parse_request(const std::string& text);

// The companion's own run.
Request companion_request(const Request& request);

// The case whose tensors the request really uses: `case_` with the batch that the value edit needs.
Case effective_case(const Request& request);

}  // namespace attncheck
