"""The program as a child: what it prints is kept, and what it tells is shown as well where that is asked for."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence

from . import _program


def run(command: list[str], files: Sequence[int], shown: bool) -> tuple[int, str, str]:
    """Exit code, stdout and stderr. The child ends with this process, however that ends."""
    wrapped = [sys.executable, os.path.join(_program.FOLDER, "_with_parent.py"), str(os.getpid()), *command]
    # Its progress is another one on a terminal.
    read, write = os.openpty() if shown and sys.stderr.isatty() else os.pipe()
    kept: list[bytes] = []
    try:
        try:
            child = subprocess.Popen(wrapped, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=write,
                                     pass_fds=files, env=_program.environment())
        finally:
            os.close(write)
        reader = threading.Thread(target=_keep, args=(read, kept, shown), daemon=True)
        reader.start()
        try:
            text, _ = child.communicate()
        except BaseException:
            child.terminate()
            child.wait()
            raise
        finally:
            reader.join()
    finally:
        os.close(read)
    return child.returncode, _decoded(text), _decoded(b"".join(kept)).replace("\r\n", "\n")


def _keep(source: int, kept: list[bytes], shown: bool) -> None:
    while True:
        try:
            part = os.read(source, 1 << 16)
        except OSError:  # a terminal whose other end is closed
            return
        if not part:
            return
        kept.append(part)
        if shown:
            print(_decoded(part), end="", file=sys.stderr, flush=True)


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", errors="replace")  # ranks print what they like


def last_line(told: str) -> str:
    """Without what a line of progress left before it."""
    lines = [line for line in told.replace("\r", "\n").split("\n") if line.strip()]
    return lines[-1].strip() if lines else ""


def ending(status: int) -> str:
    """How a child ended, as subprocess has it: "exited with 1", "was killed by SIGKILL"."""
    if status >= 0:
        return f"exited with {status}"
    return f"was killed by {signal.Signals(-status).name}"
