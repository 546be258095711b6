#include "harness/contracts/table_file.h"

#include <stdexcept>

#include <nlohmann/json.hpp>

#include "harness/contracts/operator_call.h"

namespace attncheck {
namespace {

using TableJson = nlohmann::ordered_json;
using reference::ContractTable;
using reference::KernelContract;
using reference::Release;
using reference::ReturnedTensor;

TableJson row_json(const KernelContract& row) {
  TableJson returns = TableJson::array();
  for (const ReturnedTensor& tensor : row.returns) {
    returns.push_back({{"name", tensor.name},
                       {"position", tensor.position},
                       {"shape", tensor.shape},
                       {"dtype", tensor.dtype},
                       {"memory", tensor.memory},
                       {"empty_rows", tensor.empty_rows}});
  }
  return {{"op", row.op},
          {"device", row.device},
          {"first", to_text(row.first)},
          {"last", to_text(row.last)},
          {"schema", row.schema},
          {"returns", returns},
          {"note", row.note},
          {"source", row.source}};
}

Release release_of(const TableJson& json) {
  const std::string text = json;
  const std::optional<Release> release = reference::parse_release(text);
  if (!release) throw std::invalid_argument("'" + text + "' is no release: 2.9");
  return *release;
}

ReturnedTensor returned_tensor(const TableJson& json) {
  return {json.at("name"),  json.at("position"), json.at("shape"),
          json.at("dtype"), json.at("memory"),   json.at("empty_rows")};
}

KernelContract table_row(const TableJson& json) {
  KernelContract row;
  row.op = json.at("op");
  row.device = json.at("device");
  row.first = release_of(json.at("first"));
  row.last = release_of(json.at("last"));
  row.schema = json.at("schema");
  for (const TableJson& tensor : json.at("returns")) row.returns.push_back(returned_tensor(tensor));
  row.note = json.at("note");
  row.source = json.at("source");
  in_dispatchers_words(row.op, row.schema);  // throws for what is no schema
  return row;
}

}  // namespace

std::string table_json(const ContractTable& table) {
  TableJson json{{"contracts", TableJson::array()}};
  for (const KernelContract& row : table) json["contracts"].push_back(row_json(row));
  return json.dump(2) + "\n";
}

ContractTable parse_table(const std::string& text) {
  ContractTable table;
  try {
    const TableJson json = TableJson::parse(text);
    for (const TableJson& row : json.at("contracts")) table.push_back(table_row(row));
  } catch (const TableJson::exception& error) {
    throw std::invalid_argument(error.what());
  }
  const std::string fault = reference::fault_of(table);
  if (!fault.empty()) throw std::invalid_argument(fault);
  return table;
}

}  // namespace attncheck
