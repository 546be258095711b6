#pragma once

#include "harness/registry.h"

namespace attncheck {

// A ring whose rank 1 misbehaves wherever there are at least three keys. By name: "aborts", "exits"
// (with status 7), "sleeps" (for ever), "throws"; and what happens once in the life of a parent and
// never again: "aborts_once", "killed_once", "stopped_once", "throws_once". Also
// "ring", "ulysses", "unified" and "allgather_kv" as they are, every built-in backend, and
// misbehaving_subjects().
Registry faulty_subjects();

}  // namespace attncheck
