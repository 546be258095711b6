"""Gloo ranks that ask attention callables, without attncheck: one process for each rank, started
once for a list of questions, one thread each, and every wait bounded."""

import datetime
import importlib
import inspect
import os
import time
import traceback
from dataclasses import dataclass

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

SECONDS = 400  # for all questions together; one exchange has a tenth of it


@dataclass
class Question:
    subject: str  # "module:name"
    ring: int
    ulysses: int
    batch: int = 1
    tokens: int = 12
    kv_tokens: int = 12
    heads: int = 4
    head_dim: int = 8
    dtype: torch.dtype = torch.float64
    causal: bool = False
    layout: str = "contiguous"
    loss: str = "out"  # or "lse": what the cotangent is of

    @property
    def world(self):
        return self.ring * self.ulysses


def held(question, rank, tokens):
    """The places of a rank's tokens in the whole sequence."""
    ring_index, ulysses_index = divmod(rank, question.ulysses)
    places = torch.arange(tokens)
    if question.layout == "zigzag":
        halves = places.chunk(2 * question.ring)
        shard = torch.cat([halves[ring_index], halves[2 * question.ring - 1 - ring_index]])
    elif question.layout == "striped":
        shard = places[ring_index::question.ring]
    else:
        shard = places.chunk(question.ring)[ring_index]
    return shard.chunk(question.ulysses)[ulysses_index]


def whole(question):
    """q, k, v and the cotangent of out, in float64, and representable in the question's dtype."""
    generator = torch.Generator().manual_seed(17)
    lengths = (question.tokens, question.kv_tokens, question.kv_tokens, question.tokens)
    drawn = [torch.randn((question.batch, n, question.heads, question.head_dim),
                         generator=generator, dtype=torch.float64) for n in lengths]
    return [x.to(question.dtype).to(torch.float64) for x in drawn]


def shards(question, rank):
    lengths = (question.tokens, question.kv_tokens, question.kv_tokens, question.tokens)
    return [x[:, held(question, rank, n)].to(question.dtype)
            for x, n in zip(whole(question), lengths)]


def resolve(subject):
    module, name = subject.split(":")
    return getattr(importlib.import_module(module), name)


def called(question, leaves, groups):
    """out and lse of the callable, told what it takes; lse is None where it returns none."""
    attention = resolve(question.subject)
    taken = inspect.signature(attention).parameters
    degrees = {"ring_group": question.ring, "ulysses_group": question.ulysses}
    needed = {name for name, degree in degrees.items() if degree > 1}
    if not needed <= set(taken) and "group" not in taken:
        raise ValueError(f"does not take {' and '.join(sorted(needed))}")
    offered = {**groups, "scale": question.head_dim**-0.5, "is_causal": question.causal,
               "layout": question.layout, "return_lse": True}
    result = attention(*leaves, **{name: x for name, x in offered.items() if name in taken})
    return result if isinstance(result, tuple) else (result, None)


def gradients(question, out, lse, leaves, cotangent):
    """dq, dk, dv, zero where the loss does not depend on one."""
    of_lse = question.loss == "lse"
    loss, given = (lse, cotangent[..., 0].to(lse.dtype)) if of_lse else (out, cotangent)
    return torch.autograd.grad(loss, leaves, given, materialize_grads=True)


def answer(question, rank, groups):
    """(out, lse, dq, dk, dv) of this rank, each None where there is none, and what was thrown."""
    tensors = [None] * 5
    try:
        *leaves, cotangent = shards(question, rank)
        leaves = [x.requires_grad_() for x in leaves]
        out, lse = called(question, leaves, groups)
        tensors[:2] = out, lse
        if out.requires_grad:
            tensors[2:] = gradients(question, out, lse, leaves, cotangent)
    except Exception as error:  # what a user sees is the answer
        place = os.path.basename(traceback.extract_tb(error.__traceback__)[-1].filename)
        return tensors, f"{type(error).__name__}: {error} ({place})"
    return tensors, None


def groups_of(question, rank):
    """New groups for each question, so that what one leaves behind harms no other."""
    bound = datetime.timedelta(seconds=SECONDS / 10)
    ranks = torch.arange(question.world).view(question.ring, question.ulysses)
    world = dist.new_group(ranks.flatten().tolist(), timeout=bound)
    rings = [dist.new_group(r, timeout=bound) for r in ranks.t().tolist()]
    ulysseses = [dist.new_group(r, timeout=bound) for r in ranks.tolist()]
    if rank >= question.world:
        return None
    ring_index, ulysses_index = divmod(rank, question.ulysses)
    return {"group": world, "ring_group": rings[ulysses_index],
            "ulysses_group": ulysseses[ring_index]}


def as_lists(tensors):
    return [None if x is None else x.detach().to(torch.float64).tolist() for x in tensors]


def worker(rank, size, store_file, questions, answers):
    torch.set_num_threads(1)
    store = dist.FileStore(store_file, size)
    bound = datetime.timedelta(seconds=SECONDS)
    dist.init_process_group("gloo", store=store, rank=rank, world_size=size, timeout=bound)
    for question in questions:
        groups = groups_of(question, rank)
        if groups is not None:
            tensors, thrown = answer(question, rank, groups)
            answers.send((as_lists(tensors), thrown))
        dist.barrier()
    dist.destroy_process_group()


def received(connection, deadline):
    try:
        if connection.poll(max(0.0, deadline - time.monotonic())):
            tensors, thrown = connection.recv()
            return [None if x is None else torch.tensor(x, dtype=torch.float64)
                    for x in tensors], thrown
    except EOFError:
        pass
    return [None] * 5, "no answer: the rank died or did not return"


def ask(questions, folder):
    """For each question, for each rank: ([out, lse, dq, dk, dv], what was thrown or None). `folder`
    is an empty one, for the ranks to find each other."""
    size = max(q.world for q in questions)
    context = mp.get_context("spawn")
    pipes = [context.Pipe(duplex=False) for _ in range(size)]
    file = os.path.join(folder, "store")
    processes = [context.Process(target=worker, args=(r, size, file, questions, pipes[r][1]),
                                 daemon=True) for r in range(size)]
    for process, (_, end) in zip(processes, pipes):
        process.start()
        end.close()  # the child has its own: when it dies, its pipe ends
    deadline = time.monotonic() + SECONDS
    try:
        return [[received(pipes[r][0], deadline) for r in range(q.world)] for q in questions]
    finally:
        for process in processes:
            process.join(10)
            process.kill()
