"""Becomes a command that the system ends when the process that asked for it ends.

    python _with_parent.py PARENT COMMAND...
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1

if __name__ == "__main__":
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != int(sys.argv[1]):
        sys.exit(1)  # it ended before it could be watched
    os.execv(sys.argv[2], sys.argv[2:])
