#pragma once

#include "properties/property.h"

namespace attncheck {

// No rank throws, dies, hangs or deadlocks in the base run of a case that the subject supports.
// What did not happen again on fresh ranks is not_run.
Property supported_case_runs_to_the_end();

// A case that the subject refuses, run all the same, is an error on every rank before any of them
// returns: in phase forward or earlier, by a throw of its own (no deadlock, no death). Only
// refusals that a call can see are judged: the wish for a gradient of lse does not reach it.
Property refusal_is_an_error_on_every_rank();

}  // namespace attncheck
