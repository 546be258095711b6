#include "impl/sharding/plan.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <set>

#include <ATen/ops/tensor.h>
#include <c10/util/Exception.h>

#include "impl/collectives/exchange.h"
#include "problem/suggestion.h"

namespace attncheck {
namespace {

std::string list_of(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "'" : ", '") + name + "'";
  return text.empty() ? "none" : text;
}

template <typename Map>
std::vector<std::string> names_of(const Map& map) {
  std::vector<std::string> names;
  for (const auto& [name, value] : map) names.push_back(name);
  return names;
}

using Modules = std::map<std::string, std::shared_ptr<torch::nn::Module>>;

Modules modules_of(HookedModule& root) {
  Modules modules;
  for (const auto& item : root.named_modules()) modules[item.key()] = item.value();
  return modules;
}

HookedModule& module_named(const Modules& modules, const std::string& name) {
  const auto found = modules.find(name);
  const std::vector<std::string> known = names_of(modules);
  TORCH_CHECK(found != modules.end(), "the plan names a module '", name, "', which the model lacks",
              suggestion(name, known), "; it has ", list_of(known));
  auto* hooked = dynamic_cast<HookedModule*>(found->second.get());
  TORCH_CHECK(hooked != nullptr, "the plan names the module '", name,
              "', which takes no hooks: make it a HookedModule");
  return *hooked;
}

// "input 1 ('text') of module 'blocks.0'".
std::string place_text(const std::string& module, const char* side, const Cut& cut,
                       const std::vector<Port>& ports) {
  return std::string(side) + " " + std::to_string(cut.place) + " ('" + ports[cut.place].name +
         "') of module '" + module + "'";
}

std::string port_names(const std::vector<Port>& ports) {
  std::vector<std::string> names;
  for (const Port& port : ports) names.push_back(port.name);
  return list_of(names);
}

void check_cut(const std::string& module, const char* side, const Cut& cut,
               const std::vector<Port>& ports, const Sequences& sequences) {
  TORCH_CHECK(cut.place >= 0 && cut.place < static_cast<int64_t>(ports.size()), "the plan names ",
              side, " ", cut.place, " of module '", module, "', which has ", ports.size(), ": ",
              port_names(ports));
  const std::string place = place_text(module, side, cut, ports);
  TORCH_CHECK(cut.axis >= 0 && cut.axis < ports[cut.place].axes, "the plan cuts ", place,
              " along axis ", cut.axis, "; it has ", ports[cut.place].axes, " axes");
  TORCH_CHECK(sequences.count(cut.sequence) > 0, "the plan cuts ", place, " by the sequence '",
              cut.sequence, "', of which no lengths are given",
              suggestion(cut.sequence, names_of(sequences)), "; there is ",
              list_of(names_of(sequences)));
}

// Each place of the sequence once.
void check_order(const std::string& name, const Sequence& sequence) {
  if (sequence.order.empty()) return;
  std::vector<int64_t> places = sequence.order, all(total(sequence.lengths));
  std::sort(places.begin(), places.end());
  std::iota(all.begin(), all.end(), 0);
  TORCH_CHECK(places == all, "the order of the sequence '", name, "' does not have each of its ",
              all.size(), " places once");
}

void check_sequences(const Sequences& sequences, int ranks) {
  for (const auto& [name, sequence] : sequences) {
    const ShardLengths& lengths = sequence.lengths;
    TORCH_CHECK(static_cast<int>(lengths.size()) == ranks, "the sequence '", name, "' has ",
                lengths.size(), " lengths of shards for ", ranks, " ranks");
    for (int64_t length : lengths) {
      TORCH_CHECK(length >= 0, "the sequence '", name, "' has a shard of length ", length);
    }
    check_order(name, sequence);
  }
}

std::set<std::string> split_sequences(const Plan& plan) {
  std::set<std::string> split;
  for (const auto& [name, module] : plan) {
    for (const Cut& cut : module.split_inputs) split.insert(cut.sequence);
    for (const Cut& cut : module.split_outputs) split.insert(cut.sequence);
  }
  return split;
}

void check_module(const std::string& name, const ModulePlan& plan, const HookedModule& module,
                  const Sequences& sequences, const std::set<std::string>& split) {
  const Ports& ports = module.ports();
  for (const Cut& cut : plan.split_inputs) check_cut(name, "input", cut, ports.inputs, sequences);
  for (const Cut& cut : plan.split_outputs) {
    check_cut(name, "output", cut, ports.outputs, sequences);
  }
  for (const Cut& cut : plan.gather_outputs) {
    check_cut(name, "output", cut, ports.outputs, sequences);
    TORCH_CHECK(split.count(cut.sequence) > 0, "the plan gathers ",
                place_text(name, "output", cut, ports.outputs), " by the sequence '", cut.sequence,
                "', which it splits nowhere");
  }
}

void check_size(const std::string& place, const Cut& cut, const at::Tensor& x, int64_t expected) {
  TORCH_CHECK(x.dim() > cut.axis && x.size(cut.axis) == expected, place, " has shape ", x.sizes(),
              "; the sequence '", cut.sequence, "' has ", expected, " along axis ", cut.axis);
}

// x with its rows along the axis in that order.
at::Tensor reordered(const at::Tensor& x, int64_t axis, const std::vector<int64_t>& order) {
  return order.empty() ? x : x.index_select(axis, at::tensor(order, at::kLong).to(x.device()));
}

std::vector<int64_t> inverse(const std::vector<int64_t>& order) {
  std::vector<int64_t> back(order.size());
  for (size_t i = 0; i < order.size(); ++i) back[order[i]] = static_cast<int64_t>(i);
  return back;
}

HookedModule::Hook split_hook(const std::string& place, const Cut& cut, const Sequence& sequence,
                              const KeptGroup& group) {
  return [=](Tensors& tensors) {
    at::Tensor& x = tensors[cut.place];
    check_size(place, cut, x, total(sequence.lengths));
    x = split_axis(reordered(x, cut.axis, sequence.order), group, cut.axis, sequence.lengths);
  };
}

HookedModule::Hook gather_hook(const std::string& place, const Cut& cut, const Sequence& sequence,
                               const KeptGroup& group) {
  return [=, back = inverse(sequence.order)](Tensors& tensors) {
    at::Tensor& x = tensors[cut.place];
    check_size(place, cut, x, sequence.lengths[group_rank(*group)]);
    x = reordered(gather_axis(x, group, cut.axis, sequence.lengths), cut.axis, back);
  };
}

void hook_module(const std::string& name, const ModulePlan& plan, HookedModule& module,
                 const Sequences& sequences, const KeptGroup& group) {
  const Ports& ports = module.ports();
  const auto place = [&](const char* side, const Cut& cut, const std::vector<Port>& of) {
    return place_text(name, side, cut, of);
  };
  for (const Cut& cut : plan.split_inputs) {
    const Sequence& sequence = sequences.at(cut.sequence);
    module.before(split_hook(place("input", cut, ports.inputs), cut, sequence, group));
  }
  for (const Cut& cut : plan.split_outputs) {
    const Sequence& sequence = sequences.at(cut.sequence);
    module.after(split_hook(place("output", cut, ports.outputs), cut, sequence, group));
  }
  for (const Cut& cut : plan.gather_outputs) {
    const Sequence& sequence = sequences.at(cut.sequence);
    module.after(gather_hook(place("output", cut, ports.outputs), cut, sequence, group));
  }
}

}  // namespace

void apply_plan(HookedModule& root, const Plan& plan, const Sequences& sequences,
                const KeptGroup& group) {
  const Modules modules = modules_of(root);
  const std::set<std::string> split = split_sequences(plan);
  check_sequences(sequences, group_size(*group));
  for (const auto& [name, of_module] : plan) {
    check_module(name, of_module, module_named(modules, name), sequences, split);
  }
  for (const auto& [name, of_module] : plan) {
    hook_module(name, of_module, module_named(modules, name), sequences, group);
  }
}

}  // namespace attncheck
