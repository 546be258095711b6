"""The truth by hand: dense float64 attention in a few lines of plain torch, against the ranks of a
callable. Nothing of attncheck is used, so that what attncheck says can be checked.

    python by_hand.py ring:attention diffusers_cp:attention --mesh 2x1,3x1 --causal
"""

import argparse
import sys
import tempfile
from math import inf

import torch

from gloo_workers import Question, ask, gradients, held, whole

NAMES = ("out", "lse", "dq", "dk", "dv")


def dense(q, k, v, scale, causal):
    """out (B, Sq, H, D) and lse (B, Sq, H) of whole tensors; causal is top-left."""
    scores = torch.einsum("bqhd,bkhd->bqhk", q, k) * scale
    if causal:
        above = torch.ones(q.shape[1], k.shape[1], dtype=torch.bool).triu(1)
        scores = scores.masked_fill(above[:, None, :], -torch.inf)
    return torch.einsum("bqhk,bkhd->bqhd", scores.softmax(-1), v), scores.logsumexp(-1)


def expected(question):
    """out, lse, dq, dk, dv of the whole sequence, by name."""
    *inputs, cotangent = whole(question)
    leaves = [x.requires_grad_() for x in inputs]
    out, lse = dense(*leaves, question.head_dim**-0.5, question.causal)
    tensors = out, lse, *gradients(question, out, lse, leaves, cotangent)
    return {name: x.detach() for name, x in zip(NAMES, tensors)}


def right_shard(question, right, name, rank):
    tokens = question.kv_tokens if name in ("dk", "dv") else question.tokens
    return right[name][:, held(question, rank, tokens)]


def errors(question, ranks):
    """The largest error of each tensor over the ranks: infinity where a shape is another, None
    where a rank has no such tensor."""
    right, found = expected(question), {}
    for i, name in enumerate(NAMES):
        pairs = [(tensors[i], right_shard(question, right, name, rank))
                 for rank, (tensors, _) in enumerate(ranks)]
        if any(got is None for got, _ in pairs):
            found[name] = None
        elif any(got.shape != shard.shape for got, shard in pairs):
            found[name] = inf
        else:
            worst = torch.stack([(got - shard).abs().max() for got, shard in pairs])
            found[name] = worst.max().item()  # NaN where a rank has one, which max() may lose
    return found


def error_of_sum(question, ranks, name):
    """How far the sum of a gradient over all ranks and tokens is from the right sum: right sums of
    wrong shards are contributions that were delivered to the wrong owner."""
    got = sum(tensors[NAMES.index(name)].sum(1) for tensors, _ in ranks)
    return (got - expected(question)[name].sum(1)).abs().max().item()


def thrown(ranks):
    """What each rank threw, those that threw nothing left out."""
    return [text for _, text in ranks if text is not None]


def asked(questions):
    with tempfile.TemporaryDirectory() as folder:
        return ask(questions, folder)


def line_of(question, ranks):
    head = f"{question.subject} {question.ring}x{question.ulysses}:"
    shown = " ".join(f"{name} {'-' if e is None else format(e, '.1e')}"
                     for name, e in errors(question, ranks).items())
    texts = thrown(ranks)
    note = f" | {len(texts)} of {len(ranks)} ranks: {texts[0]}" if texts else ""
    return f"{head} {shown}{note}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("subjects", nargs="+", metavar="module:name")
    parser.add_argument("--mesh", default="2x1,3x1,1x2,1x4,2x2")
    parser.add_argument("--dtype", default="float64")
    parser.add_argument("--causal", action="store_true")
    parser.add_argument("--layout", default="contiguous")
    parser.add_argument("--tokens", type=int, default=12)
    parser.add_argument("--kv-tokens", type=int, default=12)
    parser.add_argument("--heads", type=int, default=4)
    words = parser.parse_args()
    meshes = [tuple(map(int, mesh.split("x"))) for mesh in words.mesh.split(",")]
    questions = [Question(s, *mesh, tokens=words.tokens, kv_tokens=words.kv_tokens,
                          heads=words.heads, dtype=getattr(torch, words.dtype),
                          causal=words.causal, layout=words.layout)
                 for s in words.subjects for mesh in meshes]
    for question, ranks in zip(questions, asked(questions)):
        print(line_of(question, ranks), flush=True)


if __name__ == "__main__":
    sys.exit(main())
