#include <algorithm>
#include <cstdio>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "reference/evaluation.h"
#include "reference/roundoff.h"
#include "reference/visibility.h"
#include "tests/reference/naive_attention.h"
namespace attncheck::reference {
double ratio(const at::Tensor& got, const at::Tensor& ref, const at::Tensor& bound) {
  auto e = got.to(at::kDouble).sub(ref).abs();
  auto same = got.to(at::kDouble).eq(ref);
  return e.div(bound).masked_fill(same, 0).max().item<double>();
}
TEST(Cal, X) {
  std::map<std::string, std::vector<double>> all;
  const char* dn[] = {"normal", "large", "offset", "positive", "tiny"};
  for (auto dt : {at::kDouble, at::kFloat})
    for (int longest : {64, 8, 256}) {
      ProblemSource src(7);
      for (int i = 0; i < (longest > 64 ? 100 : atoi(getenv("NN")) / longest); ++i) {
        auto shape = src.shape(longest, longest == 256 ? 128 : 32);
        auto data = Data(i % 5);
        auto masking = Masking(i / 5 % 5);
        auto p = src.problem(shape, data, masking, dt);
        bool empty = visible_counts(p.inputs).min().item<int64_t>() == 0;
        for (int64_t r : {1, 2, 3, 4, 0}) {
          if (r == 0 && empty) continue;
          auto dlse = r ? p.dlse : at::Tensor();
          auto ref =
              evaluate(p.inputs, p.dout, dlse, BoundContext{dt, dt, std::max<int64_t>(r, 1)});
          auto got = r ? blockwise_attention(p, r) : sdpa_math(p);
          std::string key =
              std::string(dt == at::kDouble ? "f64 " : "f32 ") + std::to_string(longest) + " ";
          auto put = [&](const char* n, double x) {
            all[key + n + " all"].push_back(x);
            all[key + n + " R" + std::to_string(r)].push_back(x);
            all[key + n + " " + dn[i % 5]].push_back(x);
          };
          put("out", ratio(got.out, ref.forward.out, ref.bounds.out));
          if (r) put("lse", ratio(got.lse, ref.forward.lse, ref.bounds.lse));
          put("dq", ratio(got.dq, ref.gradients.dq, ref.bounds.dq));
          put("dk", ratio(got.dk, ref.gradients.dk, ref.bounds.dk));
          put("dv", ratio(got.dv, ref.gradients.dv, ref.bounds.dv));
        }
      }
    }
  for (auto& [k, v] : all) {
    std::sort(v.begin(), v.end());
    printf("%-24s max %8.4g  p95 %8.4g median %.4f p10 %.4f\n", k.c_str(), v.back(),
           v[v.size() * .95], v[v.size() / 2], v[v.size() / 10]);
  }
}
}  // namespace attncheck::reference
