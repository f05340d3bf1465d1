"""ch certify: what is proven about a circuit, and that changes of weights, files and data are noticed."""
import json
import pathlib
import shutil
import sys
import unittest

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from hardware_designs import mlp  # noqa: E402
from in_folder import InFolder  # noqa: E402

HAS_TOOLS = all(map(shutil.which, ("yosys", "iverilog")))


@unittest.skipUnless(HAS_TOOLS, "yosys or iverilog is not installed")
class Certify(InFolder):
    def certificate(self, *more):
        self.network = mlp([4, 3, 2], 4, 2, 1)
        (self.folder / "net.chir").write_text(self.network)
        self.rows = (2 * numpy.random.default_rng(1).normal(size=(50, 4))).astype(numpy.float32)
        numpy.savez(self.folder / "rows.npz", x=self.rows)
        return self.json("certify", "net.chir", "rows.npz", "--simulator", "icarus", "--random", "50", *more)

    def differs(self, *sentences, words=()):
        said = self.run_ch("certify", "--check", "hardware/certificate.json", *words)
        self.assertEqual(said.returncode, 3, said.stderr + said.stdout)
        for sentence in sentences:
            self.assertIn(sentence, said.stdout)
        self.assertEqual(len(said.stdout.strip().splitlines()), len(sentences), said.stdout)

    def test_what_is_proven_is_said_and_can_be_repeated_elsewhere(self):
        made = self.certificate("--pipeline", "3")
        for what in ("ranges", "files", "synthesised"):
            self.assertEqual(made["proofs"][what]["verdict"], "proven", made["proofs"][what])
        methods = {layer["op"]: layer["method"] for layer in made["layers"]}
        self.assertEqual(methods["linear"], "coefficients")
        self.assertEqual(set(methods.values()), {"coefficients", "codes"})
        self.assertEqual((made["agreement"]["float"]["differing"], made["agreement"]["icarus"]["differing"]), (0, 0))
        written = (self.folder / "hardware/certificate.json").read_text() + (self.folder / "hardware/certificate.md").read_text()
        self.assertNotIn(str(self.folder), written)
        self.assertNotIn("/tmp", written)
        self.assertEqual(json.loads((self.folder / "hardware/certificate.json").read_text()), made)
        (self.folder / "net.chir").unlink()
        shutil.move(self.folder / "hardware", self.folder / "moved")
        said = self.good("certify", "--check", "moved/certificate.json")
        self.assertIn("The certificate holds", said.stdout)

    def test_every_kind_of_change_is_noticed_in_one_sentence(self):
        self.certificate()
        hardware = self.folder / "hardware"
        for name in ("rtl/net.sv", "synth/net.v", "netlist.txt"):
            path = hardware / name
            kept = path.read_bytes()
            path.write_bytes(kept[:-2] + bytes([kept[-2] ^ 1]) + kept[-1:])
            self.differs(f"{name} is not the file that was certified")
            path.unlink()
            self.differs(f"{name} is missing")
            path.write_bytes(kept)
        path = hardware / "model.mz"
        kept = path.read_bytes()
        path.write_bytes(kept[:-2] + bytes([kept[-2] ^ 1]) + kept[-1:])
        self.differs("the network cannot be opened")
        path.write_bytes(kept)
        start = self.network.index("fc0.weight: f32[3, 4] = [") + len("fc0.weight: f32[3, 4] = [")
        (self.folder / "other.chir").write_text(self.network[:start] + "0.25" + self.network[self.network.index(",", start):])
        self.differs("parameter fc0.weight of the network has other values", words=("other.chir",))
        (self.folder / "finer.chir").write_text(self.network.replace("data_in_0: integer{frac_width=2", "data_in_0: integer{frac_width=1", 1))
        self.differs("the format of fc0.data_in_0 is another", words=("finer.chir",))
        self.rows[7, 2] += 1
        numpy.savez(self.folder / "rows.npz", x=self.rows)
        self.differs("the test rows of rows.npz are not those that were certified")
        (self.folder / "rows.npz").unlink()
        self.refused("certify", "--check", "hardware/certificate.json", says=("rows.npz", "MODEL DATASET"))

    def test_a_stream_is_simulated_only_and_the_certificate_says_so(self):
        made = self.certificate("--interface", "stream")
        self.assertEqual(made["proofs"]["files"]["verdict"], "open")
        self.assertIn("simulated only: a stream", (self.folder / "hardware/certificate.md").read_text())

    def test_files_that_are_no_certificates_are_refused(self):
        for text, says in (("{}", "no entry 'certificate'"), ('{"certificate": 2}', "another version"),
                           ("[1", "bad.json"), ('{"certificate": 1}', "no table")):
            (self.folder / "bad.json").write_text(text)
            self.refused("certify", "--check", "bad.json", says=(says,))
        evil = {"certificate": 1, "files": {"../passwd": "0"},
                **{key: {} for key in ("model", "data", "options", "agreement", "proofs")}}
        (self.folder / "bad.json").write_text(json.dumps(evil))
        self.refused("certify", "--check", "bad.json", says=("not beside it",))
        self.refused("certify", "jsc-tiny", says=("no data set is named", "--check"))


if __name__ == "__main__":
    unittest.main()
