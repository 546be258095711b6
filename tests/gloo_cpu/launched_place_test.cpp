#include "gloo_cpu/launched_place.h"

#include <map>
#include <stdexcept>

#include <gtest/gtest.h>

namespace attncheck::gloo_cpu {
namespace {

std::optional<LaunchedPlace> place_in(const std::map<std::string, std::string>& environment) {
  return launched_place([&](const std::string& name) {
    const auto found = environment.find(name);
    return found == environment.end() ? std::string() : found->second;
  });
}

TEST(LaunchedPlace, IsNoneWithoutALauncher) {
  EXPECT_FALSE(place_in({}));
  EXPECT_FALSE(place_in({{"RANK", "0"}, {"WORLD_SIZE", "1"}}));
  EXPECT_FALSE(place_in({{"RANK", "1"}}));
  EXPECT_FALSE(place_in({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}}));  // sbatch, no srun
  EXPECT_FALSE(place_in({{"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "1"}}));
}

TEST(LaunchedPlace, OfAWorldWithNowhereToMeetIsRefused) {
  std::map<std::string, std::string> half{{"RANK", "1"}, {"WORLD_SIZE", "2"}};
  EXPECT_THROW(place_in(half), std::invalid_argument);
  half["MASTER_ADDR"] = "127.0.0.1";
  EXPECT_THROW(place_in(half), std::invalid_argument);
  half["MASTER_PORT"] = "29500";
  EXPECT_TRUE(place_in(half));
}

TEST(LaunchedPlace, OfTorchrunIsWhatItSays) {
  const auto place = place_in({{"RANK", "5"},
                               {"WORLD_SIZE", "8"},
                               {"LOCAL_RANK", "1"},
                               {"LOCAL_WORLD_SIZE", "4"},
                               {"MASTER_ADDR", "gpu7"},
                               {"MASTER_PORT", "29500"},
                               {"TORCHELASTIC_USE_AGENT_STORE", "True"}});
  ASSERT_TRUE(place);
  EXPECT_EQ(place->launcher, "torchrun");
  EXPECT_EQ(place->rank, 5);
  EXPECT_EQ(place->world, 8);
  EXPECT_EQ(place->local_rank, 1);
  EXPECT_EQ(place->local_world, 4);
  EXPECT_EQ(place->host, "gpu7");
  EXPECT_EQ(place->port, 29500);
  EXPECT_TRUE(place->store_is_kept);
}

TEST(LaunchedPlace, OfMpirunOnOneMachineMeetsAtAPortOfTheJob) {
  std::map<std::string, std::string> environment{{"OMPI_COMM_WORLD_RANK", "2"},
                                                 {"OMPI_COMM_WORLD_SIZE", "3"},
                                                 {"OMPI_COMM_WORLD_LOCAL_RANK", "2"},
                                                 {"OMPI_COMM_WORLD_LOCAL_SIZE", "3"},
                                                 {"PMIX_NAMESPACE", "one"}};
  const auto place = place_in(environment);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->launcher, "mpirun");
  EXPECT_EQ(place->rank, 2);
  EXPECT_EQ(place->host, "127.0.0.1");
  EXPECT_FALSE(place->store_is_kept);
  environment["PMIX_NAMESPACE"] = "two";
  EXPECT_NE(place_in(environment)->port, place->port);
}

TEST(LaunchedPlace, OfSrunMeetsOnTheFirstOfItsMachines) {
  const auto place = place_in({{"SLURM_PROCID", "3"},
                               {"SLURM_STEP_NUM_TASKS", "4"},
                               {"SLURM_STEP_NUM_NODES", "2"},
                               {"SLURM_LOCALID", "1"},
                               {"SLURM_STEP_NODELIST", "gpu[07-08],login1"}});
  ASSERT_TRUE(place);
  EXPECT_EQ(place->launcher, "srun");
  EXPECT_EQ(place->host, "gpu07");
  EXPECT_EQ(place->local_rank, 1);
}

TEST(LaunchedPlace, VariablesThatMakeNoPlaceSayWhatWouldBeRight) {
  const auto refusal = [](std::map<std::string, std::string> environment) -> std::string {
    try {
      place_in(environment);
      return "";
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
  };
  const std::map<std::string, std::string> right{
      {"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "h"}, {"MASTER_PORT", "29500"}};
  EXPECT_EQ(refusal(right), "");
  const auto with = [&](const std::string& name, const std::string& value) {
    auto environment = right;
    environment[name] = value;
    return refusal(environment);
  };
  EXPECT_NE(with("RANK", "2").find("RANK is 2 in a world of 2"), std::string::npos);
  EXPECT_NE(with("WORLD_SIZE", "two").find("WORLD_SIZE must be a number"), std::string::npos);
  EXPECT_NE(with("MASTER_PORT", "70000").find("from 1 to 65535"), std::string::npos);
  const std::string far = refusal({{"OMPI_COMM_WORLD_RANK", "0"},
                                   {"OMPI_COMM_WORLD_SIZE", "4"},
                                   {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}});
  EXPECT_NE(far.find("set MASTER_ADDR"), std::string::npos) << far;
}

}  // namespace
}  // namespace attncheck::gloo_cpu
