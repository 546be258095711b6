"""docs/catalogue.md has the mutants that the program has, but for systematic ones:

catalogue_page_test.py PROGRAM           compares
catalogue_page_test.py PROGRAM --write   brings the page up to date
"""

import concurrent.futures
import re
import subprocess
import unittest

import page

PAGE = page.path("docs", "catalogue.md")
AGAIN = page.again(__file__)
# What a hunt prints of a mutant.
FAMILIES = {
    "A": "A: gradients",
    "B": "B: the log-sum-exp and the merge",
    "C": "C: exchanges and shards",
    "D": "D: masks and orders",
    "house": "House: faults made up here",
    "": "Others",
}
ENTRY = re.compile(r"^caught +(\S+) \((.*)\)\n  fault +(.*)\n(?:  .*\n)*?  case +(.*)\n  listed +(.*)$", re.M)
# Names in the catalogue's sources, where one repository is meant and no other.
REPOSITORIES = {
    "diffusers": "huggingface/diffusers",
    "flash-attention": "Dao-AILab/flash-attention",
    "flashinfer": "flashinfer-ai/flashinfer",
    "pytorch": "pytorch/pytorch",
    "rfa": "zhuzilin/ring-flash-attention",
    "ring-flash-attention": "zhuzilin/ring-flash-attention",
    "sglang": "sgl-project/sglang",
    "TransformerEngine": "NVIDIA/TransformerEngine",
    "vLLM": "vllm-project/vllm",
    "yunchang": "feifeibear/long-context-attention",
}
# "diffusers #14265", and what follows a name: "PR 14274".
REFERENCE = re.compile(r"(?!in )\b([A-Za-z][\w-]*) (?=#\d|PR \d|commit [0-9a-f]{7})|(#\d+|PR \d+|commit [0-9a-f]{7,40})")


def printed(program, *arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=120)
    if done.returncode not in (0, 1):  # 1: a mutant that one drawn case does not show
        raise SystemExit(f"{arguments} ended with {done.returncode}: {done.stderr}")
    return done.stdout


def linked(source):
    """The source, with a link for each number of a repository that is known."""
    repository = None

    def link(match):
        nonlocal repository
        name, number = match.group(1), match.group(2)
        if name:
            repository = REPOSITORIES.get(name)
        if not number or not repository:
            return match.group(0)
        kind, value = ("commit" if "commit" in number else "issues"), re.split("[ #]", number)[-1]
        return f"[{number}](https://github.com/{repository}/{kind}/{value})"

    return REFERENCE.sub(link, source)


def listed(program):
    """[(name, property)] of the mutants that are not systematic, in the program's order."""
    lines = printed(program, "list", "mutants").splitlines()
    return [tuple(line.split()[:2]) for line in lines if line.strip() and not line.startswith("sys_")]


def fails(program, case, prop):
    command = [program, "replay", case, "--property", prop]
    return subprocess.run(command, capture_output=True, timeout=120).returncode == 1


def entries(program, mutants):
    """{name: (source, fault, case)}; the case is the listed one where it fails, else what a hunt shrank to."""
    hunt = printed(program, "mutants", "--quiet", "--mutant", ",".join(name for name, _ in mutants))
    found = {name: rest for name, *rest in ENTRY.findall(hunt)}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        failed = pool.map(lambda m: fails(program, found[m[0]][3], m[1]), mutants)
    chosen = {}
    for (name, _), shown in zip(mutants, failed):
        source, fault, case, smallest = found[name]
        chosen[name] = (source, fault, smallest if shown else case)
    return chosen


def family(name):
    start = "house" if name.startswith("house_") else name[0] if re.match(r"[A-Z]\d", name) else ""
    return start if start in FAMILIES else ""


def cell(text):
    return text.replace("|", "\\|").replace("<", "&lt;")


def row(name, prop, entry):
    source, fault, case = entry
    replay = f"`attncheck replay '{case}'`"
    return f"| `{name}` | {cell(fault)} | {linked(cell(source))} | `{prop}` | {replay} |"


def tables(program):
    mutants = listed(program)
    found = entries(program, mutants)
    lines = [f"{len(mutants)} mutants.", ""]
    for start, title in FAMILIES.items():
        rows = [row(name, prop, found[name]) for name, prop in mutants if family(name) == start]
        if rows:
            head = ["| id | what is wrong | source | caught by | smallest case |", "| --- | --- | --- | --- | --- |"]
            lines += [f"## {title}", "", *head, *rows, ""]
    return "\n".join(lines)


def pages():
    return {PAGE: page.filled(page.read(PAGE), "catalogue", tables(PROGRAM))}


class CataloguePage(unittest.TestCase):
    maxDiff = None

    def test_it_is_of_the_mutants_that_the_program_has(self):
        self.assertEqual(page.read(PAGE), pages()[PAGE], AGAIN)

    def test_a_number_belongs_to_the_repository_named_before_it(self):
        of = "https://github.com/zhuzilin/ring-flash-attention"
        self.assertEqual(linked("rfa #1, PR 2"), f"rfa [#1]({of}/issues/1), [PR 2]({of}/issues/2)")
        self.assertEqual(linked("rfa #1, fixed in PR 2"), f"rfa [#1]({of}/issues/1), fixed in [PR 2]({of}/issues/2)")
        self.assertEqual(linked("rfa #1, unheard #2"), f"rfa [#1]({of}/issues/1), unheard #2")
        self.assertEqual(linked("rfa commit 7895974"), f"rfa [commit 7895974]({of}/commit/7895974)")
        self.assertEqual(linked("torch 2.9 with cuDNN (#162743)"), "torch 2.9 with cuDNN (#162743)")


if __name__ == "__main__":
    PROGRAM = page.program()
    page.main(pages)
