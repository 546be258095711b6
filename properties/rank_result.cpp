#include "properties/rank_result.h"

#include <limits>

#include "problem/words.h"
#include "properties/bytes.h"

namespace attncheck {
namespace {

constexpr Words<Phase, 6> kPhaseWords{
    {"supports", "forward", "backward", "exchange", "return", "process"}};

}  // namespace

const char* to_text(Phase phase) {
  return kPhaseWords.of(phase);
}

std::string to_bytes(const RankResult& result) {
  ByteWriter writer;
  writer.number(result.rank);
  writer.number(static_cast<int64_t>(result.tensors.size()));
  for (const auto& [name, tensor] : result.tensors) {
    writer.text(name);
    writer.tensor(tensor);
  }
  writer.number(static_cast<int64_t>(result.facts.size()));
  for (const auto& [name, fact] : result.facts) {
    writer.text(name);
    writer.text(fact);
  }
  writer.number(result.error ? static_cast<int64_t>(result.error->phase) : -1);
  if (result.error) writer.text(result.error->text);
  writer.number(result.peak_bytes.value_or(-1));
  return writer.take();
}

RankResult rank_result_from_bytes(const std::string& bytes) {
  ByteReader reader(bytes, "RankResult");
  RankResult result;
  result.rank = static_cast<int>(reader.number(0, 1 << 20));
  for (int64_t left = reader.number(0, 1 << 20); left > 0; --left) {
    const std::string name = reader.text();
    result.tensors[name] = reader.tensor();
  }
  for (int64_t left = reader.number(0, 1 << 20); left > 0; --left) {
    const std::string name = reader.text();
    result.facts[name] = reader.text();
  }
  const int64_t phase = reader.number(-1, static_cast<int64_t>(Phase::process));
  if (phase >= 0) result.error = RankError{static_cast<Phase>(phase), reader.text()};
  const int64_t peak = reader.number(-1, std::numeric_limits<int64_t>::max());
  if (peak >= 0) result.peak_bytes = peak;
  reader.end();
  return result;
}

}  // namespace attncheck
