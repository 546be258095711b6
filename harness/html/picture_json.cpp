#include "harness/html/picture_json.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace attncheck {
namespace {

using Json = ReportJson;
using Fate = Contribution::Fate;

// A page is some thousand pixels wide at most.
constexpr size_t kMostPoints = 1024;

const char* word_of(Fate fate) {
  switch (fate) {
    case Fate::none:
      return "none";
    case Fate::ok:
      return "ok";
    case Fate::missing:
      return "missing";
    case Fate::doubled:
      return "doubled";
    case Fate::delivered:
      return "delivered";
    case Fate::wrong:
      return "wrong";
  }
  return "";
}

void add_matrix(Json& list, const char* name, const std::optional<ContributionMatrix>& matrix) {
  if (!matrix) return;
  Json rows = Json::array();
  for (const auto& row : *matrix) {
    Json cells = Json::array();
    for (const Contribution& cell : row) {
      cells.push_back(Json::array({word_of(cell.fate), Json(cell.at)}));
    }
    rows.push_back(std::move(cells));
  }
  list.push_back({{"name", name}, {"rows", std::move(rows)}});
}

Json check_json(const ValueCheck& check) {
  return {{"name", check.name},
          {"ok", check.ok},
          {"error", std::isfinite(check.error) ? Json(check.error) : Json()},
          {"bound", check.bound}};
}

// Three digits are what a picture shows.
Json short_number(double number) {
  if (!std::isfinite(number)) return Json();
  return Json::parse(fmt::format("{:.3g}", number));
}

Json errors_json(const TokenErrors& errors) {
  const size_t count = errors.tokens.size();
  const size_t step = std::max<size_t>(1, (count + kMostPoints - 1) / kMostPoints);
  Json share = Json::array(), error = Json::array(), owner = Json::array();
  for (size_t first = 0; first < count; first += step) {
    const auto begin = errors.tokens.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = begin + static_cast<std::ptrdiff_t>(std::min(step, count - first));
    const auto worst = std::max_element(
        begin, end, [](const TokenError& a, const TokenError& b) { return a.share < b.share; });
    share.push_back(short_number(worst->share));
    error.push_back(short_number(worst->error));
    owner.push_back(worst->owner);
  }
  return {{"tensor", errors.tensor}, {"tokens", count}, {"step", step},
          {"share", share},          {"error", error},  {"owner", owner}};
}

}  // namespace

Json picture_json(const FailurePicture& picture) {
  Json json{{"why_none", picture.why_none},
            {"same_as", number_json(picture.same_as)},
            {"matrices", Json::array()},
            {"sums", Json::array()},
            {"queries", Json::array()},
            {"notes", Json::array()},
            {"first_step", ""},
            {"errors", Json::array()}};
  if (picture.provenance) {
    const Provenance& provenance = *picture.provenance;
    add_matrix(json["matrices"], "out", provenance.out);
    add_matrix(json["matrices"], "dQ", provenance.dq_parts);
    add_matrix(json["matrices"], "dK", provenance.dk);
    add_matrix(json["matrices"], "dV", provenance.dv);
    for (const ValueCheck& check : provenance.sums) json["sums"].push_back(check_json(check));
    for (const ValueCheck& check : provenance.dq) json["queries"].push_back(check_json(check));
    json["first_step"] = provenance.first_wrong_step;
    json["notes"] = provenance.notes;
  }
  for (const TokenErrors& errors : picture.errors) json["errors"].push_back(errors_json(errors));
  return json;
}

}  // namespace attncheck
