#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/registry.h"
#include "harness/scale/links.h"
#include "harness/scale/timeline.h"
#include "problem/case.h"

namespace attncheck::scale {

// A causal ring has other work on each rank, so each is recorded: up to this degree.
inline constexpr int kLargestCausalRing = 128;

// What is asked for. Lengths are rounded up to a multiple of the ranks, as padding would.
struct Question {
  std::vector<std::string> shapes;
  std::vector<int> worlds;
  Machine machine;
};

struct Row {
  std::string shape;
  Case case_;  // impl, mesh, rotate, sizes
  Prediction prediction;
  std::string why_not;  // of a row that was not predicted
};

struct PredictionTable {
  std::string version, libtorch;
  Question question;
  std::vector<Row> rows;
};

// Ring (where U = 1), Ulysses (where R = 1) or unified attention on every factorisation of every
// world, a ring by all-gather and by send/receive. Rows that the implementation refuses say why.
PredictionTable predict_all(const Registry& registry, const Question& question,
                            const std::function<void(const Case&)>& progress);

std::string table_text(const PredictionTable& table);
std::string table_json(const PredictionTable& table);

}  // namespace attncheck::scale
