#pragma once

#include <functional>

namespace attncheck::sim {

// Makes the wait that it is given, once, on the calling thread (RunOptions::around_wait).
using AroundWait = std::function<void(const std::function<void()>& wait)>;

}  // namespace attncheck::sim
