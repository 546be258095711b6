"""What a release's own meta kernels say that the attention operators return.

    meta_contracts.py < OPERATORS > FILE     with the release's torch on PYTHONPATH

Standard input is the JSON that `attncheck contracts --print-table` prints; it names the operators. The
problem is the one that `attncheck contracts` runs itself: q (B, H, S, D) and k, v (B, H, K, D) in
bfloat16, each as a contiguous (B, S, H, D) lies in memory. A meta kernel works on sizes and strides
alone, so no GPU is asked.
"""

import json
import sys

import torch

B, H, S, K, D = 2, 4, 40, 24, 16


def sequence_first(length):
    return torch.empty(B, length, H, D, dtype=torch.bfloat16, device="meta").transpose(1, 2)


def named_arguments():
    q, k, v = sequence_first(S), sequence_first(K), sequence_first(K)
    return {"query": q, "key": k, "value": v, "grad_out": sequence_first(S), "grad_out_": sequence_first(S),
            "dropout_p": 0.0, "is_causal": False, "compute_log_sumexp": True,
            "grad_input_mask": [True, True, True, False]}


def call(op, named):
    """The operator's results: an argument is taken by its name, else by its default, else left out."""
    overload = getattr(torch.ops.aten, op).default
    positional, keywords = [], {}
    for argument in overload._schema.arguments:
        if argument.name in named:
            value = named[argument.name]
        elif argument.has_default_value():
            value = argument.default_value
        elif str(argument.type).startswith("Optional"):
            value = None
        else:
            value = torch.empty(0, device="meta")
        if argument.kwarg_only:
            keywords[argument.name] = value
        else:
            positional.append(value)
    return overload, overload(*positional, **keywords)


def form(value):
    if not isinstance(value, torch.Tensor):
        return None
    return {"sizes": list(value.shape), "strides": list(value.stride()), "dtype": str(value.dtype).removeprefix("torch.")}


def saved_for_backward(overload, results):
    """Results by the names that the backward operator has for them."""
    renamed = {"output": "out", "log_sumexp": "logsumexp", "rng_state": "philox_seed", "unused": "philox_offset"}
    saved = {}
    for returned, value in zip(overload._schema.returns, results):
        if value is not None:
            saved[renamed.get(returned.name, returned.name)] = value
    return saved


def returns_of(ops):
    answers, saved = {}, {}
    for op in ops:  # forwards come before their backwards
        forward = op.removesuffix("_backward")
        overload, results = call(op, {**named_arguments(), **(saved.get(forward, {}) if op != forward else {})})
        saved[op] = saved_for_backward(overload, results)
        answers[op] = [form(value) for value in results]
    return answers


def main():
    table = json.load(sys.stdin)
    ops = sorted({entry["op"] for entry in table["contracts"] if entry["device"] == "cuda"})
    json.dump({"libtorch": torch.__version__, "q_dtype": "bfloat16",
               "sizes": {"B": B, "H": H, "S": S, "K": K, "D": D}, "returns": returns_of(ops)}, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
