#include "harness/drive/hunt_report.h"
#include "harness/drive/json_parts.h"

namespace attncheck {
namespace {

ReportJson forms_json(const Hunt& hunt) {
  ReportJson forms = ReportJson::array();
  for (const FormHunt& form : hunt.forms) {
    forms.push_back({{"backend", form.backend},
                     {"wrong_here", form.wrong_here},
                     {"caught", form.caught},
                     {"cases", form.cases},
                     {"case", case_json(form.case_)}});
  }
  return forms;
}

ReportJson hunt_json(const Hunt& hunt) {
  ReportJson json{{"name", hunt.name},
                  {"source", hunt.source},
                  {"state", to_text(hunt.state())},
                  {"caught", hunt.caught},
                  {"property", hunt.property},
                  {"cases", hunt.cases},
                  {"case", case_json(hunt.case_)}};
  if (!hunt.equivalent.empty()) json["equivalent"] = hunt.equivalent;
  if (!hunt.why_not.empty()) json["why_not"] = hunt.why_not;
  if (hunt.others) json["others"] = *hunt.others;
  if (!hunt.forms.empty()) json["forms"] = forms_json(hunt);
  return json;
}

}  // namespace

std::string report_json(const HuntReport& report) {
  ReportJson json = head_json(report);
  json["mutants"] = ReportJson::array();
  for (const Hunt& hunt : report.hunts) json["mutants"].push_back(hunt_json(hunt));
  return dumped(json);
}

}  // namespace attncheck
