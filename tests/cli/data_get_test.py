"""ch data and ch data get, against a server of our own that keeps its word, breaks off, lies and redirects."""
import hashlib
import json
import os
import pathlib
import pty
import resource
import shutil
import signal
import ssl
import subprocess
import tempfile
import time
import unittest

import h5py
import numpy
from loopback_server import Server, send

CH = os.environ["CH_BIN"]
JSC = "processed-pythia82-lhc13-all-pt1-50k-r1_h022_e0175_t220_nonu_truth.z"
ARFF = "hls4ml_lhc_jets_hlf.arff"
LABELS = "t10k-labels-idx1-ubyte.gz"
LABELS_SIZE = 4542
FEATURES = ("zlogz c1_b0_mmdt c1_b1_mmdt c1_b2_mmdt c2_b1_mmdt c2_b2_mmdt d2_b1_mmdt d2_b2_mmdt d2_a1_b1_mmdt "
            "d2_a1_b2_mmdt m2_b1_mmdt m2_b2_mmdt n2_b1_mmdt n2_b2_mmdt mass_mmdt multiplicity").split()


def jets_hdf5(path, rows=400):
    draw = numpy.random.default_rng(0)
    names = ["j_" + name for name in FEATURES] + ["j_g", "j_q", "j_w", "j_z", "j_t"]
    table = numpy.zeros(rows, dtype=[(name, "f4") for name in names])
    for name in names[:16]:
        table[name] = draw.normal(size=rows)
    kinds = draw.integers(0, 5, rows)
    for k, name in enumerate(names[16:]):
        table[name] = kinds == k
    with h5py.File(path, "w") as file:
        file["t_allpar_new"] = table
    return path.read_bytes()


def jets_arff(rows=400):
    draw = numpy.random.default_rng(1)
    lines = ["% jets", "@RELATION hls4ml_lhc_jets_hlf", ""]
    lines += [f"@ATTRIBUTE {name} REAL" for name in FEATURES] + ["@ATTRIBUTE class {g, q, w, z, t}", "", "@DATA"]
    x = draw.normal(size=(rows, 16))
    y = draw.integers(0, 5, rows)
    lines += [",".join(map(repr, row.tolist())) + "," + "gqtwz"[k] for row, k in zip(x, y)]
    return ("\n".join(lines) + "\n").encode(), x, y


class DataGet(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.cache = self.folder / "cache" / "dataset"
        self.server = Server()
        self.addCleanup(self.server.stop)
        self.jets = jets_hdf5(self.folder / "jets.h5")

    def environment(self, **variables):
        own = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
        return {**own, "CH_CACHE_DIR": str(self.folder / "cache"), **variables}

    def ch(self, *words, code=0, limit=None, **variables):
        done = subprocess.run([CH, *map(str, words)], cwd=self.folder, env=self.environment(**variables),
                              capture_output=True, text=True, check=False, timeout=60, restore_signals=limit is None,
                              preexec_fn=(lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
                              if limit else None)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.log = done.stderr
        return done.stdout

    def get(self, *words, name="jsc", answer=None, code=0, **options):
        self.server.answer = answer or send(self.jets)
        url = self.server.url() if name == "mnist" else self.server.url("jets")
        return self.ch("data", "get", name, "--url", url, "--stall-timeout", 5, *words, code=code, **options)

    def path(self, file=JSC, name="jsc"):
        return self.cache / name / file

    def left(self, name="jsc"):
        return sorted(path.name for path in (self.cache / name).iterdir()) if (self.cache / name).exists() else []

    def all_but_the_labels_of_mnist(self):
        for part in ("train-images-idx3", "train-labels-idx1", "t10k-images-idx3"):
            self.path(f"{part}-ubyte", "mnist").parent.mkdir(parents=True, exist_ok=True)
            self.path(f"{part}-ubyte", "mnist").write_bytes(b"x")


class Listing(DataGet):
    def test_a_newcomer_sees_what_is_missing_and_where_it_is_looked_for(self):
        text = self.ch("data")
        self.assertIn("hls4ml_lhc_jets_hlf.arff            missing", text)
        self.assertIn("synthetic jets", text)
        self.assertIn(f"Looked for in {self.cache}/NAME. `ch data get NAME` downloads what is missing.", text)
        self.assertFalse(self.cache.exists(), "a listing writes nothing")
        page = (pathlib.Path(os.environ["CH_SOURCE"]) / "docs" / "data.md").read_text()
        for line in text.splitlines()[:-2]:
            self.assertIn("    " + line + "\n", page)
        rows = {row["file"]: row for row in json.loads(self.ch("data", "--json", "-"))}
        self.assertEqual(rows[JSC]["url"], "https://cernbox.cern.ch/s/jvFd5MoWhGs1l5v/download")
        self.assertEqual(rows[JSC]["state"], "missing")
        self.assertEqual(rows[JSC]["folder"], str(self.cache / "jsc"))
        self.assertEqual(rows[LABELS]["bytes"], LABELS_SIZE)
        self.assertEqual(rows["cifar-10-binary.tar.gz"]["state"], "missing")
        self.assertTrue(self.ch("data", "list", "--markdown").startswith("| Data set"))
        self.assertIn("unexpected argument 'jsc'", self.ch("data", "list", "jsc", code=1) + self.log)

    def test_what_is_there_is_found_under_every_name_it_is_read_by(self):
        self.all_but_the_labels_of_mnist()
        self.path("cifar-10-batches-bin/test_batch.bin", "cifar10").parent.mkdir(parents=True)
        self.path("cifar-10-batches-bin/test_batch.bin", "cifar10").write_bytes(b"abc")
        rows = json.loads(self.ch("data", "--json", "-"))
        found = {(row["dataset"], row["file"], row["bytes"]) for row in rows if row["state"] == "found"}
        self.assertEqual(found, {("mnist", "train-images-idx3-ubyte", 1), ("mnist", "train-labels-idx1-ubyte", 1),
                                 ("mnist", "t10k-images-idx3-ubyte", 1),
                                 ("cifar10", "cifar-10-batches-bin/test_batch.bin", 3)})

    def test_a_training_on_synthetic_jets_names_the_command_for_real_ones(self):
        words = ["train", "jsc-tiny", "jsc", "--max-epochs", 1, "--rows", 300]
        self.ch(*words)
        self.assertIn("using 300 synthetic jets (seed 42); `ch data get jsc` downloads real ones", self.log)
        self.get()
        self.ch(*words)
        self.assertIn(f"dataset 'jsc': real jets from '{self.path()}'", self.log)
        self.assertNotIn("synthetic", self.log)
        for name in ("jsc_openml", "mnist", "fashion_mnist", "cifar10"):
            self.ch("train", "toy", name, code=1)
            self.assertIn(f"`ch data get {name}` downloads", self.log)


class Getting(DataGet):
    def test_a_file_arrives_under_its_name_and_its_sum_is_kept(self):
        text = self.get()
        self.assertIn("downloaded", text)
        self.assertEqual(self.path().read_bytes(), self.jets)
        self.assertEqual(self.left(), [JSC, JSC + ".sha256"])
        kept = self.path(JSC + ".sha256").read_text()
        self.assertEqual(kept, f"{hashlib.sha256(self.jets).hexdigest()}  {JSC}\n")
        row = json.loads(self.get("--json", "-"))[0]
        self.assertEqual((row["state"], row["bytes"]), ("was there", len(self.jets)))
        self.assertEqual(len(self.server.seen), 1, "what is there is not asked for")
        self.assertIn("ch/", self.server.seen[0][2]["User-Agent"])
        self.assertIn("was there", self.get("-q"))
        self.assertEqual(self.log, "")

    def test_later_downloads_are_compared_with_the_first(self):
        self.get()
        self.get("--again")
        other = self.jets[:-1] + b"?"
        self.get("--again", answer=send(other), code=1)
        self.assertIn("is another file: its SHA-256 is " + hashlib.sha256(other).hexdigest(), self.log)
        self.assertIn(f"to accept it, remove {self.path()}.sha256", self.log)
        self.assertEqual(self.path().read_bytes(), self.jets, "the first file stays")
        self.assertEqual(self.left(), [JSC, JSC + ".sha256"])
        self.path(JSC + ".sha256").unlink()
        self.get("--again", answer=send(other))
        self.assertEqual(self.path().read_bytes(), other)

    def test_a_connection_that_breaks_off_is_taken_up_again(self):
        self.get(answer=send(self.jets, stop_after=len(self.jets) // 3))
        self.assertEqual(self.path().read_bytes(), self.jets)
        ranges = [headers.get("Range") for _, _, headers in self.server.seen]
        self.assertEqual(ranges[:3], [None, f"bytes={len(self.jets) // 3}-", f"bytes={len(self.jets) // 3 * 2}-"])
        self.assertEqual(self.server.seen[1][2]["If-Range"], '"v1"')
        self.assertIn("Broken off after", self.log)

    def test_the_next_command_goes_on_where_one_stopped(self):
        self.get(answer=send(self.jets, stop_after=1000, ranges=False), code=1)
        self.assertIn("1,000 bytes have come and are kept; the same command goes on from there", self.log)
        self.assertEqual(self.left(), [JSC + ".part", JSC + ".part.from"])
        self.assertIn("in part", self.ch("data"))
        self.server.seen.clear()
        self.get()
        self.assertEqual([headers.get("Range") for _, _, headers in self.server.seen], ["bytes=1000-"])
        self.assertEqual(self.path().read_bytes(), self.jets)
        self.assertEqual(self.left(), [JSC, JSC + ".sha256"])

    def test_a_server_without_ranges_or_with_another_file_starts_over(self):
        old = self.jets[:8] + bytes(len(self.jets) - 8)
        for answer in (send(self.jets, ranges=False), send(self.jets, tag='"v2"')):
            self.get(answer=send(old, stop_after=1000, ranges=False), code=1)
            self.get(answer=answer)
            self.assertEqual(self.path().read_bytes(), self.jets)
            shutil.rmtree(self.cache)
        # Another address, or a range that was not asked for.
        self.get(answer=send(old, stop_after=1000, ranges=False), code=1)
        self.server.answer = send(self.jets)
        self.ch("data", "get", "jsc", "--url", self.server.url("elsewhere"))
        self.assertEqual(self.path().read_bytes(), self.jets)
        shutil.rmtree(self.cache)
        self.get(answer=send(old, stop_after=1000, ranges=False), code=1)

        def wrong_part(handler):
            if "Range" not in handler.headers:
                return send(self.jets)(handler)
            handler.send_response(206)
            handler.send_header("Content-Range", f"bytes 7-9/{len(self.jets)}")
            handler.send_header("Content-Length", "3")
            handler.end_headers()
            return handler.wfile.write(b"abc")
        self.get(answer=wrong_part)
        self.assertEqual(self.path().read_bytes(), self.jets)

    def test_parts_of_two_files_do_not_become_one(self):
        old = self.jets[:8] + bytes(len(self.jets) - 8)

        def rest_of_another(handler, name, mark):
            asked = handler.headers.get("Range")  # and If-Range is not looked at
            if asked is None:
                return send(self.jets, tag=None)(handler)
            start = int(asked.split("=")[1].rstrip("-"))
            handler.send_response(206)
            handler.send_header("Content-Range", f"bytes {start}-{len(self.jets) - 1}/{len(self.jets)}")
            handler.send_header("Content-Length", str(len(self.jets) - start))
            handler.send_header(name, mark)
            handler.end_headers()
            return handler.wfile.write(self.jets[start:])

        def dated(handler):
            handler.send_response(200)
            handler.send_header("Last-Modified", "Mon, 01 Jan 2024 00:00:00 GMT")
            handler.send_header("Content-Length", str(len(old)))
            handler.end_headers()
            handler.wfile.write(old[:1000])
        for first, name, mark in ((send(old, stop_after=1000, ranges=False), "ETag", '"v2"'),
                                  (dated, "Last-Modified", "Tue, 02 Jan 2024 00:00:00 GMT")):
            with self.subTest(name):
                self.get(answer=first, code=1)
                self.assertIn("1,000 bytes have come and are kept", self.log)
                self.get(answer=lambda handler: rest_of_another(handler, name, mark))
                self.assertIn("Range", self.server.seen[-2][2])
                self.assertNotIn("Range", self.server.seen[-1][2])
                self.assertEqual(self.path().read_bytes(), self.jets)
                shutil.rmtree(self.cache)
        # Nothing to recognise the file by: there is nothing to go on with.
        for tag in (None, 'W/"v1"'):
            self.server.seen.clear()
            self.get(answer=send(old, stop_after=1000, tag=tag), code=1)
            self.assertNotIn("are kept", self.log)
            self.assertEqual(self.left(), [])
            self.assertEqual({headers.get("Range") for _, _, headers in self.server.seen}, {None})

    def test_a_first_download_that_is_not_the_whole_file_is_noticed(self):
        for name, whole, claims, says in (
                ("jsc", self.jets, 3000, "it is not an HDF5 file, or not a whole one"),
                ("jsc_openml", jets_arff()[0], 30000, "has 3 cells for 17 attributes"),
                ("jsc_openml", b"", 0, ""), ("jsc_openml", b'{"error": "no such file"}', 25, "")):
            self.server.answer = send(whole, claims=claims)
            self.ch("data", "get", name, "--url", self.server.url("jets"), code=1)
            self.assertIn(f"error: '{self.server.url('jets')}' is not the file, or not all of it: ", self.log)
            self.assertIn(says, self.log)
            self.assertIn(" by hand and put it into ", self.log)
            self.assertEqual(self.left(name), [], "its sum is not kept either")

    def test_what_is_there_is_there_in_a_read_only_folder_too(self):
        self.get()
        cache = self.cache.parent
        script = ('mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"')
        words = ["unshare", "--mount", "bash", "-c", script, str(cache)]
        if subprocess.run([*words, "true"], check=False, capture_output=True).returncode != 0:
            self.skipTest("nothing can be mounted here")
        got = subprocess.run([*words, CH, "data", "get", "jsc"], env=self.environment(), capture_output=True, text=True,
                             check=False)
        self.assertEqual((got.returncode, got.stderr), (0, ""))
        self.assertIn("was there", got.stdout)

    def test_a_part_that_was_not_asked_for_is_not_taken_for_the_file(self):
        def part(handler):
            handler.send_response(206)
            handler.send_header("Content-Range", f"bytes 0-99/{len(self.jets)}")
            handler.send_header("Content-Length", "100")
            handler.end_headers()
            handler.wfile.write(self.jets[:100])
        self.get(answer=part, code=1)
        self.assertIn("the server sends a part that was not asked for", self.log)
        self.assertEqual(self.left(), [])

    def test_a_file_of_unknown_length_arrives_with_a_warning_unless_its_end_is_marked(self):
        def unmarked(handler):
            handler.wfile.write(b"HTTP/1.0 200 OK\r\n\r\n" + self.jets)

        def in_pieces(handler, end=b"0\r\n\r\n"):
            handler.wfile.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            handler.wfile.write(b"%x\r\n%s\r\n%s" % (len(self.jets), self.jets, end))
        for answer, warns in ((unmarked, True), (in_pieces, False)):
            self.get(answer=answer)
            self.assertEqual(self.path().read_bytes(), self.jets)
            self.assertEqual("does not say how long the file is, so this may be a part of it" in self.log, warns, self.log)
            shutil.rmtree(self.cache)
        self.get(answer=lambda handler: in_pieces(handler, b""), code=1)
        self.assertIn(f"Broken off after {len(self.jets):,} bytes", self.log)
        self.assertEqual(self.left(), [], "without its length, nothing would tell the rest of it")

    def test_two_downloads_of_one_data_set_do_not_meet(self):
        self.server.answer = send(self.jets, stop_after=100, wait=self.server.ended)
        words = [CH, "data", "get", "jsc", "--url", self.server.url("jets")]
        first = subprocess.Popen(words, env=self.environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.wait_for_part(100)
        self.get(code=1)
        self.assertIn("is in use by downloading", self.log)
        self.assertIn("hint: wait until it has ended, then go on", self.log)
        first.terminate()
        self.assertEqual(first.wait(20), 128 + signal.SIGTERM)
        first.stdout.close()

    def test_a_terminal_shows_how_far_it_is(self):
        def slowly(handler):
            handler.send_response(200)
            handler.send_header("Content-Length", str(len(self.jets)))
            handler.end_headers()
            for at in range(0, len(self.jets), 8192):
                handler.wfile.write(self.jets[at:at + 8192])
                time.sleep(0.15)
        self.server.answer = slowly
        screen, terminal = pty.openpty()
        with subprocess.Popen([CH, "data", "get", "jsc", "--url", self.server.url("jets")], env=self.environment(),
                              stdout=subprocess.DEVNULL, stderr=terminal) as child:
            os.close(terminal)
            text = b""
            try:
                while block := os.read(screen, 4096):
                    text += block
            except OSError:  # the other side is closed
                pass
            os.close(screen)
        self.assertEqual(child.returncode, 0)
        self.assertRegex(text.decode(), r"processed-pythia82-lhc13-all-p: +\d+% .*\d\.\d KiB/\d+\.\d KiB \[")

    def wait_for_part(self, size):
        part = self.path(JSC + ".part")
        for _ in range(400):
            if part.exists() and part.stat().st_size >= size:
                return
            time.sleep(0.05)
        self.fail("no part came")

    def test_ctrl_c_keeps_what_has_come(self):
        self.server.answer = send(self.jets, stop_after=5000, wait=self.server.ended)
        words = [CH, "data", "get", "jsc", "--url", self.server.url("jets")]
        child = subprocess.Popen(words, env=self.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.wait_for_part(5000)
        child.send_signal(signal.SIGINT)
        _, log = child.communicate(timeout=20)
        self.assertEqual(child.returncode, 130, log)
        self.assertIn("Interrupted; 5,000 bytes are kept, and the same command goes on from there", log)
        self.assertEqual(self.path(JSC + ".part").read_bytes(), self.jets[:5000])
        self.server.seen.clear()
        self.get()
        self.assertEqual(self.server.seen[0][2]["Range"], "bytes=5000-")
        self.assertEqual(self.path().read_bytes(), self.jets)


class Refused(DataGet):
    def test_other_files_are_noticed(self):
        self.all_but_the_labels_of_mnist()
        body = b"\x1f\x8b" + bytes(LABELS_SIZE - 2)
        self.get(name="mnist", answer=send(body), code=1)
        self.assertIn(f"its SHA-256 is {hashlib.sha256(body).hexdigest()}, and f7ae60f9", self.log)
        self.get(name="mnist", answer=send(body + b"?"), code=1)
        self.assertIn("is another file: it has 4,543 bytes where 4,542 bytes are expected", self.log)
        self.get(name="mnist", answer=send(bytes(LABELS_SIZE)), code=1)
        self.assertIn("it does not begin as such files do", self.log)
        self.get(answer=send(b"\n <!DOCTYPE html><p>Please log in"), code=1)
        self.assertIn("is another file: a web page", self.log)
        self.assertIn(f"fetch https://cernbox.cern.ch/s/jvFd5MoWhGs1l5v/download by hand and put it into "
                      f"{self.cache / 'jsc'} as {JSC}", self.log)
        self.assertEqual(self.left("mnist"), ["t10k-images-idx3-ubyte", "train-images-idx3-ubyte",
                                              "train-labels-idx1-ubyte"])
        self.assertEqual(self.left(), [])

    def test_servers_that_lie_about_lengths(self):
        self.get(answer=send(self.jets, claims=len(self.jets) + 10, ranges=False), code=1)
        self.assertIn("transfer closed with 10 bytes remaining", self.log)
        self.all_but_the_labels_of_mnist()
        for claims in (str(2**64), "-1", "many"):
            self.get(name="mnist", answer=send(b"\x1f\x8b", claims=claims), code=1)
        self.get(answer=send(self.jets, claims=5 * 2**30), code=1)
        self.assertIn("sends more than the 4,294,967,296 bytes that are accepted", self.log)

    def test_endless_answers_end_at_the_size_of_the_file(self):
        self.all_but_the_labels_of_mnist()

        def endless(handler):
            handler.send_response(200)
            handler.end_headers()
            while True:
                handler.wfile.write(b"\x1f\x8b" * 1000)
        self.get(name="mnist", answer=endless, code=1)
        self.assertIn("sends more than the 4,542 bytes of the file", self.log)
        self.assertNotIn(LABELS + ".part", self.left("mnist"))
        self.get(name="mnist", answer=lambda handler: handler.wfile.write(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 10**6),
                 code=1)

    def test_redirects_go_to_http_and_https_alone(self):
        for location in ("ftp://127.0.0.1/x", "file:///etc/passwd", "gopher://127.0.0.1/x", "dict://127.0.0.1/x"):
            self.get(answer=send(b"", location=location), code=1)
            self.assertIn(f"redirects to '{location}', which is not http or https", self.log)
        self.get(answer=send(b"", location=self.server.url("jets")), code=1)
        self.assertIn("redirects", self.log)

        def once(handler):
            there = handler.path == "/there"
            send(self.jets, location=None if there else self.server.url("there"))(handler)
        self.get(answer=once)
        self.assertEqual(self.path().read_bytes(), self.jets)
        self.assertEqual(self.left(), [JSC, JSC + ".sha256"])

    def test_servers_that_do_not_answer(self):
        began = time.monotonic()
        self.get("--stall-timeout", 1.5, answer=lambda handler: self.server.ended.wait(20), code=1)
        self.assertIn("no byte came for 1.5 s", self.log)
        self.get("--stall-timeout", 1.5, answer=send(self.jets, stop_after=100, ranges=False, wait=self.server.ended),
                 code=1)
        self.assertIn("only 100 bytes came in 1.5 s", self.log)
        self.assertIn("100 bytes have come and are kept", self.log)

        def drip(handler, head, drop):
            handler.wfile.write(head)
            while not self.server.ended.wait(0.1):
                handler.wfile.write(drop)
                handler.wfile.flush()
        for head, drop in ((b"HTTP/1.1 200 OK\r\n", b"X-Word: word\r\n"), (b"HTTP/1.1 200 OK\r\n\r\n", b"x")):
            self.get("--stall-timeout", 1.5, answer=lambda handler: drip(handler, head, drop), code=1)
            self.assertRegex(self.log, r"(no byte|only \d+ bytes) came (for|in) 1.5 s")
        self.assertLess(time.monotonic() - began, 45)
        # A port that takes no connection, an address that drops it, a name nobody has.
        self.ch("data", "get", "jsc", "--url", "http://127.0.0.1:1/jets", code=1)
        self.assertIn(f"fetch http://127.0.0.1:1/jets by hand and put it into {self.cache / 'jsc'} as {JSC}", self.log)
        self.ch("data", "get", "jsc", "--url", "http://nobody.invalid/jets", "--connect-timeout", 5, code=1)
        self.assertIn("by hand and put it into", self.log)
        self.get(answer=send(b"gone", status=404), code=1)
        self.assertIn("the server answers with status 404", self.log)
        self.ch("data", "get", "mnist", "--url", "http://127.0.0.1:1/", code=1)
        self.assertIn("missing as well: https://storage.googleapis.com/cvdf-datasets/mnist/train-labels", self.log)

    def test_a_full_disk_keeps_what_has_come(self):
        self.get(limit=10000, code=1)
        self.assertIn("the disk is full; free some space, and the same command goes on where this one stopped", self.log)
        self.assertEqual(self.path(JSC + ".part").stat().st_size, 10000)
        self.get()
        self.assertEqual(self.path().read_bytes(), self.jets)

    def test_a_disk_that_is_too_small_is_noticed_before(self):
        self.cache.mkdir(parents=True)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", self.cache], check=False,
                          capture_output=True).returncode != 0:
            self.skipTest("no file system of a known size can be mounted here")
        self.addCleanup(subprocess.run, ["umount", self.cache], check=False)
        self.get(answer=send(self.jets, claims=100_000), code=1)
        self.assertIn("no room in", self.log)

    def test_words_that_name_nothing_to_download_are_explained(self):
        for words, says in {("toy_tiny",): "is generated", (): "which data set", ("mnsit",): "did you mean 'mnist'?",
                            ("mnist", "--url", self.server.url("x")): "has 4 files, and --url names one",
                            ("jsc", "mnist", "--url", self.server.url()): "--url names the files of one data set",
                            ("jsc", "--url", "file:///etc/passwd"): "is not an address to download from"}.items():
            self.ch("data", "get", *words, code=1)
            self.assertIn(says, self.log)
        self.get(code=1, CH_CACHE_DIR=str(self.folder / "jets.h5"))
        self.assertIn("cannot create folder", self.log)
        self.assertIn("hint: CH_CACHE_DIR names another folder for the files", self.log)
        self.path().mkdir(parents=True)
        self.get(code=1)
        self.assertIn(f"'{self.path()}' is there and is not a file\n  hint: move it away", self.log)
        self.path().rmdir()
        os.symlink("/etc/passwd", self.path(JSC + ".part"))
        self.get(code=1)
        self.assertFalse(self.server.seen)


class Addresses(DataGet):
    def secure(self):
        """A certificate for the hosts of all data sets, and the server as a proxy to all of them."""
        key, certificate = self.folder / "key", self.folder / "certificate"
        hosts = ",".join("DNS:" + host for host in ("api.openml.org", "cernbox.cern.ch", "storage.googleapis.com",
                                                    "raw.githubusercontent.com", "www.cs.toronto.edu"))
        try:
            subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate,
                            "-days", "2", "-subj", "/CN=test", "-addext", f"subjectAltName={hosts}"],
                           check=True, capture_output=True)
        except (FileNotFoundError, subprocess.CalledProcessError):
            self.skipTest("openssl makes no certificate here")
        self.server.secure = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.server.secure.load_cert_chain(certificate, key)
        return {"https_proxy": self.server.url(), "SSL_CERT_FILE": str(certificate)}

    def test_every_data_set_is_asked_for_at_its_published_address(self):
        variables = self.secure()
        arff, x, y = jets_arff()
        described = {"data_set_description": {"url": "https://api.openml.org/data/v1/download/1/jets.arff"}}
        answers = {"/s/jvFd5MoWhGs1l5v/download": self.jets, "/data/v1/download/1/jets.arff": arff,
                   "/api/v1/json/data/42468": json.dumps(described).encode()}
        self.server.answer = lambda handler: send(answers[handler.path])(handler)
        self.ch("data", "get", "jsc", "jsc_openml", **variables)
        asked = [host + path for host, path, _ in self.server.seen if host != "CONNECT"]
        self.assertEqual(asked, ["cernbox.cern.ch/s/jvFd5MoWhGs1l5v/download", "api.openml.org/api/v1/json/data/42468",
                                 "api.openml.org/data/v1/download/1/jets.arff"])
        self.assertIn(("CONNECT", "cernbox.cern.ch:443", {}), self.server.seen, "the proxy of https_proxy")
        self.assertEqual(self.path(ARFF, "jsc_openml").read_bytes(), arff)
        self.two_sets_of_jets(x, y)
        self.server.answer = send(b"x")
        self.server.seen.clear()
        for name in ("mnist", "fashion_mnist", "cifar10"):
            self.ch("data", "get", name, code=1, **variables)
            self.assertIn("is another file: it has 1 byte where", self.log)
        asked = [host + path for host, path, _ in self.server.seen if host != "CONNECT"]
        self.assertEqual(asked, ["storage.googleapis.com/cvdf-datasets/mnist/train-images-idx3-ubyte.gz",
                                 "raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion/"
                                 "train-images-idx3-ubyte.gz", "www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz"])

    def two_sets_of_jets(self, x, y):
        """They share no name, no cache and no table."""
        for name in ("jsc", "jsc_openml"):
            self.ch("train", "jsc-tiny", name, "--max-epochs", 1, "--project", name)
            self.assertIn(str(self.cache / name), self.log)
            self.assertEqual(len([file for file in self.left(name) if file.endswith(".safetensors")]), 1)
        self.assertIn("classes g, q, t, w, z (jsc has other jets and another order of classes)", self.log)
        self.assertIn("400 rows: 288 train, 32 validation, 80 test", self.log)

    def test_https_stays_https(self):
        variables = self.secure()
        self.server.answer = send(b"", location="http://cernbox.cern.ch/jets")
        self.ch("data", "get", "jsc", code=1, **variables)
        self.assertIn("redirects to 'http://cernbox.cern.ch/jets', which is not https", self.log)
        named = {"data_set_description": {"url": "http://api.openml.org/jets.arff"}}
        for described, says in ((json.dumps(named), "names the address 'http://api.openml.org/jets.arff', which is not"),
                                ("{}", "has no text 'data_set_description.url'"), ("<html>", "is not valid JSON"),
                                (json.dumps({"data_set_description": [1]}), "has no text"),
                                ("x" * 5 * 2**20, "sends more than the 4,194,304 bytes")):
            self.server.answer = send(described.encode())
            self.ch("data", "get", "jsc_openml", code=1, **variables)
            self.assertIn(says, self.log)
        # A certificate that nobody vouches for.
        self.ch("data", "get", "jsc", code=1, https_proxy=variables["https_proxy"])
        self.assertIn("certificate", self.log)
        self.assertIn("by hand and put it into", self.log)

    def test_a_mirror_and_a_proxy_from_the_environment(self):
        self.server.answer = send(self.jets)
        self.ch("data", "get", "jsc", CH_DATA_MIRROR=self.server.url("mirror"))
        self.assertEqual(self.server.seen[0][1], f"/mirror/jsc/{JSC}")
        self.ch("data", "get", "jsc", "--again", "--url", "http://data.invalid/f/", http_proxy=self.server.url())
        self.assertEqual(self.server.seen[1][1], f"http://data.invalid/f/{JSC}")
        self.ch("data", "get", "jsc", "--again", "--url", self.server.url("x"), http_proxy="http://127.0.0.1:1",
                no_proxy="127.0.0.1")
        self.assertEqual(self.server.seen[2][1], "/x")

    def test_a_proxy_that_fails_is_named(self):
        names = "note: {} names a proxy to ask; no_proxy names hosts to ask without one"
        self.get(http_proxy="http://127.0.0.1:1", code=1)
        self.assertIn(names.format("http_proxy"), self.log)
        self.get(all_proxy=self.server.url(), answer=send(b"", status=407), code=1)
        self.assertIn("the proxy wants a name and a password (status 407)", self.log)
        self.assertIn(names.format("all_proxy"), self.log)
        # A host that the proxy is not asked for.
        for variable, hosts, port in (("no_proxy", "example.org, 127.0.0.1", 1), ("NO_PROXY", "*", 1),
                                      ("no_proxy", ".0.0.1", 2), ("no_proxy", "27.0.0.1", 2)):
            self.ch("data", "get", "jsc", "--url", "http://127.0.0.1:1/jets", code=1, http_proxy="http://127.0.0.1:2",
                    **{variable: hosts})
            self.assertIn(f"port {port} ", self.log)
            self.assertEqual("note:" in self.log, port == 2, self.log)
        # The server behind the proxy has answered.
        self.get(http_proxy=self.server.url(), answer=send(b"", status=404), code=1)
        self.assertIn("the server answers with status 404", self.log)
        self.assertNotIn("note:", self.log)
        # One that opens no way to a server with https, with and without a word.
        for status in (407, 502):
            self.server.opens = lambda handler: handler.send_error(status)
            self.ch("data", "get", "jsc", code=1, https_proxy=self.server.url())
            self.assertIn(f"response {status}", self.log.lower().replace("code", "response"))
            self.assertIn(names.format("https_proxy"), self.log)
        self.server.opens = lambda handler: self.server.ended.wait(20)
        self.ch("data", "get", "jsc_openml", "--connect-timeout", 1, code=1, HTTPS_PROXY=self.server.url())
        self.assertIn(names.format("HTTPS_PROXY"), self.log)
        self.assertIn("fetch the file of https://www.openml.org/d/42468 by hand and put it into", self.log)


if __name__ == "__main__":
    unittest.main()
