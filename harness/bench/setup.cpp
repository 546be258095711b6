#include "harness/bench/setup.h"

#include <utility>

#include "harness/evaluate_rank.h"
#include "harness/sim_transport.h"
#include "problem/case_text.h"

namespace attncheck::bench {

std::map<std::string, std::shared_ptr<Transport>> sim_transports(const Registry& registry) {
  std::map<std::string, std::shared_ptr<Transport>> transports;
  transports["sim"] = std::make_shared<SimTransport>(
      [&registry](const std::string& request, const MeshGroups& groups) {
        return answer_request(registry, request, groups);
      });
  return transports;
}

std::shared_ptr<RunLab> sim_lab(const Registry& registry) {
  return std::make_shared<RunLab>(registry, sim_transports(registry));
}

std::vector<std::shared_ptr<RunLab>> sim_labs(const Registry& registry, size_t lanes) {
  std::vector<std::shared_ptr<RunLab>> labs;
  for (size_t lane = 0; lane < lanes; ++lane) labs.push_back(sim_lab(registry));
  return labs;
}

Request usual_request(const BenchSetup& setup, const std::string& transport) {
  Case c = parse_case(setup.usual_case);
  c.transport = transport;
  return base_request(c);
}

void observe_once(RunLab& lab, const Request& request) {
  lab.forget();
  lab.observe(request);
  lab.expected(request);
}

}  // namespace attncheck::bench
