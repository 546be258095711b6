#include "harness/joint_gradients.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

#include "problem/case_text.h"

namespace attncheck {
namespace {

// Rank r gives 10 r + the place for each token of dk.
Observation observed(const std::vector<int64_t>& tokens) {
  Observation observation;
  for (size_t rank = 0; rank < tokens.size(); ++rank) {
    RankResult result;
    result.rank = static_cast<int>(rank);
    const double first = 10.0 * static_cast<double>(rank);
    result.tensors["dk"] = (at::arange(tokens[rank], at::kDouble) + first).view({1, -1, 1, 1});
    observation.ranks.push_back(result);
  }
  return observation;
}

std::vector<double> values(const Observation& observation, int rank) {
  const at::Tensor& x = observation.ranks[rank].tensors.at("dk");
  return {x.const_data_ptr<double>(), x.const_data_ptr<double>() + x.numel()};
}

using Values = std::vector<double>;

TEST(JointGradients, AreTheSumOnEveryRank) {
  Observation observation = observed({4, 3});
  sum_joint_gradients(base_request(parse_case("impl=ring mesh=2x1 q=5 d=1 joint=front:2")),
                      observation);
  EXPECT_EQ(values(observation, 0), (Values{10, 12, 2, 3}));
  EXPECT_EQ(values(observation, 1), (Values{10, 12, 12}));
}

TEST(JointGradients, StandBehindWhereTheTokensDo) {
  Observation observation = observed({4, 3});
  sum_joint_gradients(base_request(parse_case("impl=ring mesh=2x1 q=5 d=1 joint=rear:2")),
                      observation);
  EXPECT_EQ(values(observation, 0), (Values{0, 1, 13, 15}));
  EXPECT_EQ(values(observation, 1), (Values{10, 13, 15}));
}

TEST(JointGradients, OfAnInterleavedCompanionAreTheSumToo) {
  Observation observation = observed({3, 2});
  for (RankResult& rank : observation.ranks) {
    rank.tensors["other_dk"] = rank.tensors.at("dk").clone();
  }
  Request request = base_request(parse_case("impl=ring mesh=2x1 q=5 d=1"));
  request.company = Company::interleaved;
  request.companion = parse_case("impl=ring mesh=2x1 q=4 d=1 joint=front:1");
  sum_joint_gradients(request, observation);
  EXPECT_EQ(values(observation, 0), (Values{0, 1, 2}));
  for (RankResult& rank : observation.ranks) rank.tensors["dk"] = rank.tensors.at("other_dk");
  EXPECT_EQ(values(observation, 0), (Values{10, 1, 2}));
}

TEST(JointGradients, OfAnotherShapeAreLeftToTheProperties) {
  Observation observation = observed({4, 4});
  sum_joint_gradients(base_request(parse_case("impl=ring mesh=2x1 q=5 d=1 joint=front:2")),
                      observation);
  EXPECT_EQ(values(observation, 0), (Values{0, 1, 2, 3}));
}

TEST(JointGradients, AreNoneWithoutJointTokens) {
  Observation observation = observed({3, 2});
  sum_joint_gradients(base_request(parse_case("impl=ring mesh=2x1 q=5 d=1")), observation);
  EXPECT_EQ(values(observation, 0), (Values{0, 1, 2}));
}

}  // namespace
}  // namespace attncheck
