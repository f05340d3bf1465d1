"""What torch.save writes, `ch convert` and `ch inspect` read: every dtype, stride and layout, bit for bit."""
import collections
import json
import os
import pathlib
import shutil
import struct
import subprocess
import tempfile
import unittest

import torch

CH = os.environ["CH_BIN"]
SOURCE = pathlib.Path(os.environ["CH_SOURCE"])
SHARED = pathlib.Path(os.environ.get("CH_SHARED_DATA", SOURCE.parent / "shared" / "data"))

NAMES = {
    torch.float32: ("F32", "f32"), torch.float64: ("F64", "f64"), torch.float16: ("F16", "f16"),
    torch.bfloat16: ("BF16", "bf16"), torch.int64: ("I64", "i64"), torch.int32: ("I32", "i32"),
    torch.int16: ("I16", "i16"), torch.int8: ("I8", "i8"), torch.uint8: ("U8", "u8"), torch.bool: ("BOOL", "bool"),
}


def raw_bytes(tensor):
    tensor = tensor.detach().contiguous()
    if tensor.dtype == torch.bfloat16:
        tensor = tensor.view(torch.int16)
    return tensor.numpy().tobytes()


def read_safetensors(path):
    raw = path.read_bytes()
    (length,) = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8 : 8 + length])
    data = raw[8 + length :]
    metadata = header.pop("__metadata__", {})
    return metadata, {
        name: (entry["dtype"], entry["shape"], data[slice(*entry["data_offsets"])]) for name, entry in header.items()
    }


class TorchCheckpoints(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        torch.manual_seed(0)

    def ch(self, *words):
        environment = {**os.environ, "CH_CACHE_DIR": str(self.folder / "cache")}
        return subprocess.run([CH, *map(str, words)], cwd=self.folder, env=environment, capture_output=True, text=True)

    def check(self, saved, expected, metadata=None):
        """Both layouts of `saved` hold exactly the tensors `expected`."""
        for legacy in (False, True):
            with self.subTest(legacy=legacy):
                path = self.folder / "x.pt"
                torch.save(saved, path, _use_new_zipfile_serialization=not legacy)
                result = self.ch("convert", path, "x.safetensors")
                self.assertEqual(result.returncode, 0, result.stderr)
                found_metadata, found = read_safetensors(self.folder / "x.safetensors")
                self.assertEqual(set(found), set(expected))
                for name, tensor in expected.items():
                    self.assertEqual(found[name][0], NAMES[tensor.dtype][0], name)
                    self.assertEqual(found[name][1], list(tensor.shape), name)
                    self.assertEqual(found[name][2], raw_bytes(tensor), name)
                for key, value in (metadata or {}).items():
                    self.assertEqual(found_metadata.get(key), value, key)
                self.inspect(path, expected)

    def inspect(self, path, expected):
        result = self.ch("inspect", path, "--json", "-")
        self.assertEqual(result.returncode, 0, result.stderr)
        listed = {entry["name"]: entry for entry in json.loads(result.stdout)["tensors"]}
        self.assertEqual(set(listed), set(expected))
        for name, tensor in expected.items():
            self.assertEqual(listed[name]["shape"], list(tensor.shape))
            self.assertEqual(listed[name]["dtype"], NAMES[tensor.dtype][1])
            self.assertEqual(listed[name]["bytes"], tensor.numel() * tensor.element_size())

    def test_every_dtype(self):
        values = torch.tensor([0.0, -0.0, 1.5, -2.0, 1e-3, 100.0])
        tensors = {str(dtype): values.to(dtype).reshape(2, 3) for dtype in NAMES}
        tensors["nasty"] = torch.tensor([float("nan"), float("inf"), -float("inf"), 1e-45, 3.4e38])
        tensors["nasty_half"] = tensors["nasty"].half()
        tensors["wide"] = torch.tensor([2**63 - 1, -(2**63)])
        self.check(tensors, tensors)

    def test_strides_offsets_and_shared_storage(self):
        base = torch.randn(4, 5, 6)
        tensors = {
            "base": base, "transposed": base.permute(2, 0, 1), "row": base[1], "column": base[:, 2],
            "steps": base[::2, 1::2, ::3], "element": base[3, 4, 5], "again": base,
            "repeated": torch.arange(3.0).expand(4, 3), "channels_last": torch.randn(2, 3, 4, 5).contiguous(
                memory_format=torch.channels_last),
        }
        self.check(tensors, tensors)

    def test_scalars_empty_tensors_and_single_elements(self):
        tensors = {"scalar": torch.tensor(3.5), "none": torch.zeros(0), "no_rows": torch.zeros(0, 7),
                   "no_columns": torch.zeros(7, 0, 2), "one": torch.ones(1, 1, 1), "whole": torch.tensor(-4)}
        self.check(tensors, tensors)

    def test_parameters_and_ordered_dicts(self):
        saved = collections.OrderedDict(
            weight=torch.nn.Parameter(torch.randn(3, 2)),
            frozen=torch.nn.Parameter(torch.randn(2), requires_grad=False))
        self.check(saved, dict(saved))
        network = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.Linear(4, 2))
        self.check(network.state_dict(), network.state_dict())

    def test_nested_dicts_and_lists(self):
        a, b, c = torch.randn(2), torch.randn(3), torch.randn(4)
        self.check({"enc": {"w": a, "inner": {"w": b}}, "rest": [c]}, {"enc.w": a, "enc.inner.w": b, "rest.0": c})

    def test_state_dicts_of_training_scripts(self):
        network = torch.nn.Linear(3, 2)
        optimiser = torch.optim.Adam(network.parameters())
        network(torch.randn(4, 3)).sum().backward()
        optimiser.step()
        for key in ("state_dict", "model_state_dict", "model"):
            self.check({key: network.state_dict(), "optimizer": optimiser.state_dict(), "epoch": 7},
                       network.state_dict(), {"epoch": "7"})

    def test_lightning(self):
        state = collections.OrderedDict((f"model.seq_blocks.{i}.weight", torch.randn(2, 2)) for i in range(3))
        saved = {"epoch": 5, "global_step": 640, "pytorch-lightning_version": "2.1.3", "state_dict": state,
                 "callbacks": {"ModelCheckpoint": {"best_model_score": torch.tensor(0.5), "best": None}},
                 "optimizer_states": [{"state": {0: {"step": torch.tensor(1.0)}}, "param_groups": [{"lr": 1e-3}]}],
                 "hyper_parameters": {"lr": 0.001, "name": "jsc", "flag": True}}
        expected = {name[len("model."):]: tensor for name, tensor in state.items()}
        self.check(saved, expected, {"epoch": "5", "global_step": "640", "hyper_parameters.lr": "0.001",
                                     "hyper_parameters.flag": "True", "format": "pt"})
        found = json.loads(self.ch("inspect", "x.pt", "--json", "-").stdout)
        self.assertEqual(found["type"], "pl")
        self.assertEqual(found["prefix"], "model.")

    def test_every_pickle_protocol(self):
        tensors = {"w": torch.randn(3, 2), "n": torch.tensor(3)}
        for protocol in (2, 3, 4, 5):
            torch.save({"state_dict": tensors, "set": {1, 2}, "raw": b"\x00\xff"}, self.folder / "p.pt",
                       pickle_protocol=protocol)
            result = self.ch("convert", "p.pt", "p.safetensors")
            self.assertEqual(result.returncode, 0, f"{protocol}: {result.stderr}")
            _, found = read_safetensors(self.folder / "p.safetensors")
            self.assertEqual(found["w"][2], raw_bytes(tensors["w"]))

    def test_what_is_not_plain_is_refused_by_name(self):
        class Other:
            pass

        Other.__qualname__ = "Other"
        globals()["Other"] = Other
        cases = {
            "__main__.Other": {"x": Other()},
            f"{pathlib.PosixPath.__module__}.PosixPath": {"state_dict": {}, "path": pathlib.PosixPath("a")},
            "torch.nn.modules.linear.Linear": torch.nn.Linear(2, 2),
            "torch.ComplexFloatStorage": {"c": torch.zeros(2, dtype=torch.complex64)},
            "torch._utils._rebuild_qtensor": {"q": torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8)},
            "torch._utils._rebuild_sparse_tensor": {"s": torch.eye(2).to_sparse()},
        }
        for name, saved in cases.items():
            for legacy in (False, True):
                torch.save(saved, self.folder / "bad.pt", _use_new_zipfile_serialization=not legacy)
                result = self.ch("inspect", "bad.pt")
                self.assertEqual(result.returncode, 1, name)
                self.assertIn(f"it asks for {name}", result.stderr)
                self.assertIn("nothing was called", result.stderr)

    def test_torchscript_is_told_apart(self):
        torch.jit.save(torch.jit.script(torch.nn.Linear(2, 2)), str(self.folder / "script.pt"))
        result = self.ch("inspect", "script.pt")
        self.assertEqual(result.returncode, 1)
        self.assertIn("is a TorchScript program", result.stderr)

    def test_real_checkpoints(self):
        folder = SHARED / "checkpoints"
        if not folder.exists():
            self.skipTest("the real checkpoints are not here (CH_SHARED_DATA)")
        for name in ("jsc-tiny-lightning.ckpt", "jsc-mlp-lightning.ckpt", "jsc-tiny-quantised-state-dict.pt"):
            loaded = torch.load(folder / name, map_location="cpu")
            state = loaded.get("state_dict", loaded)
            expected = {key.removeprefix("model."): value for key, value in state.items()}
            result = self.ch("convert", folder / name, "real.safetensors")
            self.assertEqual(result.returncode, 0, result.stderr)
            _, found = read_safetensors(self.folder / "real.safetensors")
            self.assertEqual(set(found), set(expected))
            for key, tensor in expected.items():
                self.assertEqual(found[key][2], raw_bytes(tensor), f"{name}: {key}")
            self.inspect(folder / name, expected)


if __name__ == "__main__":
    unittest.main()
