"""Weights that come from elsewhere: ch inspect, convert, and --load of PyTorch and safetensors files."""
import json
import os
import pathlib
import struct
import sys
import unittest
import zipfile

import numpy
import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import limited  # noqa: E402
from in_folder import InFolder  # noqa: E402

CH = os.environ["CH_BIN"]
SOURCE = pathlib.Path(os.environ["CH_SOURCE"])
SHARED = pathlib.Path(os.environ.get("CH_SHARED_DATA", SOURCE.parent / "shared" / "data"))


class WithWeights(InFolder):
    def tiny(self):
        """The state dict of jsc-tiny, by PyTorch."""
        torch.manual_seed(1)
        network = torch.nn.Sequential(torch.nn.BatchNorm1d(16), torch.nn.ReLU(), torch.nn.Linear(16, 5))
        return {f"seq_blocks.{name}": tensor for name, tensor in network.state_dict().items()}

    def samples(self):
        generator = numpy.random.default_rng(0)
        numpy.savez(self.folder / "rows.npz", x_test=generator.normal(size=(50, 16)).astype(numpy.float32),
                    y_test=numpy.arange(50) % 5)
        return self.folder / "rows.npz"


class TrainedOn(WithWeights):
    """Checkpoints record the data set of their training; figures on another one are warned of."""
    FEW = ["--rows", 2000]

    def other_jets(self):
        """Jets of OpenML's form: sixteen features, classes g, q, t, w, z."""
        generator = numpy.random.default_rng(0)
        lines = ["@RELATION jets", *(f"@ATTRIBUTE f{i} REAL" for i in range(16)), "@ATTRIBUTE class {g,q,t,w,z}", "@DATA"]
        for row in range(300):
            lines.append(",".join([*(f"{x:.4f}" for x in generator.normal(size=16)), "gqtwz"[row % 5]]))
        path = self.folder / "hls4ml_lhc_jets_hlf.arff"
        path.write_text("\n".join(lines) + "\n")
        return path

    def test_another_data_set_is_warned_of_and_a_file_is_mentioned(self):
        self.good("train", "jsc-tiny", "jsc", *self.FEW, "--max-epochs", 1, "--project", "p")
        folder = self.folder / "mase_output/p/software"
        best = folder / "training_ckpts/best.ckpt"
        said = "was trained on 'jsc (synthetic)', and the data here is"
        self.assertNotIn("trained on", self.good("test", best, "jsc", *self.FEW).stderr)
        other = ["jsc_openml", "--data", self.other_jets(), "-q"]
        for words in (["test", best, *other], ["test", "jsc-tiny", *other, "--load", best], ["test", best, best, *other],
                      ["compare", best, best, *other]):
            self.assertIn(f"{said} 'jsc_openml': its accuracy means little", self.good(*words).stderr)
        rows = self.samples()
        file = self.good("test", best, rows).stderr
        self.assertIn(f"{said} 'rows'", file)
        self.assertNotIn("means little", file)
        config = self.folder / "q.toml"
        config.write_text('[passes.quantize]\nby = "type"\n[passes.quantize.linear.config]\nname = "lsq_integer"\n'
                          'data_in_width = 4\nweight_width = 4\n')
        self.good("transform", best, "jsc", *self.FEW, "--config", config, "--project", "p")
        self.assertIn(said, self.good("test", folder / "transform/transformed_ckpt", *other).stderr)
        self.good("pass", "fuse_batch_norm", best, "--save", self.folder / "fused.mz")
        self.assertIn(said, self.good("test", self.folder / "fused.mz", *other).stderr)


class ConvertWithLoad(WithWeights):
    def test_every_kind_of_file_has_the_weights_that_are_loaded(self):
        data = self.samples()
        torch.save(self.tiny(), self.folder / "plain.pt")
        wanted = self.json("test", "jsc-tiny", data, "--load", self.folder / "plain.pt")["loss"]
        for name in ("a.mz", "a.ckpt", "a.onnx", "a.safetensors"):
            path = self.folder / name
            self.good("convert", "jsc-tiny", path, "--load", self.folder / "plain.pt")
            network = ["jsc-tiny", data, "--load", path] if name == "a.safetensors" else [path, data]
            self.assertAlmostEqual(self.json("test", *network)["loss"], wanted, places=6, msg=name)
        self.assertIn("random", self.good("convert", "jsc-tiny", self.folder / "b.mz").stderr)
        self.refused("convert", self.folder / "plain.pt", self.folder / "c.safetensors", "--load", self.folder / "a.mz",
                     says=["--load is for a network"])


class Load(WithWeights):
    def test_a_state_dict_and_its_wrappings_give_the_same_accuracy(self):
        data = self.samples()
        state = self.tiny()
        files = {
            "plain.pt": state,
            "ddp.pth": {f"module.{name}": tensor for name, tensor in state.items()},
            "lightning.ckpt": {"pytorch-lightning_version": "2.1.3", "epoch": 3,
                               "state_dict": {f"model.{name}": tensor for name, tensor in state.items()}},
            "section.pt": {"model_dict": state, "optimiser": {"state": {}}},
            "state.pt": {"state": state, "epoch": 3},
            "averaged.pt": {"ema": {"module": state}, "decay": 0.99},
            "prefix.pt": {f"ema.module.{name}": tensor for name, tensor in state.items()},
            "wide.bin": {name: tensor.double() if tensor.is_floating_point() else tensor
                         for name, tensor in state.items()},
        }
        answers = set()
        for name, saved in files.items():
            torch.save(saved, self.folder / name)
            result = self.json("test", "jsc-tiny", data, "--load", name)
            self.assertEqual(result["rows"], 50)
            answers.add((result["correct"], result["loss"]))
        self.assertEqual(len(answers), 1, answers)
        self.good("convert", "lightning.ckpt", "w.safetensors")
        result = self.json("test", "jsc-tiny", data, "--load", "w.safetensors")
        answers.add((result["correct"], result["loss"]))
        self.assertEqual(len(answers), 1)

    def test_halves_are_widened(self):
        data = self.samples()
        state = {name: tensor.bfloat16() if tensor.is_floating_point() else tensor
                 for name, tensor in self.tiny().items()}
        torch.save(state, self.folder / "half.pt")
        torch.save({name: tensor.float() if tensor.is_floating_point() else tensor for name, tensor in state.items()},
                   self.folder / "full.pt")
        self.assertEqual(self.json("test", "jsc-tiny", data, "--load", "half.pt")["loss"],
                         self.json("test", "jsc-tiny", data, "--load", "full.pt")["loss"])

    def test_differences_are_listed_and_partial_takes_the_rest(self):
        data = self.samples()
        state = self.tiny()
        del state["seq_blocks.2.bias"]
        state["seq_blocks.2.weight"] = torch.zeros(4, 16)
        state["head.weight"] = torch.zeros(2)
        torch.save(state, self.folder / "other.pt")
        says = ["are not those of 'jsc-tiny': 1 missing, 1 of another shape, 1 unexpected",
                "missing: seq_blocks.2.bias", "unexpected: head.weight",
                "seq_blocks.2.weight is f32[4, 16], expected f32[5, 16]", "--load-partial takes the 4 that fit"]
        self.refused("test", "jsc-tiny", data, "--load", "other.pt", says=says)
        result = self.good("test", "jsc-tiny", data, "--load", "other.pt", "--load-partial")
        log = result.stderr + result.stdout
        self.assertIn("took 4 of 6 tensors", log)
        for text in says[1:4]:
            self.assertIn(text, log)
        torch.save({"unrelated": torch.zeros(2)}, self.folder / "none.pt")
        self.refused("test", "jsc-tiny", data, "--load", "none.pt", "--load-partial", says=["6 missing, 1 unexpected"])

    def test_tensors_beside_the_network_do_not_hide_it(self):
        data = self.samples()
        state = self.tiny()
        torch.save(state, self.folder / "plain.pt")
        plain = self.json("test", "jsc-tiny", data, "--load", "plain.pt")["loss"]
        torch.save({"epoch": 3, "model_state_dict": state, "loss": torch.tensor(0.3)},
                   self.folder / "tutorial.pt")
        self.assertEqual(self.json("test", "jsc-tiny", data, "--load", "tutorial.pt")["loss"], plain)
        extra = {f"model.{name}": tensor for name, tensor in state.items()}
        extra["loss_fn.weight"] = torch.ones(5)
        torch.save({"pytorch-lightning_version": "2.1.3", "state_dict": extra},
                   self.folder / "extra.ckpt")
        self.refused("test", "jsc-tiny", data, "--load", "extra.ckpt",
                     says=["1 unexpected", "loss_fn.weight", "--load-partial takes the 6 that fit"])
        self.assertEqual(self.json("test", "jsc-tiny", data, "--load", "extra.ckpt",
                                   "--load-partial")["loss"], plain)

    def test_load_type_must_agree_with_the_content(self):
        data = self.samples()
        torch.save(self.tiny(), self.folder / "plain.pt")
        self.good("test", "jsc-tiny", data, "--load", "plain.pt", "--load-type", "pt")
        self.refused("test", "jsc-tiny", data, "--load", "plain.pt", "--load-type", "pl",
                     says=["is a PyTorch checkpoint, not a PyTorch Lightning checkpoint"])
        self.refused("test", "jsc-tiny", data, "--load", "plain.pt", "--load-type", "mz", says=["safetensors"])
        (self.folder / "text.pt").write_text("hello there, this is text")
        self.refused("test", "jsc-tiny", data, "--load", "text.pt", says=["is no file of weights that is known here"])

    def test_training_and_comparing_start_from_them(self):
        torch.save(self.tiny(), self.folder / "plain.pt")
        self.good("train", "jsc-tiny", "jsc", "--rows", 2000, "--max-epochs", 1,
                  "--load", "plain.pt", "--project", "p")
        best = next(self.folder.glob("mase_output/p/software/training_ckpts/best.ckpt"))
        self.assertIn("seq_blocks_2", self.good("compare", "plain.pt", best).stdout)
        self.good("convert", best, "best.safetensors")
        self.good("compare", best, "best.safetensors")


class Inspect(WithWeights):
    def test_tensors_totals_and_metadata_on_one_screen(self):
        torch.save({"state_dict": {"model.w": torch.zeros(2, 3), "model.n": torch.tensor(1)}, "epoch": 4,
                    "pytorch-lightning_version": "2.0"}, self.folder / "a.ckpt")
        text = self.good("inspect", "a.ckpt").stdout
        for part in ["a PyTorch Lightning checkpoint", "2 tensors, 7 elements, 32 B", "[2, 3]", "f32", "i64",
                     "epoch: 4", "every name began with 'model.'"]:
            self.assertIn(part, text)

    def test_weights_without_a_graph_are_no_network(self):
        torch.save({"w": torch.zeros(2)}, self.folder / "a.pt")
        self.refused("inspect", "a.pt", "--report", "graph", says=["holds weights but no graph", "--load"])

    def test_a_native_checkpoint_shows_its_network_or_its_tensors(self):
        self.good("train", "jsc-tiny", "jsc", "--rows", 2000, "--max-epochs", 1, "--project", "p")
        best = next(self.folder.glob("mase_output/p/software/training_ckpts/best.ckpt"))
        self.assertIn("seq_blocks_2", self.good("inspect", best).stdout)
        listed = self.json("inspect", best, "--tensors")
        self.assertEqual(listed["type"], "mz")
        self.assertIn("seq_blocks.2.weight", [entry["name"] for entry in listed["tensors"]])

    def test_hostile_files_are_refused_fast_and_small(self):
        (self.folder / "big.safetensors").write_bytes(struct.pack("<Q", 2**63) + b"{}")
        self.refused("inspect", "big.safetensors",
                     says=["its header claims 9223372036854775808 bytes, more than 100 MB"])
        deep = b"]" * 500_000 + b"a" * 499_999
        dicts = b"}X\x01\0\0\0aNsq\1" + b"".join(
            b"}(" + b"".join(b"X\x01\0\0\0%ch%c" % (97 + i, level - 1) for i in range(10)) + b"uq%c" % level
            for level in range(2, 15))
        pickles = {
            b"cos\nsystem\nX\x0a\0\0\0touch evil\x85R": "it asks for os.system",
            b"cbuiltins\neval\nX\x01\0\0\x001\x85R": "it asks for builtins.eval",
            b"ctorch\ndevice\n)R)R": "it calls something that is not a plain name",
            deep: "its values are nested deeper than 200",
            dicts: "its values hold each other more than 500,000 times over",
            b"(" + b"N" * 5_000_000 + b"t": "its pickle makes more than 1,000,000 values",
            b"N" + b"\x94" * 5_000_000: "its pickle makes more than 1,000,000 entries in its memo",
        }
        for body, says in pickles.items():
            self.refused_cheaply({"archive/data.pkl": b"\x80\x02" + body + b"."}, says)
        self.refused_cheaply({"archive/data.pkl": b"N.", "archive/data/0": b"\0" * (1 << 28)}, "a zip bomb")
        self.refused_cheaply({"archive/data.pkl": b"N.", "../up": b"x"}, "leads out of the archive with '..'")
        self.assertFalse((self.folder / "evil").exists())

    def refused_cheaply(self, entries, says):
        """An archive is refused within a second of time and 256 MB."""
        path = self.folder / "hostile.pt"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, contents in entries.items():
                archive.writestr(name, contents)
        code, text, seconds, _ = limited.run([CH, "inspect", path], 256 << 20, cwd=self.folder)
        self.assertIn(says, text)
        self.assertEqual(code, 1, says)
        self.assertLess(seconds, 1.0, says)


class Convert(WithWeights):
    def test_the_parameters_of_a_native_checkpoint(self):
        self.good("train", "jsc-tiny", "jsc", "--rows", 2000, "--max-epochs", 1, "--project", "p")
        last = next(self.folder.glob("mase_output/p/software/training_ckpts/last.ckpt"))
        self.good("convert", last, "w.safetensors")
        listed = self.json("inspect", "w.safetensors")
        self.assertEqual(listed["type"], "safetensors")
        self.assertEqual(len(listed["tensors"]), 6)
        self.assertNotIn("chop.graph", listed["metadata"])

    def test_mistakes_are_clear(self):
        torch.save({"w": torch.zeros(2)}, self.folder / "a.pt")
        self.refused("convert", "a.pt", "b.xyz", says=["cannot be converted to", ".safetensors"])
        self.refused("convert", "nowhere.pt", "b.safetensors", says=["nowhere.pt"])
        self.good("convert", "a.pt", "b.safetensors")
        before = (self.folder / "b.safetensors").read_bytes()
        self.refused("convert", "b.safetensors", "b.safetensors", says=["is the file to convert"])
        self.assertEqual((self.folder / "b.safetensors").read_bytes(), before)
        result = self.json("convert", "a.pt", "c.safetensors")
        self.assertEqual((result["type"], result["tensors"]), ("pt", 1))


class RealJets(WithWeights):
    def setUp(self):
        super().setUp()
        if not (SHARED / "checkpoints").exists() or not (SHARED / "jsc").exists():
            self.skipTest("the real checkpoints and jets are not here (CH_SHARED_DATA)")
        # All 1,000 jets are tested: a file with only test rows is not split.
        numpy.savez(self.folder / "jets.npz", x_test=numpy.load(SHARED / "jsc" / "jets1000_standardised.npy"),
                    y_test=numpy.load(SHARED / "jsc" / "jets1000_labels.npy"))

    def correct(self, model, checkpoint):
        result = self.json("test", model, "jets.npz", "--load", SHARED / "checkpoints" / checkpoint)
        self.assertEqual(result["rows"], 1000)
        return result["correct"]

    def test_lightnings_jsc_tiny(self):
        self.assertEqual(self.correct("jsc-tiny", "jsc-tiny-lightning.ckpt"), 723)

    def test_lightnings_deeper_network_through_toml(self):
        network = SOURCE / "configs" / "examples" / "jsc_mlp.toml"
        self.assertEqual(self.correct(network, "jsc-mlp-lightning.ckpt"), 759)

    def test_the_quantised_networks_state_dict_and_a_real_safetensors_file(self):
        listed = self.json("inspect", SHARED / "checkpoints" / "jsc-tiny-quantised-state-dict.pt")
        self.assertEqual(len(listed["tensors"]), 40)
        self.assertEqual(self.json("inspect", SHARED / "checkpoints" / "silero_vad_16k.safetensors")["type"],
                         "safetensors")


if __name__ == "__main__":
    unittest.main()
