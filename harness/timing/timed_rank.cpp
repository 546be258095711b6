#include "harness/timing/timed_rank.h"

#include <vector>

#include <ATen/ops/randn.h>
#include <c10/util/Exception.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "gloo_cpu/group_factory.h"
#include "harness/callables/refused_call.h"
#include "harness/make_groups.h"
#include "harness/timing/meet.h"
#include "harness/timing/timed_pieces.h"
#include "harness/timing/timing_request.h"
#include "impl/contract/dtypes.h"

namespace attncheck::timing {
namespace {

// The pieces of one rank, and the world that they are timed in.
class TimedRank {
 public:
  TimedRank(const Registry& registry, const TimingRequest& request, gloo_cpu::GroupFactory& factory)
      : registry_(registry),
        factory_(factory),
        problem_(request.passes.at(0).problem),
        shards_(operands_of(problem_, factory.size(), factory.device())),
        world_(factory.group(Mesh{factory.size(), 1}.world_members())) {
    for (const Case& pass : request.passes) pieces_.push_back(piece_of(pass));
    const at::Tensor x =
        at::randn({exchanged_elements(problem_, factory.size())}, shards_.k.options());
    for (ExchangeKind kind : request.exchanges) pieces_.push_back(exchange_piece(kind, x, *world_));
  }

  std::vector<Laps> run() const {
    std::vector<Laps> laps;
    for (const Piece& piece : pieces_) laps.push_back(lap_of(piece));
    return laps;
  }

 private:
  Piece piece_of(const Case& pass) const {
    const Backend* backend = registry_.backend(pass.backend);
    TORCH_CHECK(backend != nullptr, "unknown backend '", pass.backend, "'");
    if (registry_.kind(pass.impl) == SubjectKind::local) {
      if (factory_.rank() != 0) return [](Stopwatch&) {};
      return kernel_piece(*backend, problem_, operands_of(problem_, 1, factory_.device()));
    }
    const Implementation* implementation = registry_.implementation(pass.impl);
    TORCH_CHECK(implementation != nullptr, "unknown implementation '", pass.impl, "'");
    const MeshGroups groups = make_groups(pass.mesh, whole_world(pass.mesh), factory_);
    return method_piece(*implementation, *backend, pass, shards_, groups);
  }

  Laps lap_of(const Piece& piece) const {
    meet(*world_, factory_.device());
    Stopwatch watch(factory_.device());
    try {
      piece(watch);
    } catch (const RefusedCall& refusal) {  // on every rank, and before anything is sent
      return {{}, {}, refusal.what()};
    }
    const std::vector<double> seconds = watch.laps();
    Laps laps;
    if (!seconds.empty()) laps.forward = {seconds[0]};
    if (seconds.size() > 1) laps.backward = {seconds[1]};
    return laps;
  }

  const Registry& registry_;
  gloo_cpu::GroupFactory& factory_;
  Problem problem_;
  Operands shards_;
  c10::intrusive_ptr<c10d::ProcessGroup> world_;
  std::vector<Piece> pieces_;
};

}  // namespace

std::string answer_timing(const Registry& registry, const std::string& request,
                          gloo_cpu::GroupFactory& factory) {
  RankTimes times;
  try {
    times.laps = TimedRank(registry, parse_timing_request(request), factory).run();
  } catch (const c10::Error& error) {
    times.error = error.what_without_backtrace();
  } catch (const std::exception& error) {
    times.error = error.what();
  }
  if (!times.error.empty()) factory.distrust();
  return to_bytes(times);
}

}  // namespace attncheck::timing
