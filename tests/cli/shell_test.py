"""What a shell and its user ask ch: completion, help, version, the manual page."""
import json
import os
import pathlib
import shutil
import subprocess
import unittest

CH = os.environ["CH_BIN"]
SLOWER = int(os.environ.get("CH_TIME_FACTOR", "1"))  # than in release
SOURCE = pathlib.Path(os.environ["CH_SOURCE"])


def run(*words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=60 * SLOWER,
                          check=False, **options)


def ch(*words):
    ended = run(CH, *words)
    assert ended.returncode == 0, ended
    return ended.stdout


class Completion(unittest.TestCase):
    # What has been typed, its last word unfinished; and what must, and must not, be offered.
    LINES = [(["tr"], {"train", "transform"}, {"test"}),
             (["train", "jsc-t"], {"jsc-tiny", "jsc-toy"}, {"jsc-s"}),
             (["train", "jsc-tiny", "js"], {"jsc"}, {"jsc-tiny"}),
             (["train", "--batch-size", "8", "jsc-t"], {"jsc-tiny"}, set()),
             (["train", "-q", "jsc-tiny", "--max-e"], {"--max-epochs"}, {"--max-steps"}),
             (["train", "--training-optimizer", ""], {"adam", "sgd"}, {"jsc-tiny"}),
             (["ops", "relu"], {"relu", "relu6"}, {"gelu"}),
             (["help", "ver"], {"version"}, set()),
             (["nosuch", ""], set(), {"jsc-tiny"})]

    def check(self, offered, expected, absent, line):
        self.assertLessEqual(expected, offered, line)
        self.assertFalse(absent & offered, line)

    def test_bash_offers_what_ch_knows(self):
        for line, expected, absent in self.LINES:
            words = " ".join(f"'{word}'" for word in ["ch"] + line)
            script = (f"source <({CH} completion bash); COMP_WORDS=({words}); "
                      f"COMP_CWORD={len(line)}; _ch {CH}; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
            self.check(set(run("bash", "-c", script).stdout.split()), expected, absent, line)

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh_offers_what_ch_knows(self):
        for line, expected, absent in self.LINES:
            words = " ".join(f"'{word}'" for word in [CH] + line)
            script = (f"compdef() {{ : }}; compadd() {{ print -l -- $found }}; _files() {{ : }}; "
                      f"source <({CH} completion zsh); words=({words}); CURRENT={len(line) + 1}; _ch")
            self.check(set(run("zsh", "-f", "-c", script).stdout.split()), expected, absent, line)

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish_offers_what_ch_knows(self):
        path = dict(os.environ, PATH=f"{pathlib.Path(CH).parent}:{os.environ['PATH']}")
        for line, expected, absent in self.LINES:
            script = f"ch completion fish | source; complete -C 'ch {' '.join(line)}'"
            self.check(set(run("fish", "--no-config", "-c", script, env=path).stdout.split()),
                       expected, absent, line)


class Help(unittest.TestCase):
    def test_help_prints_what_the_options_print(self):
        self.assertEqual(ch("help"), ch("--help"))
        self.assertEqual(ch("help", "train"), ch("train", "--help"))
        self.assertIn("unknown action 'trian'", run(CH, "help", "trian").stderr)
        self.assertEqual(run(CH, "help", "trian").returncode, run(CH, "trian").returncode)

    def test_every_action_takes_quiet_and_json_and_its_help_fits_80_columns(self):
        for name in [line.split()[0] for line in ch("--help").split("\n") if line[:3].strip()]:
            if name in {"usage:", "Actions:", "`ch", "Exit", "ACTION"} or not name[0].islower():
                continue
            text = ch("help", name)
            self.assertIn("--quiet, -q", text, name)
            self.assertIn("--json", text, name)
            for line in text.split("\n"):
                self.assertLessEqual(len(line), 80, f"{name}: {line}")

    def test_version_names_the_commit_and_the_build(self):
        told = json.loads(ch("version", "--json", "-"))
        head = run("git", "-C", SOURCE, "rev-parse", "--short=12", "HEAD").stdout.strip()
        self.assertRegex(told["commit"], "^[0-9a-f]{12}$" if head else "^unknown$")
        self.assertIn(told["commit"], ch("version"))
        self.assertIn(told["build"], ch("version"))
        self.assertEqual(f"ch {told['version']}\n", ch("--version"))

    def test_a_pass_that_is_given_as_an_action_is_named_as_one(self):
        ended = run(CH, "quantize")
        self.assertEqual(ended.returncode, 2)
        self.assertIn("it is a pass: `ch passes quantize` explains it, `ch pass quantize MODEL` runs it", ended.stderr)

    @unittest.skipUnless(shutil.which("man"), "man is not installed")
    def test_the_manual_page_is_sound(self):
        ended = run("man", "--warnings", "-l", SOURCE / "docs/reference/ch.1")
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        self.assertIn("--learning-rate", ended.stdout)
        narrow = run("man", "-l", SOURCE / "docs/reference/ch.1", env=dict(os.environ, MANWIDTH="80")).stdout
        self.assertEqual([line for line in narrow.splitlines() if len(line) > 80], [])


if __name__ == "__main__":
    unittest.main()
