#include "properties/rank_result.h"

#include <cstring>
#include <limits>

#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>

#include "problem/words.h"

namespace attncheck {
namespace {

constexpr Words<Phase, 6> kPhaseWords{
    {"supports", "forward", "backward", "exchange", "return", "process"}};

class Writer {
 public:
  void number(int64_t value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void text(const std::string& value) {
    number(static_cast<int64_t>(value.size()));
    bytes_ += value;
  }
  void tensor(const at::Tensor& value) {
    const at::Tensor whole = value.contiguous();
    number(static_cast<int64_t>(whole.scalar_type()));
    number(whole.dim());
    for (int64_t size : whole.sizes()) number(size);
    bytes_.append(static_cast<const char*>(whole.data_ptr()), whole.nbytes());
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(const std::string& bytes) : bytes_(bytes) {}

  int64_t number() {
    int64_t value = 0;
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
  }
  int64_t number(int64_t least, int64_t most) {
    const int64_t value = number();
    TORCH_CHECK(value >= least && value <= most, "no RankResult: number ", value, " at byte ",
                place_, " is not in ", least, "..", most);
    return value;
  }
  std::string text() {
    const int64_t size = number(0, rest());
    return std::string(take(size), size);
  }
  at::Tensor tensor() {
    const auto dtype = static_cast<at::ScalarType>(number(0, 127));
    std::vector<int64_t> sizes(number(0, 64));
    for (int64_t& size : sizes) size = number(0, int64_t{1} << 40);
    at::Tensor value = at::empty(sizes, dtype);
    TORCH_CHECK(static_cast<int64_t>(value.nbytes()) <= rest(), "no RankResult: a tensor of ",
                value.nbytes(), " bytes, ", rest(), " are left");
    if (value.nbytes() > 0) std::memcpy(value.data_ptr(), take(value.nbytes()), value.nbytes());
    return value;
  }
  int64_t rest() const { return static_cast<int64_t>(bytes_.size() - place_); }

 private:
  const char* take(int64_t size) {
    TORCH_CHECK(size <= rest(), "no RankResult: ", size, " bytes wanted, ", rest(), " are left");
    const char* at = bytes_.data() + place_;
    place_ += size;
    return at;
  }

  const std::string& bytes_;
  size_t place_ = 0;
};

}  // namespace

const char* to_text(Phase phase) {
  return kPhaseWords.of(phase);
}

std::string to_bytes(const RankResult& result) {
  Writer writer;
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
  Reader reader(bytes);
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
  TORCH_CHECK(reader.rest() == 0, "no RankResult: ", reader.rest(), " bytes too many");
  return result;
}

}  // namespace attncheck
