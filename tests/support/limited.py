"""Runs a command with little memory and measures what it used.

Sanitisers reserve terabytes of addresses and keep notes on all memory, so nothing is limited under them."""
import os
import resource
import subprocess
import tempfile

SANITISED = os.environ.get("CH_PRESET") in ("asan", "tsan")


def run(command, memory, **options):
    """(exit code, what it wrote to stderr, seconds of processor time, peak of memory in bytes), the last two 0
    under sanitisers."""
    def limit():
        if not SANITISED:
            resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    with tempfile.TemporaryFile() as errors:
        child = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=errors,
                                 preexec_fn=limit, **options)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        text = errors.read().decode(errors="replace")
    if SANITISED:
        return child.returncode, text, 0, 0
    return child.returncode, text, usage.ru_utime + usage.ru_stime, usage.ru_maxrss << 10
