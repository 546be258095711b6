"""What the docs say of the examples and of the libraries, by hand: against dense float64 attention
in a few lines of plain torch, without attncheck. One set of ranks answers all questions here."""

import os
import sys

import pytest
import torch

EXAMPLES = os.path.join(os.path.dirname(__file__), "..", "..", "examples", "python")
sys.path.insert(0, os.path.abspath(EXAMPLES))

from by_hand import NAMES, asked, error_of_sum, errors, expected, right_shard, thrown  # noqa: E402
from gloo_workers import Question  # noqa: E402

# Values are below 4 and a result sums at most 12 keys x 8 of head_dim of them.
ROUNDING = 12 * 8 * 4**2 * torch.finfo(torch.float64).eps
WRONG = 0.1  # a fault shows in the first digit: the gradients here are about 1

A1, A5 = "a1_one_gradient_fewer:attention", "a5_gather_keeps_its_slice:attention"
A9, A10 = "a9_first_keys_in_every_step:attention", "a10_sums_against_the_tour:attention"
B1, B5 = "b1_one_axis_too_many:attention", "b5_base_two_lse:attention"
HALF = torch.float16

RIGHT = [
    Question("ring:attention", 2, 1),
    Question("ring:attention", 3, 1, causal=True),
    Question("ring:attention", 4, 1, tokens=4, kv_tokens=8, causal=True),
    Question("ring:attention", 2, 1, loss="lse"),
    Question("ulysses:attention", 1, 2),
    Question("ulysses:attention", 1, 2, loss="lse"),
    Question("ulysses:attention", 1, 4, causal=True),
    Question("diffusers_cp:attention", 2, 1),
    Question("diffusers_cp:attention", 2, 1, tokens=8),
    Question("diffusers_cp:attention", 1, 2),
    Question("diffusers_cp:attention", 1, 4),
    Question("diffusers_cp:attention", 2, 2),
    Question("diffusers_cp:attention", 2, 2, tokens=8),
    Question("diffusers_cp:native", 1, 2),
    Question("torch_cp:attention", 3, 1),
    Question("torch_cp:attention", 3, 1, causal=True),
    Question("torch_cp:attention", 2, 1, causal=True, layout="zigzag"),
    Question("torch_cp:attention", 4, 1, tokens=16, kv_tokens=16, causal=True, layout="zigzag"),
]
IN_HALF = [
    Question("ring_flash_attention_cp:attention", 3, 1, dtype=HALF, causal=True),
    Question("ring_flash_attention_cp:attention", 2, 1, dtype=HALF, causal=True, layout="zigzag"),
    Question("ring_flash_attention_cp:attention", 3, 1, dtype=HALF, causal=True, layout="striped"),
    Question("yunchang_cp:ulysses", 1, 4, dtype=HALF),
    Question("yunchang_cp:attention", 2, 2, dtype=HALF),
    Question("yunchang_cp:attention", 2, 2, dtype=HALF, causal=True, layout="zigzag"),
]
ROUNDED_DQ = [
    Question("ring_flash_attention_cp:attention", 2, 1, dtype=HALF),
    Question("yunchang_cp:attention", 2, 1, dtype=HALF),
]
WRONG_OWNERS = [
    Question("diffusers_cp:attention", 3, 1),
    Question("diffusers_cp:attention", 3, 1, tokens=3, kv_tokens=3, heads=1, head_dim=2),
    Question("diffusers_cp:attention", 4, 1),
    Question(A10, 3, 1),
]
A10_ON_TWO = Question(A10, 2, 1)
A1_LEAST = Question(A1, 1, 2, tokens=2, kv_tokens=2, heads=2, head_dim=1)
A5_ON_TWO, A9_ON_TWO = Question(A5, 2, 1), Question(A9, 2, 1)
B1_ON_TWO = Question(B1, 2, 1)
B5_ALONE, B5_ON_TWO = Question(B5, 1, 1), Question(B5, 2, 1)
BY_DEFAULT = Question("diffusers_cp:attention_defaults", 2, 1)
MORE_KEYS = Question("diffusers_cp:any_lengths", 1, 2, tokens=8)
FORWARD_ALONE = [
    Question("diffusers_cp:anything", 3, 1, tokens=13, kv_tokens=13),
    Question("diffusers_cp:anything", 1, 2, tokens=13, kv_tokens=13, heads=3),
]
ALIASED = Question("ring_flash_attention_cp:in_float32", 2, 1, dtype=torch.float32)
NO_GRADIENT_OF_LSE = [
    Question("diffusers_cp:attention", 2, 1, loss="lse"),
    Question("diffusers_cp:attention", 1, 2, loss="lse"),
    Question("diffusers_cp:attention", 2, 2, loss="lse"),
    Question("ring_flash_attention_cp:attention", 2, 1, dtype=HALF, loss="lse"),
]
NO_LSE = Question("yunchang_cp:torch_math", 2, 1)
PUBLIC = Question("torch_cp:public", 2, 1)

QUESTIONS = [*RIGHT, *IN_HALF, *ROUNDED_DQ, *WRONG_OWNERS, A10_ON_TWO, A1_LEAST, A5_ON_TWO,
             A9_ON_TWO, B1_ON_TWO, B5_ALONE, B5_ON_TWO, BY_DEFAULT, MORE_KEYS, *FORWARD_ALONE,
             ALIASED, *NO_GRADIENT_OF_LSE, NO_LSE, PUBLIC]


def name_of(question):
    return f"{question.subject}-{question.ring}x{question.ulysses}"


def each(questions):
    return pytest.mark.parametrize("question", questions, ids=name_of)


@pytest.fixture(scope="module")
def ranks_of():
    answers = asked(QUESTIONS)
    return lambda question: next(a for q, a in zip(QUESTIONS, answers) if q is question)


def right_ones(question, ranks):
    return {name for name, e in errors(question, ranks).items() if e is not None and e <= ROUNDING}


def wrong_ones(question, ranks):
    return {name for name, e in errors(question, ranks).items() if e is not None and e >= WRONG}


@pytest.mark.parametrize("rank", [0, 1])
def test_nan_on_any_rank_is_an_error(rank):
    question = RIGHT[0]
    right = expected(question)
    ranks = [([right_shard(question, right, name, r).clone() for name in NAMES], None) for r in (0, 1)]
    assert right_ones(question, ranks) == set(NAMES)
    ranks[rank][0][0][0, 0, 0, 0] = torch.nan
    assert right_ones(question, ranks) == set(NAMES) - {"out"}


@each(RIGHT)
def test_is_right(question, ranks_of):
    ranks = ranks_of(question)
    assert thrown(ranks) == []
    found = errors(question, ranks)
    judged = {name: e for name, e in found.items() if e is not None}
    assert {"out", "dq", "dk", "dv"} <= set(judged)
    assert all(e <= ROUNDING for e in judged.values()), found


@each(IN_HALF)
def test_is_right_to_a_few_roundings_in_float16(question, ranks_of):
    """Each block's result is rounded once, and once more when it is stored."""
    ranks, right = ranks_of(question), expected(question)
    assert thrown(ranks) == []
    judged = {name: e for name, e in errors(question, ranks).items() if e is not None}
    assert {"out", "dq", "dk", "dv"} <= set(judged)
    for name, error in judged.items():
        unit = torch.finfo(torch.bfloat16 if name == "dq" else HALF).eps
        assert error <= (question.ring + 1) * unit * right[name].abs().max(), name


@each(ROUNDED_DQ)
def test_dq_of_float16_input_is_rounded_to_bfloat16(question, ranks_of):
    tensors = dict(zip(NAMES, (torch.stack(x) if x[0] is not None else None
                               for x in zip(*(t for t, _ in ranks_of(question))))))

    def on_the_grid_of_bfloat16(x):
        return torch.equal(x, x.to(torch.bfloat16).to(x.dtype))

    assert on_the_grid_of_bfloat16(tensors["dq"])
    assert not any(on_the_grid_of_bfloat16(tensors[name]) for name in ("out", "dk", "dv"))


@each(WRONG_OWNERS)
def test_key_gradients_have_right_sums_and_wrong_owners(question, ranks_of):
    ranks = ranks_of(question)
    assert right_ones(question, ranks) == {"out", "lse", "dq"}
    assert wrong_ones(question, ranks) == {"dk", "dv"}
    assert error_of_sum(question, ranks, "dk") <= ROUNDING
    assert error_of_sum(question, ranks, "dv") <= ROUNDING


def test_a10_is_right_on_two_ranks(ranks_of):
    assert right_ones(A10_ON_TWO, ranks_of(A10_ON_TWO)) == set(NAMES)


def test_a1_is_an_error_of_the_engine_on_every_rank(ranks_of):
    texts = thrown(ranks_of(A1_LEAST))
    assert len(texts) == 2 and all("expected 4, got 3" in text for text in texts)


def test_a5_loses_the_gradients_of_the_other_ranks(ranks_of):
    ranks = ranks_of(A5_ON_TWO)
    assert right_ones(A5_ON_TWO, ranks) == {"out", "lse", "dq"}
    assert wrong_ones(A5_ON_TWO, ranks) == {"dk", "dv"}
    assert error_of_sum(A5_ON_TWO, ranks, "dk") >= WRONG


def test_a9_is_exact_forward_and_wrong_backward(ranks_of):
    ranks = ranks_of(A9_ON_TWO)
    assert right_ones(A9_ON_TWO, ranks) == {"out", "lse"}
    assert wrong_ones(A9_ON_TWO, ranks) == {"dq", "dk", "dv"}


def test_b1_returns_a_right_out_and_an_lse_of_four_axes(ranks_of):
    ranks = ranks_of(B1_ON_TWO)
    assert thrown(ranks) == []
    assert right_ones(B1_ON_TWO, ranks) == {"out", "dq", "dk", "dv"}
    assert ranks[0][0][1].shape == (1, 6, 4, 1)


def test_b5_alone_is_right_but_for_its_lse(ranks_of):
    assert "out" in right_ones(B5_ALONE, ranks_of(B5_ALONE))
    assert "lse" in wrong_ones(B5_ALONE, ranks_of(B5_ALONE))
    assert {"out", "lse"} <= wrong_ones(B5_ON_TWO, ranks_of(B5_ON_TWO))


def test_diffusers_by_default_computes_float64_in_float32(ranks_of):
    found = errors(BY_DEFAULT, ranks_of(BY_DEFAULT))
    assert all(ROUNDING < e < torch.finfo(torch.float32).eps * 100 for e in found.values()), found


def test_diffusers_ulysses_has_no_backward_where_keys_outnumber_queries(ranks_of):
    ranks = ranks_of(MORE_KEYS)
    assert {"out", "lse"} <= right_ones(MORE_KEYS, ranks)
    assert len(thrown(ranks)) == 2
    assert all("is invalid for input of size" in text for text in thrown(ranks))


@each(FORWARD_ALONE)
def test_diffusers_anything_is_right_forward_and_has_no_backward(question, ranks_of):
    ranks = ranks_of(question)
    assert {"out", "lse"} <= right_ones(question, ranks)
    assert len(thrown(ranks)) == question.world
    assert all("is not implemented yet" in text for text in thrown(ranks))


def test_ring_flash_attention_in_float32_adds_into_the_kernels_buffers(ranks_of):
    found = errors(ALIASED, ranks_of(ALIASED))
    assert found["out"] < 1e-5 and found["lse"] < 1e-5
    assert "dq" in wrong_ones(ALIASED, ranks_of(ALIASED))  # dk and dv: as the sends come in time


@each(NO_GRADIENT_OF_LSE)
def test_a_gradient_through_lse_is_zero_in_silence(question, ranks_of):
    ranks = ranks_of(question)
    assert thrown(ranks) == []
    assert wrong_ones(question, ranks) == {"dq", "dk"}
    assert all(tensors[2].abs().max() == tensors[3].abs().max() == 0 for tensors, _ in ranks)


def test_yunchang_torch_math_merges_as_if_every_lse_were_zero(ranks_of):
    assert wrong_ones(NO_LSE, ranks_of(NO_LSE)) == {"out"}


def test_yunchang_ulysses_with_a_kernel_of_torch_goes_round_the_whole_world():
    """It hands the kernel's ring no group: heads of other ranks are taken for further tokens. The
    ring is one of the default group, so this set of ranks is no larger than the mesh."""
    question = Question("yunchang_cp:ulysses_torch_flash", 1, 2, dtype=torch.float32)
    (ranks,) = asked([question])
    assert thrown(ranks) == []
    assert wrong_ones(question, ranks) == {"out"}


def test_context_parallel_of_torch_has_no_rule_for_the_kernel_of_cpus(ranks_of):
    texts = thrown(ranks_of(PUBLIC))
    assert len(texts) == 2
    assert all("_scaled_dot_product_flash_attention_for_cpu" in text for text in texts)
