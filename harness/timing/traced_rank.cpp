#include "harness/timing/traced_rank.h"

#include <memory>

#include <c10/util/Exception.h>

#include "gloo_cpu/group_factory.h"
#include "harness/make_groups.h"
#include "harness/timing/diary.h"
#include "harness/timing/meet.h"
#include "harness/timing/timed_pieces.h"
#include "harness/timing/watched_group.h"

namespace attncheck::timing {
namespace {

MeshGroups watched_groups(const MeshGroups& own, const std::shared_ptr<DiaryKeeper>& keeper) {
  MeshGroups groups = own;
  const Mesh& mesh = own.mesh;
  groups.world = watched_group(own.world, "world", mesh.world_members(), keeper);
  groups.ring = watched_group(own.ring, "ring", mesh.ring_members(own.rank), keeper);
  groups.ulysses = watched_group(own.ulysses, "ulysses", mesh.ulysses_members(own.rank), keeper);
  return groups;
}

Diary diary_of(const Registry& registry, const Case& c, gloo_cpu::GroupFactory& factory) {
  const Backend* backend = registry.backend(c.backend);
  TORCH_CHECK(backend != nullptr, "unknown backend '", c.backend, "'");
  const Implementation* implementation = registry.implementation(c.impl);
  TORCH_CHECK(implementation != nullptr, "unknown implementation '", c.impl, "'");
  const MeshGroups groups = make_groups(c.mesh, whole_world(c.mesh), factory);
  const auto keeper = std::make_shared<DiaryKeeper>();
  const Piece pass = method_piece(*implementation, *backend, c,
                                  operands_of(c.problem, c.mesh.world(), groups.device),
                                  watched_groups(groups, keeper));
  Stopwatch first(groups.device), watch(groups.device);
  pass(first);
  meet(*groups.world, groups.device);
  keeper->clear();
  pass(watch);
  const std::vector<double> marks = watch.times();
  return {keeper->exchanges(), keeper->deeds(), marks.at(0), marks.at(1), marks.at(2), ""};
}

}  // namespace

std::string answer_trace(const Registry& registry, const std::string& request,
                         gloo_cpu::GroupFactory& factory) {
  Diary diary;
  try {
    diary = diary_of(registry, parse_trace_request(request), factory);
  } catch (const c10::Error& error) {
    diary.error = error.what_without_backtrace();
  } catch (const std::exception& error) {
    diary.error = error.what();
  }
  if (!diary.error.empty()) factory.distrust();
  return to_bytes(diary);
}

}  // namespace attncheck::timing
