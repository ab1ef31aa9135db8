#!/usr/bin/env python3
"""Tests what `cmake --install` adds to the program: completions in real shells, and manual pages with mandoc.

usage: shell_completions_test.py BUILD

Names the shells that are not installed and skips them. Exits with 77 if none is installed."""

import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PATIENCE = 120  # seconds, on a busy machine

# The words before the cursor, and one of the expected completions.
CASES = [
    (["linkherd", "compl"], "completions"),
    (["linkherd", "check", "--fail-if"], "--fail-if-empty"),
    (["linkherd", "check", "--format", "rdj"], "rdjson"),
    (["linkherd", "check", "--fail-on", "dead,insec"], "dead,insecure"),
    (["linkherd", "help", "hist"], "history"),
    (["linkherd", "check", "--log-file", "notes-a"], "notes-and-more.txt"),
]


def run(*words, **options):
    return subprocess.run(words, check=True, capture_output=True, text=True, timeout=PATIENCE, **options).stdout


def bash(script, words):
    program = f"""source {script}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _linkherd 2>/dev/null; printf '%s\\n' "${{COMPREPLY[@]}}" """
    return run("bash", "--norc", "-c", program, "bash", *words).split()


def fish(script, words):
    lines = run("fish", "--no-config", "-c", f"source {script}; complete -C '{' '.join(words)}'").splitlines()
    return [line.split("\t")[0] for line in lines]


class Zsh:
    """zsh completes only in its line editor, which needs a terminal."""

    def __init__(self, script, folder):
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.environ["TERM"] = "dumb"
            os.execvp("zsh", ["zsh", "-f", "-i"])
        # The widget prints the completed line, so that the test can wait for it.
        self.send(f"PS1='> '; autoload -Uz compinit; compinit -u -d {folder}/zsh-dump; source {script}; complete-and-tell() {{"
                  " zle complete-word; zle -I; print -r -- line: $BUFFER :end; BUFFER= }; zle -N complete-and-tell;"
                  " bindkey '^I' complete-and-tell; echo begin''s\n")
        self.read_until("\nbegins")

    def send(self, text):
        os.write(self.terminal, text.encode())

    def read_until(self, end):
        text, begin = "", time.monotonic()
        while end not in text:
            if time.monotonic() - begin > PATIENCE:
                raise RuntimeError(f"no {end!r} from zsh: {text!r}")
            if select.select([self.terminal], [], [], 1)[0]:
                text += os.read(self.terminal, 65536).decode(errors="replace")
        return text

    def __call__(self, script, words):
        self.send(" ".join(words) + "\t")
        return re.search(r"line: (.*) :end", self.read_until(" :end")).group(1).split()


def check_pages(folder):
    pages = sorted((folder / "share/man/man1").glob("linkherd*.1"))
    if len(pages) < 20:
        sys.exit(f"only {len(pages)} manual pages")
    if not shutil.which("mandoc"):
        print("skipped: mandoc is not installed")
        return
    lint = subprocess.run(["mandoc", "-T", "lint", *pages], capture_output=True, text=True, timeout=PATIENCE).stdout
    # The first depends on the machine. The second is on purpose: the footer names linkherd and its version.
    tolerated = ("referenced manual not found", "operating system explicitly specified")
    faults = [line for line in lint.splitlines() if not any(words in line for words in tolerated)]
    if faults:
        sys.exit("\n".join(faults))


def main():
    build = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run("cmake", "--install", build, "--prefix", folder)
        check_pages(folder)
        (folder / "notes-and-more.txt").touch()
        os.chdir(folder)
        os.environ |= {"PATH": f"{folder}/bin:{os.environ['PATH']}", "HOME": name}
        share = folder / "share"
        shells = {
            "bash": (share / "bash-completion/completions/linkherd", lambda _: bash),
            "zsh": (share / "zsh/site-functions/_linkherd", lambda script: Zsh(script, folder)),
            "fish": (share / "fish/vendor_completions.d/linkherd.fish", lambda _: fish),
        }
        tried = 0
        for shell, (script, make) in shells.items():
            if not shutil.which(shell):
                print(f"skipped: {shell} is not installed")
                continue
            complete = make(script)
            for words, expected in CASES:
                found = complete(script, words)
                if expected not in found and f"{expected}," not in found:
                    sys.exit(f"{shell}: {' '.join(words)} gives {found}, not {expected}")
            tried += 1
    sys.exit(0 if tried else 77)


if __name__ == "__main__":
    main()
