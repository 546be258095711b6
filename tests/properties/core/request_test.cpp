#include "properties/request.h"

#include <gtest/gtest.h>

#include "problem/case_text.h"

namespace attncheck {
namespace {

Case some_case() {
  return parse_case("impl=ring mesh=3x2 b=2 q=12 h=2 d=5 seed=7");
}

TEST(Request, PlainRequestIsTheCasesText) {
  EXPECT_EQ(to_text(base_request(some_case())), to_text(some_case()));
}

TEST(Request, EveryEditReadsBack) {
  Request request = base_request(some_case());
  request.dout = {Cotangent::Kind::one_rank, 4};
  request.dlse = {Cotangent::Kind::grid_mixed, 0};
  request.value = ValueEdit::shard_indicator;
  request.score = ScoreEdit::constant;
  request.key = KeyEdit::shifted;
  request.other_cells = true;
  request.backward = false;
  request.poison = 0x5A;
  request.repeat = 3;
  request.key_blocks = 5;
  request.contiguous = request.keep_inputs = request.fresh_ranks = true;
  request.forced = true;
  EXPECT_EQ(parse_request(to_text(request)), request) << to_text(request);
}

TEST(Request, ACompanionReadsBack) {
  Request request = base_request(some_case());
  request.company = Company::interleaved;
  request.companion = parse_case("impl=ring mesh=3x2 q=6 kv=18 h=4 d=2 causal=1 seed=8");
  EXPECT_EQ(parse_request(to_text(request)), request) << to_text(request);
  EXPECT_EQ(companion_request(request), base_request(*request.companion));
  EXPECT_THROW(parse_request(to_text(some_case()) + " | company=before"), std::invalid_argument);
}

TEST(Request, TheCasesLseCotangentIsPartOfItsBaseRun) {
  Case c = some_case();
  c.lse_cotangent = true;
  EXPECT_EQ(base_request(c).dlse.kind, Cotangent::Kind::random);
  c.return_lse = false;
  EXPECT_EQ(base_request(c).dlse.kind, Cotangent::Kind::absent);
}

TEST(Request, ValueEditsAddTheBatchesTheirColumnsNeed) {
  Request request = base_request(some_case());
  request.value = ValueEdit::identity;  // 12 columns, 5 at a time: 3 batches for each
  EXPECT_EQ(effective_case(request).problem.batch, 6);
  request.value = ValueEdit::shard_indicator;  // 6 columns: 2 batches for each
  EXPECT_EQ(effective_case(request).problem.batch, 4);
  request.value = ValueEdit::grid_a;
  EXPECT_EQ(effective_case(request).problem.batch, 2);
}

TEST(Request, RefusesUnknownEdits) {
  EXPECT_THROW(parse_request(to_text(some_case()) + " | colour=red"), std::invalid_argument);
  EXPECT_THROW(parse_request(to_text(some_case()) + " | dout=blue"), std::invalid_argument);
}

}  // namespace
}  // namespace attncheck
