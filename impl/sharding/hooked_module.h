#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

namespace attncheck {

using Tensors = std::vector<at::Tensor>;

// A tensor that a module takes or returns: its name, and how many axes it has.
struct Port {
  std::string name;
  int64_t axes = 0;
};

struct Ports {
  std::vector<Port> inputs, outputs;
};

// A torch::nn::Module that is called through its hooks: LibTorch's own has none. Whoever calls it
// writes module({x, y}); a subclass says what it takes and returns, and computes in `run`.
class HookedModule : public torch::nn::Module {
 public:
  // Reads the tensors, or puts others in their places.
  using Hook = std::function<void(Tensors&)>;

  explicit HookedModule(Ports ports) : ports_(std::move(ports)) {}

  // Runs the hooks on the inputs, the module, and the hooks on the outputs, in the order in which
  // they were added. Throws for another number of tensors than the ports say.
  Tensors operator()(Tensors inputs);

  const Ports& ports() const { return ports_; }
  void before(Hook hook) { before_.push_back(std::move(hook)); }
  void after(Hook hook) { after_.push_back(std::move(hook)); }

 private:
  virtual Tensors run(const Tensors& inputs) = 0;

  const Ports ports_;
  std::vector<Hook> before_, after_;
};

}  // namespace attncheck
