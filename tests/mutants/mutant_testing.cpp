#include "tests/mutants/mutant_testing.h"

#include <algorithm>
#include <set>
#include <stdexcept>

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/tensor.h>

#include "impl/backends/built_in.h"
#include "impl/backends/math.h"
#include "impl/contract/attention_options.h"
#include "impl/contract/dtypes.h"
#include "mutants/catalogue.h"
#include "mutants/kernels.h"
#include "problem/case_text.h"
#include "tests/impl/mesh_testing.h"
#include "tests/impl/problems_testing.h"

namespace attncheck::testing {
namespace {

constexpr const char* kParts[] = {"out", "lse", "dq", "dk", "dv"};

Case case_of(const std::string& name, const std::string& words) {
  return parse_case("impl=mutant:" + name + " " + words);
}

Whole whole_of(const Problem& p) {
  return whole({p.batch, p.q_len, p.kv_len, p.heads, p.kv_heads, p.head_dim, p.v_head_dim},
               causal_diagonal(p), scalar_type(p.dtype));
}

// A mask of the case's axes that hides every other pair: of keys, or of queries and keys.
at::Tensor alternating_mask(const Problem& p) {
  if (p.mask == Mask::none) return {};
  TORCH_CHECK(p.mask == Mask::boolean, "no mask of this kind");
  const at::Tensor keys = at::arange(p.kv_len);
  const at::Tensor of_batch = keys + at::arange(p.batch).unsqueeze(1);  // (B, Skv)
  if (p.mask_axes == MaskAxes::bk) return of_batch.remainder(2).eq(0);
  TORCH_CHECK(p.mask_axes == MaskAxes::bhqk, "no mask of these axes");
  const at::Tensor by_head = of_batch.unsqueeze(1) + at::arange(p.heads).unsqueeze(1);
  return (by_head.unsqueeze(2) + at::arange(p.q_len).unsqueeze(1)).remainder(2).eq(0);
}

// What places hide, as a mask of the whole: (1, 1, Sq, Skv).
at::Tensor seen_by_place(const Problem& p) {
  const at::Tensor ahead = at::arange(p.kv_len).unsqueeze(0) - at::arange(p.q_len).unsqueeze(1);
  at::Tensor seen = ahead.abs() <= p.window.value_or(p.q_len + p.kv_len);
  std::vector<int64_t> document;
  for (size_t i = 0; i < p.documents.size(); ++i) {
    document.insert(document.end(), p.documents[i], static_cast<int64_t>(i));
  }
  if (!document.empty()) {
    const at::Tensor number = at::tensor(document, at::kLong);
    seen = seen.logical_and(number.unsqueeze(0) == number.unsqueeze(1));
  }
  return seen.unsqueeze(0).unsqueeze(0);
}

// A contiguous, a striped or a zigzag shard. Where the ranks do not divide the tokens, the first
// ones hold one more.
at::Tensor shard(const at::Tensor& x, Layout layout, const MeshGroups& groups) {
  const int64_t world = groups.mesh.world(), rank = groups.rank;
  if (layout == Layout::contiguous) return x.tensor_split(world, 1)[rank].detach();
  if (layout == Layout::striped) return x.slice(1, rank, x.size(1), world).contiguous();
  TORCH_CHECK(layout == Layout::zigzag, "no shards of this layout");
  const std::vector<at::Tensor> runs = x.tensor_split(2 * world, 1);
  return at::cat({runs[rank], runs[2 * world - 1 - rank]}, 1);
}

double tolerance_of(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return 1e-12;
    case DType::f32:
      return 1e-5;
    case DType::f16:
      return 0.02;
    case DType::bf16:
      break;
  }
  return 0.15;
}

// One run: what it computes and what it has found wrong so far. Ranks run one at a time.
class Judge {
 public:
  Judge(const Implementation& implementation, const Case& c)
      : implementation_(implementation), case_(c), whole_(whole_of(c.problem)) {
    if (!c.lse_cotangent) whole_.grad_lse = at::Tensor();
    const Problem& p = c.problem;
    mask_ = alternating_mask(p);
    if (!sees_every_place(p) && !p.causal) whole_.inputs.mask = seen_by_place(p);
    if (mask_.defined()) {
      whole_.inputs.mask = mask_.dim() == 2 ? mask_.unsqueeze(1).unsqueeze(1) : mask_;
    }
    want_ = expected(whole_);
  }

  void run_rank(const MeshGroups& groups) {
    const auto shard = [&](const at::Tensor& x) {
      return testing::shard(x, case_.problem.layout, groups);
    };
    std::vector<at::Tensor> leaves;
    for (const at::Tensor& x : {whole_.inputs.q, whole_.inputs.k, whole_.inputs.v}) {
      leaves.push_back(shard(x).requires_grad_(true));
    }
    const Attention got =
        implementation_.attention(leaves[0], leaves[1], leaves[2], options_on(groups), groups);
    compare("out", got.out, shard(want_.out));
    if (case_.return_lse) compare("lse", got.lse, shard(want_.lse));
    std::vector<at::Tensor> roots{got.out}, cotangents{shard(whole_.grad_out)};
    if (case_.lse_cotangent) {
      roots.push_back(got.lse);
      cotangents.push_back(shard(whole_.grad_lse));
    }
    const auto grads = gradients(roots, leaves, cotangents);
    compare("dq", grads[0], shard(want_.dq));
    compare("dk", grads[1], shard(want_.dk));
    compare("dv", grads[2], shard(want_.dv));
  }

  std::string wrong() const {
    std::string all;
    for (const char* part : kParts) {
      if (wrong_.contains(part)) all += (all.empty() ? "" : " ") + std::string(part);
    }
    return all;
  }

 private:
  void compare(const std::string& part, const at::Tensor& got, const at::Tensor& want) {
    const double tolerance = tolerance_of(case_.problem.dtype);
    const bool right =
        got.defined() && got.sizes() == want.sizes() && difference(got.detach(), want) <= tolerance;
    if (!right) wrong_.insert(part);
  }

  AttentionOptions options_on(const MeshGroups& groups) const {
    AttentionOptions options = attention_options(case_, backend_);
    options.scale = whole_.inputs.scale;
    options.mask = mask_;
    if (mask_.defined() && mask_.dim() == 4) {
      const at::Tensor by_query = mask_.transpose(1, 2);
      options.mask = testing::shard(by_query, case_.problem.layout, groups).transpose(1, 2);
    }
    return options;
  }

  Implementation implementation_;
  Case case_;
  Backend backend_ = backend_named(case_.backend);
  at::Tensor mask_;  // of the whole, of the case's axes
  Whole whole_;
  Expected want_;
  std::set<std::string> wrong_;
};

template <typename Run>
Outcome outcome_on(const Run& run, const Case& c) {
  const std::string name = c.impl.substr(std::string("mutant:").size());
  Judge judge(std::get<Implementation>(mutant(name).subject), c);
  Outcome result;
  const auto errors = run(c.mesh, [&](const MeshGroups& groups) { judge.run_rank(groups); });
  for (const auto& error : errors) result.errors.push_back(error.value_or(""));
  result.wrong = judge.wrong();
  return result;
}

double tag(int rank, const std::array<int64_t, 4>& index) {
  double value = rank;
  for (const int64_t i : index) value = value * 64 + static_cast<double>(i);
  return value;
}

template <typename Visit>
void for_each_index(const std::array<int64_t, 4>& shape, Visit visit) {
  std::array<int64_t, 4> i{};
  for (i[0] = 0; i[0] < shape[0]; ++i[0])
    for (i[1] = 0; i[1] < shape[1]; ++i[1])
      for (i[2] = 0; i[2] < shape[2]; ++i[2])
        for (i[3] = 0; i[3] < shape[3]; ++i[3]) visit(i);
}

// A contiguous tensor whose element at each index is `value(index)`.
template <typename Value>
at::Tensor filled(const std::array<int64_t, 4>& shape, Value value) {
  at::Tensor x = at::empty(shape, at::TensorOptions(at::kDouble));
  double* next = x.data_ptr<double>();
  for_each_index(shape, [&](const auto& index) { *next++ = value(index); });
  return x;
}

bool arrives_at_rank(const Collective& collective, const Case& c, const MeshGroups& groups) {
  const at::Tensor x =
      filled(collective.input_shape(c), [&](const auto& i) { return tag(groups.rank, i); });
  const at::Tensor want = filled(collective.output_shape(c), [&](const auto& i) {
    const Origin origin = collective.origin(c, groups.rank, i);
    return tag(origin.rank, origin.index);
  });
  const at::Tensor got = collective.apply(x, groups);
  return got.sizes() == want.sizes() && got.equal(want);
}

}  // namespace

Backend backend_named(const std::string& name) {
  if (name == "four_axis_kernel") return four_axis_kernel();
  for (const Backend& backend : built_in_backends()) {
    if (backend.name == name) return backend;
  }
  for (const BackendFamily& family : built_in_backend_families()) {
    for (const Backend& backend : family.all) {
      if (backend.name == name) return backend;
    }
  }
  throw std::invalid_argument("there is no backend " + name);
}

Mutant mutant(const std::string& name) {
  static const std::vector<Mutant> catalogue = mutant_catalogue();
  for (const Mutant& m : catalogue) {
    if (m.name == name) return m;
  }
  throw std::invalid_argument("there is no mutant " + name);
}

Outcome outcome(const std::string& name, const std::string& words) {
  return outcome_on(errors_on_mesh, case_of(name, words));
}

Outcome outcome(const std::string& name, const std::string& words, const Launch& launch) {
  return outcome(case_of(name, words), launch);
}

Outcome outcome(const Case& c, const Launch& launch) {
  const auto run = [&](const Mesh& mesh, const RankWork& work) {
    return errors_on_launched(launch, mesh, work);
  };
  return outcome_on(run, c);
}

bool arrives(const std::string& name, const std::string& words) {
  const Case c = case_of(name, words);
  const Collective collective = std::get<Collective>(mutant(name).subject);
  bool everywhere = true;
  run_on_mesh(c.mesh, [&](const MeshGroups& groups) {
    everywhere = arrives_at_rank(collective, c, groups) && everywhere;
  });
  return everywhere;
}

}  // namespace attncheck::testing
