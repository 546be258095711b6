#include "harness/drive/support_table.h"

#include <algorithm>

#include "harness/drive/features.h"
#include "harness/drive/support_rows.h"

namespace attncheck {
namespace {

const std::vector<Mesh> kMeshes{{2, 1}, {3, 1}, {4, 1}, {1, 2}, {1, 3},
                                {1, 4}, {2, 2}, {3, 2}, {2, 3}};

// Reasons, each with a number of its own.
class Notes {
 public:
  std::string refer(const std::string& reason) {
    auto found = std::find(reasons_.begin(), reasons_.end(), reason);
    if (found == reasons_.end()) found = reasons_.insert(reasons_.end(), reason);
    return "(" + std::to_string(found - reasons_.begin() + 1) + ")";
  }

  std::string text() const {
    std::string text;
    for (size_t i = 0; i < reasons_.size(); ++i) {
      text += "- (" + std::to_string(i + 1) + ") " + reasons_[i] + "\n";
    }
    return text;
  }

 private:
  std::vector<std::string> reasons_;
};

// What supports() said on all meshes on which the rows say something.
struct Answer {
  int asked = 0, done = 0;
  std::string mesh, reason;  // of the first refusal

  bool yes() const { return asked > 0 && done == asked; }
};

bool speaks(const SupportRow& row, const Mesh& mesh) {
  return (!row.needs_ring || mesh.ring > 1) && (!row.needs_ulysses || mesh.ulysses > 1);
}

class Table {
 public:
  Table(const std::string& impl, const std::vector<BackendColumn>& backends,
        const SupportsCase& supports)
      : impl_(impl), backends_(backends), supports_(supports), rows_(support_rows()) {
    for (const Mesh& mesh : kMeshes) {
      if (does(mesh)) meshes_.push_back(mesh);
    }
  }

  std::string text() {
    std::string lines = "| asked for |", rule = "| --- |";
    for (const BackendColumn& backend : backends_) {
      lines += " " + backend.name + " |";
      rule += " --- |";
    }
    lines += "\n" + rule + "\n";
    for (const SupportRow& row : rows_) lines += line(row);
    const std::string pairs = refused_pairs();
    return "Asked on the meshes " + mesh_names() + ".\n\n" + lines + "\n" + pairs + "\n" +
           notes_.text();
  }

 private:
  Case plain(const BackendColumn& backend, const Mesh& mesh) const {
    StreamSpec spec;
    spec.impl = impl_;
    spec.backend = backend.name;
    spec.lse = backend.lse;
    spec.dtype = backend.dtype;
    return plain_case(spec, mesh);
  }

  bool does(const Mesh& mesh) const {
    return std::any_of(backends_.begin(), backends_.end(), [&](const BackendColumn& backend) {
      return supports_(plain(backend, mesh)).ok;
    });
  }

  std::string mesh_names() const {
    std::string names;
    for (const Mesh& mesh : meshes_) names += (names.empty() ? "" : ", ") + to_text(mesh);
    return names;
  }

  std::string line(const SupportRow& row) {
    std::string text = "| " + row.label + " |";
    for (const BackendColumn& backend : backends_) text += " " + cell(row, backend) + " |";
    return text + "\n";
  }

  std::string cell(const SupportRow& row, const BackendColumn& backend) {
    if (!row.set) return "no " + notes_.refer("no case can ask for it");
    const Answer answer = ask(backend, {&row});
    if (answer.asked == 0) return "-";
    if (answer.yes()) return "yes";
    if (answer.done == 0) return "no " + notes_.refer(answer.reason);
    return "part " + notes_.refer("on " + answer.mesh + ": " + answer.reason);
  }

  Answer ask(const BackendColumn& backend, const std::vector<const SupportRow*>& rows) const {
    Answer answer;
    for (const Mesh& mesh : meshes_) {
      Case c = plain(backend, mesh);
      bool all_speak = true;
      for (const SupportRow* row : rows) {
        all_speak = all_speak && speaks(*row, mesh);
        row->set(c);
      }
      if (!all_speak) continue;
      const Support support = supports_(c);
      ++answer.asked, answer.done += support.ok ? 1 : 0;
      if (!support && answer.mesh.empty())
        answer.mesh = to_text(mesh), answer.reason = support.reason;
    }
    return answer;
  }

  // Rows that are done each alone and not together.
  std::string refused_pairs() {
    std::string lines;
    for (size_t i = 0; i < rows_.size(); ++i) {
      for (size_t j = i + 1; j < rows_.size(); ++j) lines += refused_pair(rows_[i], rows_[j]);
    }
    if (lines.empty()) return "Any two rows that are \"yes\" are \"yes\" together.\n";
    return "Any two rows that are \"yes\" are \"yes\" together, but for\n\n" + lines;
  }

  std::string refused_pair(const SupportRow& a, const SupportRow& b) {
    if (!a.set || !b.set) return "";
    std::string names, reason;
    for (const BackendColumn& backend : backends_) {
      if (!ask(backend, {&a}).yes() || !ask(backend, {&b}).yes()) continue;
      const Answer both = ask(backend, {&a, &b});
      if (both.asked == both.done) continue;
      names += (names.empty() ? "" : ", ") + backend.name;
      if (reason.empty()) reason = "on " + both.mesh + ": " + both.reason;
    }
    if (names.empty()) return "";
    return "- " + a.label + "; " + b.label + ": no on " + names + " " + notes_.refer(reason) + "\n";
  }

  const std::string& impl_;
  const std::vector<BackendColumn>& backends_;
  const SupportsCase& supports_;
  const std::vector<SupportRow> rows_;
  std::vector<Mesh> meshes_;
  Notes notes_;
};

}  // namespace

std::string support_table(const std::string& impl, const std::vector<BackendColumn>& backends,
                          const SupportsCase& supports) {
  return Table(impl, backends, supports).text();
}

}  // namespace attncheck
