#include "harness/drive/json_parts.h"
#include "harness/drive/matrix_report.h"

namespace attncheck {
namespace {

ReportJson pair_json(const MatrixPair& pair) {
  ReportJson by_seed = ReportJson::array();
  for (const std::optional<int64_t>& cases : pair.caught) by_seed.push_back(number_json(cases));
  ReportJson json{{"property", pair.property}, {"verdict", to_text(pair.verdict)},
                  {"kills", pair.kills()},     {"cases", number_json(pair.cases())},
                  {"by_seed", by_seed},        {"by_listed", pair.by_listed},
                  {"judged", pair.judged}};
  if (!pair.reason.empty()) json["reason"] = pair.reason;
  return json;
}

ReportJson row_json(const MatrixRow& row) {
  ReportJson json{
      {"name", row.name},         {"source", row.source},         {"state", to_text(row.state())},
      {"property", row.property}, {"equivalent", row.equivalent}, {"cases", row.cases},
      {"runs", row.runs},         {"seconds", row.seconds}};
  json["pairs"] = ReportJson::array();
  for (const MatrixPair& pair : row.pairs) json["pairs"].push_back(pair_json(pair));
  return json;
}

ReportJson column_json(const MatrixColumn& column) {
  return {{"name", column.property},
          {"kills", column.kills},
          {"cases", number_json(column.cases)},
          {"alone", column.alone},
          {"first", column.first}};
}

}  // namespace

std::string report_json(const KillMatrix& matrix) {
  ReportJson json{{"attncheck", matrix.version},
                  {"libtorch", matrix.libtorch},
                  {"seeds", matrix.seeds},
                  {"cases", matrix.cases},
                  {"seconds", matrix.seconds}};
  json["properties"] = ReportJson::array();
  for (const MatrixColumn& column : columns_of(matrix)) {
    json["properties"].push_back(column_json(column));
  }
  json["matrix"] = ReportJson::array();
  for (const MatrixRow& row : matrix.rows) json["matrix"].push_back(row_json(row));
  return dumped(json);
}

}  // namespace attncheck
