#pragma once

#include "properties/property.h"

namespace attncheck {

// All of these judge what a transport that sees every exchange saw (RankTrace); on another
// transport they are unsupported.

// No rank drops a Work before it waited for it, reads the output of an exchange before that,
// writes an input or an output of one before that, or gives an exchange an output that overlaps its
// input.
Property every_work_is_waited_for();

// In every group the ranks post the same collectives in the same order, with sizes, splits, dtypes,
// reductions and roots that fit, and every message that is sent is received with its tag, size and
// dtype.
Property collectives_match_on_all_ranks();

// Runs in which other ranks go first at each exchange (one order drawn uniformly, one by PCT with
// two changes of priority, from the case's seed) give the bits of the plain run, and no error that
// it does not have.
Property schedule_does_not_matter();

// What a rank receives in the forward pass, and in the backward pass, is what reference/traffic.h
// says for the method that the implementation declares, byte for byte. Of an implementation that
// declares none: some rank receives something, where a query sees a key of another rank.
Property bytes_match_theory();

}  // namespace attncheck
