#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/timing/method_times.h"
#include "problem/case_text.h"
#include "problem/model_shapes.h"

namespace attncheck::timing {
namespace {

using Json = nlohmann::ordered_json;
using bench::Spread;

constexpr double kMilli = 1e3, kGiga = 1e-9;
constexpr size_t kNameWidth = 12;

// Three digits, and no exponent of what is large.
std::string number_text(double number) {
  return number < 1000 ? fmt::format("{:.3g}", number) : fmt::format("{:.0f}", number);
}

std::string spread_text(const Spread& spread, double factor) {
  return fmt::format("{} ({} to {})", number_text(spread.median * factor),
                     number_text(spread.low * factor), number_text(spread.high * factor));
}

std::string versions_text(const TimeTable& table) {
  std::string text = fmt::format("attncheck {}, LibTorch {}", table.version, table.libtorch);
  for (const auto& [package, version] : table.packages) {
    text += fmt::format(", {} {}", package, version);
  }
  return text + "\n";
}

std::string head_text(const TimeTable& table) {
  const Question& q = table.question;
  const std::string measured = fmt::format(
      "measured over {}, {} ranks, tensors on {}, {} in {}: of {} repetitions in turn the median\n"
      "(and quartiles), each of its slowest rank; percent of what the kernel does alone on one "
      "rank\n"
      "(of: what a causal ring can have on contiguous shards, R / (2 R - 1)); MB that the rank "
      "with\n"
      "most received, and whether that is what the method takes\n",
      table.transport, q.ranks, table.device, q.backend, to_text(q.dtype), q.repetitions);
  return versions_text(table) + measured;
}

const char* rotate_of(const Case& c) {
  return c.mesh.ring == 1 || c.impl == "allgather_kv" ? "-" : to_text(c.rotate);
}

std::string name_of(const Case& c) {
  return c.impl == "local" ? "kernel alone" : c.impl;
}

using Pass = std::optional<PassTime> PassRow::*;

std::string share_text(double percent) {
  return fmt::format("{:.{}f}", percent, percent < 10 ? 1 : 0);
}

// "41.2 (40-43) of 57.1" where a causal ring has a bound.
std::string percent_text(const PassTime& time, const Case& c) {
  const std::optional<double> bound = load_bound(c);
  const auto [median, low, high, repetitions] = time.percent;
  const std::string percent = fmt::format("{:.{}f} ({}-{})", median, median < 100 ? 1 : 0,
                                          share_text(low), share_text(high));
  return bound ? fmt::format("{} of {:.1f}", percent, 100 * *bound) : percent;
}

std::string theory_text(const PassBytes& bytes) {
  if (!bytes.theory) return "-";
  const bool right = bytes.received >= bytes.theory->least && bytes.received <= bytes.theory->most;
  if (right) return "as is";
  const auto most = static_cast<double>(bytes.theory->most);
  return most > 0 ? fmt::format("{:.2f} x", static_cast<double>(bytes.received) / most) : "more";
}

std::string time_text(const PassTime& time, const Case& c) {
  std::string text = fmt::format(" {:>21} {:>20} {:>9}", spread_text(time.seconds, kMilli),
                                 percent_text(time, c), number_text(time.tokens));
  if (!time.bytes) return text + fmt::format(" {:>8} {:>6}\n", "-", "-");
  return text + fmt::format(" {:>8.3g} {:>6}\n", static_cast<double>(time.bytes->received) / 1e6,
                            theory_text(*time.bytes));
}

// A long name has a line of its own, above the first row of that name.
std::string start_text(const Case& c, bool first_of_name) {
  const std::string place = fmt::format("{} {}", to_text(c.mesh), rotate_of(c));
  std::string name = name_of(c), above;
  if (name.size() > kNameWidth) {
    above = first_of_name ? fmt::format("  {}\n", name) : "";
    name.clear();
  }
  return above + fmt::format("  {:<{}} {:<13}", name, kNameWidth, place);
}

std::string row_text(const PassRow& row, Pass pass, bool first_of_name) {
  const Case& c = row.case_;
  const std::string start = start_text(c, first_of_name);
  if (!(row.*pass)) return fmt::format("{} not timed: {}\n", start, row.why_not);
  return start + time_text(*(row.*pass), c);
}

std::string passes_text(const ShapeTimes& shape, const char* name, Pass pass) {
  std::string text = fmt::format("  {:<{}} {:<13} {:>21} {:>20} {:>9} {:>8} {:>6}\n", name,
                                 kNameWidth, "mesh", "ms", "%", "tokens/s", "MB", "theory");
  std::string before;
  for (const PassRow& row : shape.passes) {
    text += row_text(row, pass, row.case_.impl != before);
    before = row.case_.impl;
  }
  return text;
}

std::string exchange_text(const ExchangeRow& row) {
  return fmt::format("  {:<12} {:>10.3f} {:>24} {:>11.3g} {:>11.3g}\n", to_text(row.kind),
                     static_cast<double>(row.bytes) / 1e6, spread_text(row.seconds, kMilli),
                     row.bandwidth.algorithm * kGiga, row.bandwidth.bus * kGiga);
}

std::string shape_text(const ShapeTimes& shape) {
  const Problem& p = shape.problem;
  const std::string asked =
      shape.asked_tokens ? fmt::format(" (of {}, so that ranks have alike)", *shape.asked_tokens)
                         : "";
  std::string text = fmt::format("\n{}: {}\n{} tokens{}, {} heads ({} of k and v), head_dim {}{}\n",
                                 shape.shape, model_shape(shape.shape).what, p.q_len, asked,
                                 p.heads, p.kv_heads, p.head_dim, p.causal ? ", causal" : "");
  if (!shape.not_run.empty()) return text + "  not_run: " + shape.not_run + "\n";
  text += passes_text(shape, "forward", &PassRow::forward);
  text += passes_text(shape, "backward", &PassRow::backward);
  if (shape.exchanges.empty()) return text;
  text += fmt::format("  {:<12} {:>10} {:>24} {:>11} {:>11}\n", "exchange", "MB a rank", "ms",
                      "algbw GB/s", "busbw GB/s");
  for (const ExchangeRow& row : shape.exchanges) text += exchange_text(row);
  return text;
}

Json spread_json(const Spread& spread) {
  return {{"median", spread.median}, {"low", spread.low}, {"high", spread.high}};
}

Json time_json(const PassTime& time) {
  Json json{{"seconds", spread_json(time.seconds)},
            {"percent", spread_json(time.percent)},
            {"flop_per_second", time.flops},
            {"tokens_per_second", time.tokens}};
  if (!time.bytes) return json;
  json["received_bytes"] = time.bytes->received;
  const std::optional<reference::ByteRange>& theory = time.bytes->theory;
  if (theory) json["theory_bytes"] = {{"least", theory->least}, {"most", theory->most}};
  return json;
}

Json pass_json(const PassRow& row) {
  Json json{{"impl", row.case_.impl},
            {"mesh", to_text(row.case_.mesh)},
            {"rotate", rotate_of(row.case_)}};
  if (!row.why_not.empty()) json["not_timed"] = row.why_not;
  if (const auto bound = load_bound(row.case_)) json["load_bound"] = *bound;
  if (row.forward) json["forward"] = time_json(*row.forward);
  if (row.backward) json["backward"] = time_json(*row.backward);
  return json;
}

Json shape_json(const ShapeTimes& shape) {
  Json json{{"shape", shape.shape},
            {"tokens", shape.problem.q_len},
            {"heads", shape.problem.heads},
            {"kv_heads", shape.problem.kv_heads},
            {"head_dim", shape.problem.head_dim},
            {"causal", shape.problem.causal}};
  if (shape.asked_tokens) json["asked_tokens"] = *shape.asked_tokens;
  if (!shape.not_run.empty()) json["not_run"] = shape.not_run;
  json["passes"] = Json::array();
  for (const PassRow& row : shape.passes) json["passes"].push_back(pass_json(row));
  json["exchanges"] = Json::array();
  for (const ExchangeRow& row : shape.exchanges) {
    json["exchanges"].push_back({{"exchange", to_text(row.kind)},
                                 {"bytes", row.bytes},
                                 {"seconds", spread_json(row.seconds)},
                                 {"algbw", row.bandwidth.algorithm},
                                 {"busbw", row.bandwidth.bus}});
  }
  return json;
}

}  // namespace

std::string table_text(const TimeTable& table) {
  std::string text = head_text(table);
  for (const ShapeTimes& shape : table.shapes) text += shape_text(shape);
  return text;
}

std::string table_json(const TimeTable& table) {
  const Question& q = table.question;
  Json json{{"attncheck", table.version},
            {"libtorch", table.libtorch},
            {"packages", table.packages},
            {"bench", table.bench},
            {"transport", table.transport},
            {"device", table.device},
            {"ranks", q.ranks},
            {"backend", q.backend},
            {"dtype", to_text(q.dtype)},
            {"repetitions", q.repetitions},
            {"shapes", Json::array()}};
  for (const ShapeTimes& shape : table.shapes) json["shapes"].push_back(shape_json(shape));
  return json.dump(2) + "\n";
}

}  // namespace attncheck::timing
