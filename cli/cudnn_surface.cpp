#include "cli/cudnn_surface.h"

#include <algorithm>
#include <functional>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "impl/backends/cuda_support.h"
#include "problem/case_text.h"

namespace attncheck::cli {
namespace {

struct Feature {
  std::string name;
  std::function<void(Problem&)> apply;
};

const std::vector<Feature>& features() {
  static const std::vector<Feature> all{
      {"plain", [](Problem&) {}},
      {"causal", [](Problem& p) { p.causal = true; }},
      {"mask", [](Problem& p) { p.mask = Mask::additive; }},
      {"grouped", [](Problem& p) { p.kv_heads = 2; }},
      {"q=1", [](Problem& p) { p.q_len = 1; }},
      {"kv=1", [](Problem& p) { p.kv_len = 1; }},
      {"q=kv=1", [](Problem& p) { p.q_len = p.kv_len = 1; }},
  };
  return all;
}

struct HeadDim {
  int64_t qk, v;
};
constexpr HeadDim kHeadDims[] = {{8, 8},     {63, 63},  {64, 64},   {72, 72},
                                 {128, 128}, {128, 64}, {192, 128}, {256, 256}};
constexpr DType kDTypes[] = {DType::bf16, DType::f16, DType::f32};

Problem surface_problem(DType dtype, const HeadDim& head_dim) {
  Problem p;
  p.batch = 2;
  p.heads = p.kv_heads = 4;
  p.q_len = 100;
  p.kv_len = 130;
  p.dtype = dtype;
  p.head_dim = head_dim.qk;
  p.v_head_dim = head_dim.v;
  return p;
}

SurfacePoint ask_point(int sm, const std::string& feature, const Problem& problem) {
  return {sm,
          feature,
          problem,
          ask_cudnn(problem, sm),
          cudnn_takes_forward(problem, sm),
          cudnn_takes_backward(problem, sm),
          cudnn_support(problem, sm).ok};
}

std::string row_name(const Problem& p) {
  return fmt::format("{:<5} {:>3}{:<5}", to_text(p.dtype), p.head_dim,
                     p.v_head_dim == p.head_dim ? "" : fmt::format("/{}", p.v_head_dim));
}

// "eng9" of "eng9_k24=7".
std::string engine_name(const CudnnPass& pass) {
  return pass.support ? pass.engine.substr(0, pass.engine.find('_')) : "-";
}

std::string cell(const CudnnAnswer& answer) {
  return engine_name(answer.forward) + " " + engine_name(answer.backward);
}

std::string table_of(const CudnnSurface& surface, int sm) {
  std::string text = fmt::format("SM {}.{}, forward and backward engine\n{:<15}", sm / 10, sm % 10,
                                 "dtype head_dim");
  for (const Feature& feature : features()) text += fmt::format(" {:<11}", feature.name);
  std::string row;
  for (const SurfacePoint& point : surface.points) {
    if (point.sm != sm) continue;
    if (row != row_name(point.problem)) text += "\n" + (row = row_name(point.problem)) + " ";
    text += fmt::format(" {:<11}", cell(point.answer));
  }
  return text + "\n\n";
}

// In letters where the sizes are those of the problem.
std::string stats_text(const SurfacePoint& point) {
  const std::vector<int64_t>& shape = point.answer.stats_shape;
  const Problem& p = point.problem;
  if (shape == std::vector<int64_t>{p.batch, p.heads, p.q_len, 1}) return "(B, H, Sq, 1)";
  return fmt::format("({})", fmt::join(shape, ", "));
}

std::string counted(const std::string& title, const std::map<std::string, int>& lines) {
  std::string text = title + "\n";
  for (const auto& [line, count] : lines) text += fmt::format("{:>6}  {}\n", count, line);
  return text;
}

std::string stats_lines(const CudnnSurface& surface) {
  std::map<std::string, int> shapes;
  for (const SurfacePoint& point : surface.points) {
    if (!point.answer.stats_shape.empty()) ++shapes[stats_text(point)];
  }
  return counted("Stats, problems", shapes);
}

std::string refusal_lines(const CudnnSurface& surface) {
  std::map<std::string, int> reasons;
  for (const SurfacePoint& point : surface.points) {
    const CudnnAnswer& a = point.answer;
    if (!a.forward.support) ++reasons["forward, " + a.forward.support.reason];
    if (!a.backward.support) ++reasons["backward, " + a.backward.support.reason];
  }
  return counted("refused, problems", reasons);
}

std::string point_name(const SurfacePoint& point) {
  return fmt::format("SM {}.{} {} {}", point.sm / 10, point.sm % 10, row_name(point.problem),
                     point.feature);
}

const char* yes_or_no(bool yes) {
  return yes ? "yes" : "no";
}

std::string difference_line(const SurfacePoint& point) {
  return fmt::format("differs  {}: forward {}, backward {}; by the rules of 9.19 {}, {}\n",
                     point_name(point), yes_or_no(point.answer.forward.support.ok),
                     yes_or_no(point.answer.backward.support.ok), yes_or_no(point.forward_rule.ok),
                     yes_or_no(point.backward_rule.ok));
}

std::string rule_lines(const CudnnSurface& surface) {
  std::string text;
  int64_t agree = 0, supported = 0;
  for (const SurfacePoint& point : surface.points) {
    agree += point.rules_agree() ? 1 : 0;
    supported += point.supported ? 1 : 0;
    if (!point.rules_agree()) text += difference_line(point);
    if (point.promised_too_much()) {
      text += fmt::format("FAIL     {}: the backend cudnn supports it, this cuDNN does not\n",
                          point_name(point));
    }
  }
  return text + fmt::format(
                    "{} problems: cuDNN answers by the rules of 9.19 on {}; the backend "
                    "cudnn supports {}\n",
                    surface.points.size(), agree, supported);
}

}  // namespace

bool SurfacePoint::rules_agree() const {
  return forward_rule.ok == answer.forward.support.ok &&
         backward_rule.ok == answer.backward.support.ok;
}

bool SurfacePoint::promised_too_much() const {
  return supported && !(answer.forward.support && answer.backward.support);
}

int CudnnSurface::exit_code() const {
  return std::any_of(points.begin(), points.end(),
                     [](const SurfacePoint& point) { return point.promised_too_much(); })
             ? 1
             : 0;
}

std::vector<SurfacePoint> ask_surface(const std::vector<int>& devices) {
  std::vector<SurfacePoint> points;
  for (const int sm : devices) {
    for (const DType dtype : kDTypes) {
      for (const HeadDim& head_dim : kHeadDims) {
        for (const Feature& feature : features()) {
          Problem problem = surface_problem(dtype, head_dim);
          feature.apply(problem);
          points.push_back(ask_point(sm, feature.name, problem));
        }
      }
    }
  }
  return points;
}

std::string surface_text(const CudnnSurface& surface) {
  std::string text = fmt::format("cuDNN {}, asked without a GPU\n\n", surface.cudnn);
  for (const int sm : surface.devices) text += table_of(surface, sm);
  return text + stats_lines(surface) + refusal_lines(surface) + rule_lines(surface);
}

}  // namespace attncheck::cli
