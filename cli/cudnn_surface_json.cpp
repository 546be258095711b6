#include <nlohmann/json.hpp>

#include "cli/cudnn_surface.h"
#include "problem/case_text.h"

namespace attncheck::cli {
namespace {

using SurfaceJson = nlohmann::ordered_json;

SurfaceJson pass_json(const CudnnPass& pass, const Support& rule) {
  return {{"supported", pass.support.ok},
          {"reason", pass.support.reason},
          {"engine", pass.engine},
          {"rule", rule.ok},
          {"rule_reason", rule.reason}};
}

SurfaceJson point_json(const SurfacePoint& point) {
  const Problem& p = point.problem;
  return {{"sm", point.sm},
          {"feature", point.feature},
          {"dtype", to_text(p.dtype)},
          {"b", p.batch},
          {"q", p.q_len},
          {"kv", p.kv_len},
          {"h", p.heads},
          {"hkv", p.kv_heads},
          {"d", p.head_dim},
          {"dv", p.v_head_dim},
          {"forward", pass_json(point.answer.forward, point.forward_rule)},
          {"backward", pass_json(point.answer.backward, point.backward_rule)},
          {"stats", point.answer.stats_shape},
          {"supports", point.supported}};
}

}  // namespace

std::string surface_json(const CudnnSurface& surface) {
  SurfaceJson json{{"attncheck", surface.version},
                   {"libtorch", surface.libtorch},
                   {"cudnn", surface.cudnn},
                   {"sm", surface.devices}};
  json["surface"] = SurfaceJson::array();
  for (const SurfacePoint& point : surface.points) json["surface"].push_back(point_json(point));
  return json.dump(2, ' ', false, SurfaceJson::error_handler_t::replace) + "\n";
}

}  // namespace attncheck::cli
