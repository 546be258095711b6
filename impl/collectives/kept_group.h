#pragma once

#include <memory>

#include <c10/util/intrusive_ptr.h>

namespace c10d {
class ProcessGroup;
}

namespace attncheck {

// A process group that a closure can keep alive without c10d's headers.
using KeptGroup = std::shared_ptr<c10d::ProcessGroup>;

KeptGroup keep(const c10::intrusive_ptr<c10d::ProcessGroup>& group);

}  // namespace attncheck
