#include <algorithm>

#include <fmt/format.h>

#include "harness/drive/contribution_table.h"
#include "harness/drive/contribution_text.h"
#include "harness/drive/provenance.h"
#include "problem/case_text.h"

namespace attncheck {
namespace {

using Fate = Contribution::Fate;

bool has(const std::optional<ContributionMatrix>& matrix, Fate fate) {
  if (!matrix) return false;
  return std::any_of(matrix->begin(), matrix->end(), [fate](const auto& row) {
    return std::any_of(row.begin(), row.end(),
                       [fate](const Contribution& c) { return c.fate == fate; });
  });
}

const ValueCheck* sum_of(const Provenance& provenance, const std::string& name) {
  for (const ValueCheck& check : provenance.sums) {
    if (check.name == name) return &check;
  }
  return nullptr;
}

// "right sum, wrong owner" or "wrong value".
std::string conclusion(const std::string& name, const std::optional<ContributionMatrix>& matrix,
                       const Provenance& provenance) {
  const ValueCheck* sum = sum_of(provenance, name);
  if (!matrix || sum == nullptr) return "";
  const bool fault = std::any_of(matrix->begin(), matrix->end(), [](const auto& row) {
    return std::any_of(row.begin(), row.end(), [](const Contribution& c) { return c.fault(); });
  });
  std::string text = fmt::format("  {}: the sum over ranks is {} (error {:.3g}, bound {:.3g})",
                                 name, sum->ok ? "right" : "wrong", sum->error, sum->bound);
  if (!fault && sum->ok) return text + "\n";
  const bool moved = has(matrix, Fate::delivered);
  return text + (sum->ok && moved ? ": right sum, wrong owner\n"
                 : sum->ok        ? ": the shards are wrong, and cancel\n"
                 : moved          ? ": wrong owner and wrong sum\n"
                                  : ": wrong value\n");
}

std::string wrong_dq_text(const Provenance& provenance) {
  std::string text;
  for (const ValueCheck& check : provenance.dq) {
    if (check.ok) continue;
    text += fmt::format("  {} is wrong (error {:.3g}, bound {:.3g})\n", check.name, check.error,
                        check.bound);
  }
  if (text.empty() && !provenance.dq.empty()) text = "  dQ is right on every rank\n";
  return text;
}

}  // namespace

std::string provenance_text(const Provenance& provenance) {
  std::string text = "case: " + to_text(provenance.case_) + "\n\n";
  if (provenance.out) text += forward_text(*provenance.out) + "\n";
  if (provenance.dq_parts) text += query_gradient_text(*provenance.dq_parts) + "\n";
  if (provenance.dk) text += gradient_text("dK", *provenance.dk) + "\n";
  if (provenance.dv) text += gradient_text("dV", *provenance.dv) + "\n";
  text += contribution_legend(static_cast<size_t>(provenance.case_.mesh.world())) + "\n";
  text += conclusion("dK", provenance.dk, provenance) + conclusion("dV", provenance.dv, provenance);
  text += wrong_dq_text(provenance);
  if (!provenance.first_wrong_step.empty()) text += "  " + provenance.first_wrong_step + "\n";
  for (const std::string& note : provenance.notes) text += "  note: " + note + "\n";
  text += provenance.fault() ? "a fault is shown\n"
                             : "no fault is shown: of out, and of gradients by a cotangent of out; "
                               "replay judges lse as well\n";
  return text;
}

}  // namespace attncheck
