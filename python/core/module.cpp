// attncheck._core: what a rank process in Python runs.

#include <torch/version.h>

#include "gloo_cpu/serve_rank.h"
#include "harness/callables/registration.h"
#include "harness/isolated_mesh.h"
#include "harness/process_transport.h"
#include "harness/timing/diary.h"
#include "harness/timing/timed_rank.h"
#include "harness/timing/timing_request.h"
#include "harness/timing/traced_rank.h"
#include "python/core/calls.h"
#include "python/core/python_groups.h"
#include "python/core/rank_registry.h"
#include "python/core/simulated_ranks.h"

namespace attncheck::python {
namespace {

// Python objects that live as long as the process: nothing is destroyed without the GIL.
const py::object& kept(const py::handle& object) {
  return *new py::object(py::reinterpret_borrow<py::object>(object));
}

CallableDescription description_of(const py::handle& callable) {
  const auto takes = callable.attr("takes").cast<std::vector<std::string>>();
  return {callable.attr("name").cast<std::string>(), {takes.begin(), takes.end()}};
}

Registry registry_of(const py::list& implementations, const py::list& backends) {
  Registry registry = rank_registry();
  for (const py::handle& one : implementations) {
    const CallableDescription callable = description_of(one);
    add_callable(registry, callable, python_implementation(callable, kept(one)));
  }
  for (const py::handle& one : backends) {
    const CallableDescription callable = description_of(one);
    add_callable(registry,
                 python_backend(callable, kept(one.attr("forward")), kept(one.attr("backward"))));
  }
  return registry;
}

int serve_mesh(const py::list& implementations, const py::list& backends, const py::object& world) {
  const Registry registry = registry_of(implementations, backends);
  const py::object& groups = kept(world);
  const py::gil_scoped_release released;
  return serve_isolated_mesh(registry, python_ranks(groups));
}

int serve(const py::list& implementations, const py::list& backends, const py::object& world) {
  const Registry registry = registry_of(implementations, backends);
  const py::object& groups = kept(world);
  const py::gil_scoped_release released;
  const auto times = [&registry](const std::string& request, gloo_cpu::GroupFactory& own) {
    return timing::answer_timing(registry, request, own);
  };
  const auto trace = [&registry](const std::string& request, gloo_cpu::GroupFactory& own) {
    return timing::answer_trace(registry, request, own);
  };
  return serve_rank_process(
      registry, {{timing::kTimingWord, times}, {timing::kTraceWord, trace}},
      [&groups](const gloo_cpu::RankPlace& place) { return python_groups(place, groups); });
}

}  // namespace
}  // namespace attncheck::python

PYBIND11_MODULE(_core, module) {
  module.doc() = "The part of attncheck that runs in rank processes.";
  module.attr("torch_version") = TORCH_VERSION;
  module.def("serve", &attncheck::python::serve, py::arg("implementations"), py::arg("backends"),
             py::arg("world"), "Answers the requests of the program that started this process.");
  module.def("is_mesh", &attncheck::is_isolated_mesh,
             "Whether this process was started for all ranks of a simulated mesh, not for one.");
  module.def("serve_mesh", &attncheck::python::serve_mesh, py::arg("implementations"),
             py::arg("backends"), py::arg("world"), "serve() of a process that is_mesh().");
  module.def("simulated_backend", &attncheck::python::simulated_backend, py::arg("ranks"),
             py::arg("name"), "The part that the rank of this thread has in a new group.");
}
