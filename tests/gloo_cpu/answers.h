#pragma once

#include <string>

#include "gloo_cpu/group_factory.h"

namespace attncheck::gloo_cpu {

// The rank program of these tests: a request is a verb and the rest, as answers.cpp lists them.
std::string answer(const std::string& request, GroupFactory& groups);

}  // namespace attncheck::gloo_cpu
