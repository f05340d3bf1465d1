"""tools/on_debian and tools/on_arm64 as a person uses them: what they say where they cannot work, what they do where
they can.

debootstrap is a stand-in that copies a shell and some commands of this machine; nothing is downloaded.
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(os.environ.get("CH_SOURCE", pathlib.Path(__file__).parents[2]))
COMMANDS = ("bash", "env", "cat", "sleep", "touch")
# The folder of the root is its last argument but one; the address of the mirror is the last.
DEBOOTSTRAP = """#!/bin/bash
echo "$@" >> {fake}/debootstrap.calls
[ -e {fake}/words ] && {{ cat {fake}/words; exit 1; }}
to=${{@: -2:1}}
mkdir -p $to/{{etc,proc,dev,sys,usr/sbin}}
for program in {programs}; do
  for file in $program $(ldd $program | grep -o '/[^ ]*'); do
    mkdir -p $to$(dirname $file) && cp -Ln $file $to$file
  done
done
"""
APT_GET = """#!/bin/sh
[ "$1" = indextargets ] && {{ [ -e {fake}/no_apt ] || printf 'http://mirror.test/debian-security/ {name}-security main\\n\
http://mirror.test/debian/ {name} main\\n'; exit; }}
echo 'E: Could not connect to mirror.test'
exit 100
"""
CODENAME = re.search(r"^VERSION_CODENAME=(\w+)", pathlib.Path("/etc/os-release").read_text(), re.M)[1]


def can_mount():
    return os.geteuid() == 0 and subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode == 0


class Tool(unittest.TestCase):
    """A clone with stand-ins for the commands that need root or a network."""
    tool = None

    def setUp(self):
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="ch-on-debian-"))
        self.addCleanup(shutil.rmtree, self.scratch)
        self.root, self.fake = self.scratch / "clone", self.scratch / "bin"
        (self.root / "tools").mkdir(parents=True)
        self.fake.mkdir()
        for name in (self.tool, "tools/lib.sh", "tools/roots.sh", "tools/packages.txt"):
            shutil.copy(ROOT / name, self.root / name)
        self.stand_in("debootstrap", DEBOOTSTRAP)
        self.stand_in("apt-get", APT_GET)
        self.stand_in("apt-config", "#!/bin/sh\n")
        self.stand_in("id", "#!/bin/sh\necho 0\n")
        self.stand_in("df", "#!/bin/sh\nprintf 'Avail\\n  900G\\n'\n")
        # As if mounting were allowed; the command itself is not run.
        self.stand_in("unshare", '#!/bin/sh\nshift; [ "$1" = bash ] || exec "$@"\n')

    def stand_in(self, name, text):
        programs = " ".join(shutil.which(command) for command in COMMANDS)
        (self.fake / name).write_text(text.format(fake=self.fake, programs=programs, name=CODENAME))
        (self.fake / name).chmod(0o755)

    def wait_for(self, path):
        for _ in range(600):
            if path.exists():
                return
            time.sleep(0.05)
        self.fail(f"no {path} came")

    def start(self, *command, path=None, own_group=False):
        environment = dict(os.environ, PATH=f"{self.fake}:{path or os.environ['PATH']}", CH_WORD="a word")
        return subprocess.Popen([self.root / self.tool, *command], cwd=self.root, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env=environment, start_new_session=own_group)

    def run_it(self, *command, **more):
        process = self.start(*command, **more)
        out, err = process.communicate(timeout=120)
        return process.returncode, out, err

    def refuses(self, command, status, error, hint, **more):
        """One message, with a line to type."""
        got, out, err = self.run_it(*command, **more)
        self.assertEqual((got, out), (status, ""), err)
        self.assertEqual(err.count("error: "), 1, err)
        self.assertIn(f"error: {error}", err)
        self.assertRegex(err, hint)
        self.assertFalse((self.root / "build/debian13/root").exists())
        self.assertFalse((self.root / "build/arm64-root").exists())
        return err


class OnDebian(Tool):
    tool = "tools/on_debian"

    def test_wrong_usage_is_told_with_the_right_one(self):
        hint = "hint: tools/on_debian 13 COMMAND"
        self.refuses([], 64, "which Debian, and what to run there?\n", hint)
        self.refuses(["11", "./test"], 64, "there is no Debian '11' here: 12 and 13 are known\n", hint)
        self.refuses(["trixie", "./test"], 64, "there is no Debian 'trixie' here", hint)
        self.refuses(["13"], 64, "what to run on Debian 13?\n", "hint: tools/on_debian 13 ./test\n")

    def test_a_user_is_told_that_it_takes_root(self):
        self.stand_in("id", "#!/bin/sh\necho 1000\n")
        self.refuses(["13", "./test", "relu"], 69,
                     "only root can make a Debian 13 root folder and enter it\n",
                     "hint: sudo tools/on_debian 13 ./test relu\n")

    def test_too_little_space_is_told_before_anything_is_made(self):
        self.stand_in("df", "#!/bin/sh\nprintf 'Avail\\n  3G\\n'\n")
        self.refuses(["13", "./test"], 69,
                     "a Debian 13 root folder with a build needs 8 GB, and there are 3 GB left\n", "hint: df -h ")
        self.assertFalse((self.fake / "debootstrap.calls").exists())

    def test_a_debootstrap_that_cannot_be_installed_is_told_with_the_line_to_type(self):
        (self.fake / "debootstrap").unlink()
        self.stand_in("dpkg-query", "#!/bin/sh\n")
        bare = self.scratch / "bare"
        bare.mkdir()
        for name in ("bash", "sh", "env", "readlink", "dirname", "mkdir", "awk", "tr", "flock", "grep", "rm", "true"):
            (bare / name).symlink_to(shutil.which(name))
        err = self.refuses(["13", "./test"], 69,
                           "these Debian packages are missing and could not be installed\n  debootstrap\n",
                           "hint: .*apt-get install --no-install-recommends debootstrap", path=bare)
        self.assertIn("note: apt-get cannot reach its servers", err)

    def test_debootstraps_trouble_is_told_in_one_message(self):
        for words, note in (
                ("E: Failed getting release file http://mirror.test/debian/dists/trixie/Release",
                 "the mirror http://mirror.test/debian does not answer, or has no trixie; its words are in "),
                ("tar: write error: No space left on device", "the disk is full\n"),
                ("E: No such script: /usr/share/debootstrap/scripts/trixie",
                 "E: No such script: /usr/share/debootstrap/scripts/trixie; its words are in ")):
            with self.subTest(words):
                (self.fake / "words").write_text(words + "\n")
                err = self.refuses(["13", "./test"], 69, "debootstrap could not make Debian 13\n",
                                   "hint: debootstrap --variant=minbase .*trixie .* http://mirror.test/debian\n")
                self.assertIn(f"note: {note}", err)
                self.assertFalse((self.root / "build/debian13/root.new").exists())

    def test_a_machine_where_root_may_not_mount_is_told(self):
        self.stand_in("unshare", "#!/bin/sh\nexit 1\n")
        self.refuses(["13", "./test"], 69, "this machine does not let root mount anything, as containers often do not\n",
                     "hint: docker run --privileged")
        self.assertFalse((self.fake / "debootstrap.calls").exists(), "it is told before a download")

    def test_the_mirror_is_the_one_of_this_machines_apt(self):
        for version, name in (("12", "bookworm"), ("13", "trixie")):
            self.assertEqual(self.run_it(version, "true")[0], 0)
            call = (self.fake / "debootstrap.calls").read_text().splitlines()[-1]
            self.assertRegex(call, f" {name} {self.root}/build/debian{version}/root.new http://mirror.test/debian$")
        self.assertEqual(self.run_it("13", "true")[0], 0)
        self.assertEqual(len((self.fake / "debootstrap.calls").read_text().splitlines()), 2, "it is made once")

    @unittest.skipUnless(can_mount(), "not root, or root may not mount")
    def test_a_tree_that_is_read_only_is_told(self):
        (self.fake / "unshare").unlink()
        script = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$0/tools/on_debian" 13 true'
        done = subprocess.run(["unshare", "--mount", "bash", "-c", script, self.root], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (69, f"error: cannot write to {self.root}/build\n"
                                                              "  hint: a clone where you may write\n"))

    @unittest.skipUnless(can_mount(), "not root, or root may not mount")
    def test_a_command_sees_the_tree_with_a_build_folder_of_its_own(self):
        (self.fake / "unshare").unlink()
        (self.root / "build").mkdir()
        (self.root / "build/ours").write_text("not seen there\n")
        (self.root / "word.txt").write_text("seen there\n")
        script = f"""cat word.txt; [[ $PWD == {self.root} ]] && echo same folder; [[ -e build/ours ]] || echo own build
            touch build/theirs; echo "$CH_WORD, $1"; [[ -e /proc/self && -e /dev/null ]] && echo proc and dev; exit 3"""
        status, out, err = self.run_it("13", "bash", "-c", script, "bash", "it's \"quoted\"")
        self.assertEqual((status, out), (3, "seen there\nsame folder\nown build\na word, it's \"quoted\"\n"
                                            "proc and dev\n"), err)
        self.assertEqual(err, f"making a root folder of Debian 13 in {self.root}/build/debian13/root "
                              f"(log: {self.root}/build/debian13.log)\n")
        self.assertTrue((self.root / "build/debian13/build/theirs").exists())
        self.assertFalse((self.root / "build/theirs").exists())
        self.assertEqual(self.run_it("13", "cat", "word.txt"), (0, "seen there\n", ""))

        with self.subTest("what is in use is not removed"):
            running = self.start("13", "bash", "-c", "echo begun; sleep 60")
            self.assertEqual(running.stdout.readline(), "begun\n")
            status, _, err = self.run_it("13", "--clean")
            self.assertEqual(status, 69)
            self.assertIn(f"error: something still runs in {self.root}/build/debian13\n", err)

        with self.subTest("nothing stays mounted after a kill"):
            os.kill(running.pid, signal.SIGKILL)
            running.communicate()
            self.assertNotIn(str(self.root), pathlib.Path("/proc/mounts").read_text())

        with self.subTest("it is removed, the tree is not"):
            self.assertEqual(self.run_it("13", "--clean"), (0, "", ""))
            self.assertEqual(sorted(path.name for path in (self.root / "build").iterdir()), ["ours"])
            self.assertTrue((self.root / "word.txt").exists())


    @unittest.skipUnless(can_mount(), "not root, or root may not mount")
    def test_a_kill_while_the_root_is_made_leaves_nothing_mounted_and_the_next_call_makes_it(self):
        (self.fake / "unshare").unlink()
        mounts = 'mount -t proc proc $to/proc; echo begun > {fake}/begun; [ -e {fake}/again ] || sleep 60; umount $to/proc\n'
        self.stand_in("debootstrap", DEBOOTSTRAP + mounts)
        first = self.start("13", "cat", "/etc/passwd", own_group=True)
        self.wait_for(self.fake / "begun")
        second = self.start("13", "bash", "-c", "echo done")
        self.assertEqual(second.stderr.readline(), f"waiting for another call to make {self.root}/build/debian13/root...\n")
        (self.fake / "again").touch()
        os.killpg(first.pid, signal.SIGKILL)
        first.communicate()
        out, err = second.communicate(timeout=60)
        self.assertEqual((second.returncode, out), (0, "done\n"), err)
        self.assertNotIn(str(self.root), pathlib.Path("/proc/mounts").read_text())


class Help(unittest.TestCase):
    def test_each_says_what_it_is_for(self):
        for tool in ("on_debian", "on_arm64", "on_cpu"):
            for word in ("-h", "--help"):
                done = subprocess.run([ROOT / "tools" / tool, word], capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertTrue(done.stdout.startswith(f"tools/{tool} "), done.stdout)


class OnArm64(Tool):
    tool = "tools/on_arm64"

    def setUp(self):
        super().setUp()
        self.stand_in("dpkg-query", "#!/bin/sh\nshift 2; for name; do echo $name installed; done\n")
        self.stand_in("cmake", "#!/bin/sh\necho no compiler is needed here; exit 1\n")

    def test_what_is_missing_is_told_in_one_message_with_the_line_to_type(self):
        self.refuses(["bit"], 64, "what is 'bit'?\n", "hint: tools/on_arm64, tools/on_arm64 bits, ")
        self.stand_in("df", "#!/bin/sh\nprintf 'Avail\\n  3G\\n'\n")
        self.refuses([], 69, "a build for arm64 needs 4 GB, and there are 3 GB left\n", "hint: df -h ")
        self.stand_in("df", "#!/bin/sh\nprintf 'Avail\\n  900G\\n'\n")
        (self.fake / "words").write_text("E: Failed getting release file\n")
        err = self.refuses(["bits"], 69, "debootstrap could not make a folder of arm64\n",
                           "hint: debootstrap --arch=arm64 .*libgtest-dev,libc6-dev bookworm .* http://mirror.test/debian\n")
        self.assertIn("note: the mirror http://mirror.test/debian does not answer, or has no bookworm", err)
        self.stand_in("id", "#!/bin/sh\necho 1000\n")
        self.refuses([], 69, "only root can download the libraries of arm64 with debootstrap\n", "hint: sudo tools/on_arm64\n")

    def test_what_debootstrap_downloads_becomes_a_folder_to_build_against(self):
        package = self.scratch / "package"
        for name in ("DEBIAN", "lib/aarch64-linux-gnu", "usr/lib/aarch64-linux-gnu"):
            (package / name).mkdir(parents=True)
        (package / "DEBIAN/control").write_text("Package: m\nVersion: 1\nArchitecture: arm64\nMaintainer: m\nDescription: m\n")
        (package / "lib/aarch64-linux-gnu/libm.so.6").write_text("mathematics")
        (package / "usr/lib/aarch64-linux-gnu/libm.so").symlink_to("/lib/aarch64-linux-gnu/libm.so.6")
        subprocess.run(["dpkg-deb", "-b", package, self.scratch / "m.deb"], check=True, capture_output=True)
        self.stand_in("debootstrap", "#!/bin/bash\nto=${{@: -2:1}}/var/cache/apt/archives\n"
                                     f"mkdir -p $to && cp {self.scratch}/m.deb $to/\n")
        status, _, err = self.run_it("bits")
        self.assertEqual(status, 70, err)
        self.assertIn("error: the build failed\n", err)
        made = self.root / "build/arm64-root"
        self.assertEqual((made / "lib").readlink(), pathlib.Path("usr/lib"))
        self.assertEqual((made / "usr/lib/aarch64-linux-gnu/libm.so").readlink(), pathlib.Path("libm.so.6"))
        self.assertEqual((made / "usr/lib/aarch64-linux-gnu/libm.so").read_text(), "mathematics")
        self.assertFalse((self.root / "build/arm64-root.new").exists())
        self.assertEqual(self.run_it("--clean")[0], 0)
        self.assertFalse(made.exists())


class ContinuousIntegration(unittest.TestCase):
    """.ci/run beside stand-ins of ./test and tools/on_debian, on a machine that is not Debian 13."""

    def run_it(self, test, on_debian):
        root = pathlib.Path(tempfile.mkdtemp(prefix="ch ci "))
        self.addCleanup(shutil.rmtree, root)
        for name, does in ((".ci/run", None), ("test", test), ("tools/on_debian", on_debian), ("bin/grep", "exit 1")):
            (root / name).parent.mkdir(exist_ok=True)
            text = f'#!/bin/sh\necho "{name} $*"\n{does}\n' if does else (ROOT / name).read_text()
            (root / name).write_text(text)
            (root / name).chmod(0o755)
        environment = dict(os.environ, PATH=f"{root}/bin:{os.environ['PATH']}", CH_CI_MINUTES="0.02")
        done = subprocess.run([root / ".ci/run", "-R", "some"], env=environment, capture_output=True, text=True, cwd="/")
        self.assertIn("test -R some\n", done.stdout)
        return done.returncode, done.stdout

    def test_it_fails_where_tests_fail_there_and_not_where_debian_13_cannot_be_made(self):
        skipped = "skipped: the fast tests on Debian 13"
        for does, expected, says in (("exit 0", 0, ""), ("exit 8", 8, ""), ("exit 70", 70, ""),
                                     ("exit 69", 0, f"{skipped}, for the reason above\n"),
                                     ("exit 1", 1, ""),
                                     ("sleep 60", 0, f"{skipped} were not done after 0.02 minutes\n")):
            with self.subTest(does):
                status, out = self.run_it("exit 0", does)
                self.assertEqual(status, expected, out)
                self.assertIn("tools/on_debian 13 ./test -L fast\n", out)
                self.assertEqual("skipped" in out, bool(says), out)
                self.assertIn(says, out)

    def test_it_stops_where_tests_fail_here(self):
        status, out = self.run_it("exit 8", "exit 0")
        self.assertEqual(status, 8)
        self.assertNotIn("tools/on_debian", out)


if __name__ == "__main__":
    unittest.main()
