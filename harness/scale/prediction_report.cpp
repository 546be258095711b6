#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/scale/prediction_table.h"
#include "problem/case_text.h"
#include "problem/model_shapes.h"

namespace attncheck::scale {
namespace {

using Json = nlohmann::ordered_json;

std::string link_text(const Link& link) {
  return fmt::format("{} ({:.0f} us, {:g} GB/s)", link.name, link.seconds * 1e6,
                     link.bytes_per_second / 1e9);
}

std::string head_text(const Machine& machine) {
  return fmt::format(
      "predicted, not measured: {} ranks a node on {}, nodes on {}, {:g} TFLOP/s a rank;\n"
      "one layer, forward and backward; docs/scale.md says what the model leaves out\n",
      machine.node, link_text(machine.inside), link_text(machine.across),
      machine.flops_per_second / 1e12);
}

bool same_table(const Row& a, const Row& b) {
  return a.shape == b.shape && a.case_.mesh.world() == b.case_.mesh.world();
}

// The fastest row among those of one shape and world.
const Row* fastest(const std::vector<Row>& rows, const Row& of) {
  const Row* best = nullptr;
  for (const Row& row : rows) {
    if (!same_table(row, of) || !row.why_not.empty()) continue;
    if (best == nullptr || row.prediction.seconds < best->prediction.seconds) best = &row;
  }
  return best;
}

const char* rotate_of(const Case& c) {
  return c.mesh.ring == 1 ? "-" : to_text(c.rotate);
}

std::string row_text(const Row& row, bool best) {
  const Case& c = row.case_;
  const std::string start =
      fmt::format("  {:<8} {:>7} {:<10}", c.impl, to_text(c.mesh), rotate_of(c));
  if (!row.why_not.empty()) return fmt::format("{} not predicted: {}\n", start, row.why_not);
  const Prediction& p = row.prediction;
  return fmt::format("{} {:>10.2f} {:>11.0f} % {:>9.1f} {:>11.3f}{}\n", start, p.seconds * 1e3,
                     100 * p.waited_share(), p.compute * 1e3,
                     static_cast<double>(p.received_bytes) / 1e9, best ? "  fastest" : "");
}

std::string title_of(const Row& row) {
  return fmt::format(
      "\n{} on {} ranks: {}\n  {} tokens, {} heads ({} of k and v)\n"
      "  {:<8} {:>7} {:<10} {:>10} {:>13} {:>9} {:>11}\n",
      row.shape, row.case_.mesh.world(), model_shape(row.shape).what, row.case_.problem.q_len,
      row.case_.problem.heads, row.case_.problem.kv_heads, "method", "mesh", "rotate", "ms",
      "not hidden", "kernel ms", "GB received");
}

Json row_json(const Row& row) {
  Json json{{"shape", row.shape},
            {"impl", row.case_.impl},
            {"world", row.case_.mesh.world()},
            {"mesh", to_text(row.case_.mesh)},
            {"rotate", rotate_of(row.case_)},
            {"tokens", row.case_.problem.q_len}};
  if (!row.why_not.empty()) {
    json["not_predicted"] = row.why_not;
    return json;
  }
  json["seconds"] = row.prediction.seconds;
  json["waited_seconds"] = row.prediction.waited;
  json["kernel_seconds"] = row.prediction.compute;
  json["received_bytes"] = row.prediction.received_bytes;
  return json;
}

Json link_json(const Link& link) {
  return {{"name", link.name},
          {"latency_seconds", link.seconds},
          {"bytes_per_second", link.bytes_per_second}};
}

}  // namespace

std::string table_text(const PredictionTable& table) {
  std::string text = fmt::format("attncheck {}, LibTorch {}\n", table.version, table.libtorch);
  text += head_text(table.question.machine);
  const Row* before = nullptr;
  for (const Row& row : table.rows) {
    if (before == nullptr || !same_table(*before, row)) text += title_of(row);
    text += row_text(row, fastest(table.rows, row) == &row);
    before = &row;
  }
  return text;
}

std::string table_json(const PredictionTable& table) {
  const Machine& machine = table.question.machine;
  Json json{{"attncheck", table.version},
            {"libtorch", table.libtorch},
            {"bench", "scale"},
            {"predicted", true},
            {"machine",
             {{"inside", link_json(machine.inside)},
              {"across", link_json(machine.across)},
              {"node", machine.node},
              {"flops_per_second", machine.flops_per_second}}}};
  json["rows"] = Json::array();
  for (const Row& row : table.rows) json["rows"].push_back(row_json(row));
  return json.dump(2) + "\n";
}

}  // namespace attncheck::scale
