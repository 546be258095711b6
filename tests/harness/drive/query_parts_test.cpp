#include "harness/drive/query_parts.h"

#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

#include "harness/drive/provenance.h"
#include "problem/case_text.h"
#include "tests/properties/oracle_lab.h"

namespace attncheck {
namespace {

using Fate = Contribution::Fate;

std::vector<Fate> fates(const std::vector<Contribution>& row) {
  std::vector<Fate> all;
  for (const Contribution& cell : row) all.push_back(cell.fate);
  return all;
}

// Of two keys a row of dS is (a, -a): dq = scale a (k0 - k1), so the parts are known from dq alone.
TEST(QueryParts, AreWhatEachKeyAddsToDq) {
  OracleLab lab;
  const Case c = parse_case("impl=subject mesh=2x1 q=2 h=1 d=1 seed=5");
  const Expected& expected = lab.expected(base_request(c));
  const std::vector<at::Tensor> parts = query_parts(c, expected);
  const double k0 = expected.inputs.k[0][0][0][0].item<double>();
  const double k1 = expected.inputs.k[0][1][0][0].item<double>();
  ASSERT_EQ(parts.size(), 2u);
  const at::Tensor& dq = expected.gradients.dq;
  EXPECT_LT((parts[0] - dq * (k0 / (k0 - k1))).abs().max().item<double>(), 1e-14);
  EXPECT_LT((parts[1] + dq * (k1 / (k0 - k1))).abs().max().item<double>(), 1e-14);
}

TEST(QueryParts, TellMissingDoubledAndWrongApart) {
  OracleLab lab;
  const Case c = parse_case("impl=subject mesh=4x1 q=8 h=2 d=3 seed=5");
  const std::vector<at::Tensor> parts = query_parts(c, lab.expected(base_request(c)));
  const at::Tensor all = parts[0] + parts[1] + parts[2] + parts[3];
  constexpr double kBound = 1e-12;
  using Fates = std::vector<Fate>;
  EXPECT_EQ(fates(parts_in(all, parts, kBound)), Fates(4, Fate::ok));
  EXPECT_EQ(fates(parts_in(all - parts[1] + parts[2], parts, kBound)),
            (Fates{Fate::ok, Fate::missing, Fate::doubled, Fate::ok}));
  EXPECT_EQ(fates(parts_in(all * 0, parts, kBound)), Fates(4, Fate::missing));
  EXPECT_EQ(fates(parts_in(all * 0.6, parts, kBound)), Fates(4, Fate::wrong));
}

TEST(QueryParts, StandInTheProvenance) {
  OracleLab lab;
  lab.plant([](const Request&, Observation& observation) {
    if (observation.ranks[0].tensors.count("dq") > 0) tensor_of(observation, 1, "dq").zero_();
  });
  const Provenance provenance = explain(parse_case("impl=subject mesh=3x1 q=6 d=2 seed=5"), lab);
  EXPECT_EQ(fates(provenance.dq_parts->at(0)), std::vector<Fate>(3, Fate::ok));
  EXPECT_EQ(fates(provenance.dq_parts->at(1)), std::vector<Fate>(3, Fate::missing));
}

TEST(QueryParts, ExpectNothingOfMaskedShards) {
  OracleLab lab;
  const Provenance provenance =
      explain(parse_case("impl=subject mesh=2x1 q=4 d=2 causal=1 seed=3"), lab);
  EXPECT_EQ(fates(provenance.dq_parts->at(0)), (std::vector<Fate>{Fate::ok, Fate::none}));
}

}  // namespace
}  // namespace attncheck
