#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "properties/compare.h"
#include "properties/lab.h"
#include "properties/verdict.h"

namespace attncheck {

// The case's run with a cotangent of out alone, whatever the case says of the log-sum-exp. It is
// the base run of a case with dlse=0.
Request plain_request(const Case& c);
// The forward pass alone, with edits.
Request forward_request(const Case& c, ValueEdit value = ValueEdit::none,
                        ScoreEdit score = ScoreEdit::none);
// The case's backend alone on the whole problem: impl=local, mesh 1x1; of a subject that is a
// backend alone, that subject.
Case local_case(const Case& c, Lab& lab);

// "out", and "lse" where it is returned; those of "dq", "dk", "dv" that the case asks for; both.
std::vector<std::string> forward_tensors(const Case& c);
std::vector<std::string> gradient_tensors(const Case& c);
std::vector<std::string> all_tensors(const Case& c);

// The reference's value and bound of a tensor by its name; undefined for a gradient of a run
// without backward. Throws c10::Error for another name.
const at::Tensor& value_of(const Expected& expected, const std::string& tensor);
const at::Tensor& bound_of(const Expected& expected, const std::string& tensor);

// not_run with the reason, when the run ended before every rank gave the tensor: a rank died once
// and not again, the subject refused, or an error came first. A tensor that is missing without an
// error is for the property to judge.
std::optional<Verdict> nothing_to_judge(const Observation& observation, const std::string& tensor);
// not_run when any rank ended early.
std::optional<Verdict> ended_early(const Observation& observation);

// The worst judgement over those of the tensors that the run got far enough to give; not_run when
// there are none.
Verdict judge_each(const Observation& observation, const std::vector<std::string>& tensors,
                   const std::function<Verdict(const std::string& tensor)>& judge);

// Tells what the values of a failed comparison were compared with, when that was not the reference:
// "dq of rank 1 differs from WHAT: error ..., bound ...".
Verdict compared_with(const std::string& what, Verdict verdict);

}  // namespace attncheck
