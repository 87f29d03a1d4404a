# Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.
"""Runs a command on a terminal of its own, as a shell would, and does what its arguments say.

    terminal.py STEP... -- COMMAND...

Steps: `see:TEXT` waits until the screen, from the last time it was cleared, shows the text; `key:TEXT` types;
`stop` presses Ctrl-Z and waits until the command has stopped; `go` lets it go on; `signal:NUMBER` sends a
signal, `wake:NUMBER` one to a command that has stopped, and then lets it go on in the background; `raw` and
`cooked` wait until the terminal is in the mode of keys, and in its usual one. Prints the exit
status of the command, or minus the signal that ended it. Fails after 45 seconds, before the test ends it.
"""

import os
import pty
import select
import signal
import sys
import termios
import time

END = time.monotonic() + 45
steps = sys.argv[1 : sys.argv.index("--")]
command = sys.argv[sys.argv.index("--") + 1 :]

process, terminal = pty.fork()
if process == 0:
    # The parent may have blocked signals, for itself, and a shell without job control has its background
    # programs ignore some.
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    for number in [signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP]:
        signal.signal(number, signal.SIG_DFL)
    # Between this and the command a shell would stand, which gets the terminal back when the command stops.
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        os.tcsetpgrp(0, os.getpgrp())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        os.execvp(command[0], command)
    while True:
        _, status = os.waitpid(child, os.WUNTRACED)
        if not os.WIFSTOPPED(status):
            os.write(1, b"\n<ended %d>\n" % os.waitstatus_to_exitcode(status))
            os._exit(0)
        os.tcsetpgrp(0, os.getpgrp())
        os.write(1, b"<stopped %d>" % child)
        if os.read(0, 1) == b"w":
            os.kill(child, int(os.read(0, 2)))
        else:
            os.tcsetpgrp(0, child)
        os.kill(child, signal.SIGCONT)

seen = b""


def fail(step):
    sys.exit(f"{step}: not within 45 seconds; the screen has {seen[-2000:]!r}")


def take(step):
    """Reads what the command has written meanwhile."""
    global seen
    if time.monotonic() > END:
        fail(step)
    if select.select([terminal], [], [], 0.05)[0]:
        try:
            seen += os.read(terminal, 65536)
        except OSError:
            return False
    return True


def wait_for(step, is_so):
    while not is_so():
        if not take(step) and not is_so():
            fail(step)


def screen():
    return seen[seen.rfind(b"\x1b[J") + 1 :]


def is_usual():
    return termios.tcgetattr(terminal)[3] & (termios.ICANON | termios.ECHO) != 0


for step in steps:
    word, _, text = step.partition(":")
    if word == "see":
        wait_for(step, lambda: text.encode() in screen())
    elif word == "key":
        os.write(terminal, text.encode())
    elif word == "stop":
        os.write(terminal, b"\x1a")
        wait_for(step, lambda: b"<stopped" in seen)
    elif word == "go":
        seen = b""
        os.write(terminal, b"x\n" if is_usual() else b"x")
    elif word == "wake":
        os.write(terminal, b"w%02d\n" % int(text))
    elif word == "signal":
        os.kill(os.tcgetpgrp(terminal), int(text))
    elif word == "raw":
        wait_for(step, lambda: not is_usual())
    elif word == "cooked":
        wait_for(step, is_usual)
    else:
        sys.exit(f"{step} is no step")

wait_for("the end", lambda: b"<ended" in seen)
usual = "usual" if is_usual() else "raw"
print(int(seen[seen.rfind(b"<ended") + 7 :].split(b">")[0]), usual)
