#pragma once

#include <functional>
#include <string>

#include "impl/autograd/attention_function.h"
#include "impl/contract/collective.h"
#include "impl/contract/implementation.h"
#include "impl/contract/method.h"
#include "impl/support/limits.h"

namespace attncheck {

using PassMaker = std::function<AttentionPass(const AttentionOptions&, const MeshGroups&)>;

// A right attention as the building blocks give it: what it can do, and the pass of one call. A
// mutant changes the pass and keeps the rest.
struct Parent {
  Limits limits;
  PassMaker pass;
  Method method = Method::other;  // other: it moves more, less or otherwise than a method does
};

Parent ring_parent();          // meshes Rx1
Parent ulysses_parent();       // meshes 1xU
Parent unified_parent();       // any mesh
Parent allgather_kv_parent();  // meshes Rx1

// As an implementation that autograd differentiates. Supports what the parent's limits say, and
// refuses the rest on every rank before it communicates.
Implementation implementation_of(const std::string& name, const Parent& parent);

// The same attention on a backend of its own, whatever the options say.
Implementation on_backend(const Implementation& implementation, const Backend& backend);

using PassForward = decltype(AttentionPass::forward);
using PassBackward = decltype(AttentionPass::backward);

// The parent with another forward, or another backward, made of the right one.
Parent with_forward(const Parent& parent, std::function<PassForward(PassForward)> change);
Parent with_backward(const Parent& parent, std::function<PassBackward(PassBackward)> change);

// The built-in collective of that name. Throws if there is none.
Collective built_in_collective(const std::string& name);

}  // namespace attncheck
