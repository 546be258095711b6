#pragma once

#include <initializer_list>
#include <set>

#include "impl/contract/support.h"
#include "problem/case.h"
#include "properties/property.h"

namespace attncheck {

// Implementations, and backends alone.
std::set<SubjectKind> attention_subjects();

// What a property asks of a case; no, with the reason, for a case that it cannot judge.
Support needs_attention(const Case& c);       // no collective, no tagged data, none past float16
Support needs_lse(const Case& c);             // return_lse=1
Support needs_gradient(const Case& c);        // one of q, k, v requires grad
Support needs_world(const Case& c);           // more than one rank
Support needs_mild_scores(const Case& c);     // data=normal or data=offset
Support needs_exact_integers(const Case& c);  // float64 or float32
Support needs_empty_rows(const Case& c);      // some query may see no key
Support needs_view(const Case& c);            // view= other than none
Support needs_no_additive_mask(const Case& c);
Support needs_free_keys(const Case& c);     // the place of a key hides it from no query
Support needs_several_keys(const Case& c);  // two or more
Support needs_remote_keys(const Case& c);   // some query sees a key of another rank

// The first no, or yes.
Support all_of(std::initializer_list<Support> needs);

}  // namespace attncheck
