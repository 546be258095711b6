#include <stdexcept>

#include <gtest/gtest.h>

#include "cudnn_probe/cudnn_probe.h"
#include "cudnn_probe/device.h"
#include "cudnn_probe/sdpa_call.h"

namespace attncheck {
namespace {

Problem half_problem() {
  Problem p;
  p.heads = p.kv_heads = 2;
  p.q_len = p.kv_len = 64;
  p.head_dim = p.v_head_dim = 64;
  p.dtype = DType::bf16;
  return p;
}

TEST(CudnnProbe, SaysWhyItCannotBeAsked) {
  const Support here = cudnn_here();
  EXPECT_EQ(here.ok, here.reason.empty());
  EXPECT_EQ(here.ok, !cudnn_version().empty());
  if (!here) {
    EXPECT_THROW(ask_cudnn(half_problem(), 90), std::runtime_error);
  }
}

TEST(CudnnProbe, DescribesADeviceInCudnnsWords) {
  const std::string text = device_text(cudnn_device_table().front());
  for (const char* member : {"\"deviceVer\":750", "\"deviceName\":\"T4\"", "\"warpSize\":32"}) {
    EXPECT_NE(text.find(member), std::string::npos) << text;
  }
  EXPECT_EQ(cudnn_devices().size(), cudnn_device_table().size());
}

TEST(CudnnProbe, AsksAsTheBackendCalls) {
  Problem p = half_problem();
  EXPECT_FALSE(sdpa_call(p).hidden.bias);
  p.causal = true;
  EXPECT_TRUE(sdpa_call(p).hidden.is_causal);
  p.kv_len = 96;
  p.align = Align::bottom_right;  // another diagonal than the operator's
  EXPECT_FALSE(sdpa_call(p).hidden.is_causal);
  EXPECT_TRUE(sdpa_call(p).hidden.bias);
}

TEST(CudnnProbe, RefusesInCudnnsOwnWords) {
  if (const Support here = cudnn_here(); !here) GTEST_SKIP() << "not_run: " << here.reason;
  EXPECT_THROW(ask_cudnn(half_problem(), 91), std::invalid_argument);
  EXPECT_NE(ask_cudnn(half_problem(), 75).forward.support.reason.find("SM80"), std::string::npos);
  Problem odd = half_problem();
  odd.head_dim = odd.v_head_dim = 63;
  EXPECT_NE(ask_cudnn(odd, 90).forward.support.reason.find("multiple of 8"), std::string::npos);
  Problem single = half_problem();
  single.q_len = single.kv_len = 1;
  EXPECT_TRUE(ask_cudnn(single, 90).forward.support);
  EXPECT_FALSE(ask_cudnn(single, 90).backward.support);
}

}  // namespace
}  // namespace attncheck
