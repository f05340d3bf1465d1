"""The data layer against numpy, scikit-learn and h5py, which did not learn from us."""

import json
import os
import pathlib
import struct
import subprocess
import tempfile
import unittest

import h5py
import numpy as np
import scipy.io.arff
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import LabelEncoder, StandardScaler

PROGRAM = pathlib.Path(os.environ["CH_BUILD"]) / "tests" / "oracle_data_oracle"
SOURCE = pathlib.Path(os.environ.get("CH_SOURCE", pathlib.Path(__file__).parents[2]))
SHARED = SOURCE.parent / "shared" / "data"

FEATURES = (
    "j_zlogz j_c1_b0_mmdt j_c1_b1_mmdt j_c1_b2_mmdt j_c2_b1_mmdt j_c2_b2_mmdt j_d2_b1_mmdt "
    "j_d2_b2_mmdt j_d2_a1_b1_mmdt j_d2_a1_b2_mmdt j_m2_b1_mmdt j_m2_b2_mmdt j_n2_b1_mmdt "
    "j_n2_b2_mmdt j_mass_mmdt j_multiplicity"
).split()
LABELS = "j_g j_q j_w j_z j_t".split()


class DataTest(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        self.addCleanup(self.temporary.cleanup)

    def ask(self, *args):
        environment = dict(os.environ, CH_CACHE_DIR=str(self.folder / "cache"))
        done = subprocess.run([str(PROGRAM), *map(str, args)], env=environment, text=True,
                              capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def load(self, name, **options):
        out = self.folder / "out.npz"
        text = self.ask("load", name, out, *[f"{k}={v}" for k, v in options.items()])
        with np.load(out) as arrays:
            return dict(arrays), text

    def check_split(self, x, y, data):
        """Train, validation and test must be exactly scikit-learn's rows of x and y."""
        x_train, x_test, y_train, y_test = train_test_split(x, y, test_size=0.2, random_state=42)
        n = len(y_train) - int(0.1 * len(y_train))
        for name, wanted in [("x_train", x_train[:n]), ("x_validation", x_train[n:]),
                             ("x_test", x_test), ("y_train", y_train[:n]),
                             ("y_validation", y_train[n:]), ("y_test", y_test)]:
            np.testing.assert_array_equal(data[name], wanted, err_msg=name)

    def test_permutations_are_numpys(self):
        for seed, n in [(0, 1), (1, 2), (42, 10), (42, 1023), (42, 1025), (123456789, 100_000),
                        (4294967295, 65_537)]:
            ours = np.array(self.ask("permutation", seed, n).split(), dtype=np.int64)
            np.testing.assert_array_equal(ours, np.random.RandomState(seed).permutation(n))

    def test_random_numbers_are_numpys(self):
        for seed in (0, 1, 2, 42, 4294967295):
            ours = np.array(self.ask("random", seed, 2000).split(), dtype=np.float64)
            np.testing.assert_array_equal(ours, np.random.RandomState(seed).random_sample(2000))

    def test_splits_are_scikit_learns(self):
        for n in (2, 5, 10, 11, 14, 1000, 986_806):
            train, test = self.ask("split", n, 42).splitlines()
            wanted_train, wanted_test = train_test_split(np.arange(n), test_size=0.2,
                                                         random_state=42)
            np.testing.assert_array_equal(np.array(train.split(), dtype=int), wanted_train)
            np.testing.assert_array_equal(np.array(test.split(), dtype=int), wanted_test)

    def test_toy_tiny_is_numpys(self):
        data, _ = self.load("toy_tiny")
        for seed, part in enumerate(["train", "validation", "test"]):
            x = (np.random.RandomState(seed).rand(10240, 4) - 0.5) * 2
            np.testing.assert_array_equal(data["y_" + part], (x.sum(axis=1) > 0).astype(np.int64))
            np.testing.assert_array_equal(data["x_" + part],
                                          x.reshape(-1, 1, 2, 2).astype(np.float32))

    def jet_file(self, path, rows, repeats):
        """A table as PyTables wrote the real one: mixed types, other columns in between."""
        random = np.random.RandomState(7)
        kinds = ["<f4", "<f8", "<f2", "<i4"]
        fields = [("index", "<i8")]
        for i, name in enumerate(FEATURES):
            fields.append((name, "<f8" if name == "j_multiplicity" else kinds[i % 3]))
        fields += [(name, "<i4" if i % 2 else "<f4") for i, name in enumerate(LABELS)]
        table = np.zeros(rows, dtype=fields)
        table["index"] = np.arange(rows)
        for name in FEATURES:
            table[name] = random.normal(3, 10, rows)
        table["j_multiplicity"] = 7  # a constant column
        table["j_zlogz"][: rows // 2] = 0
        for row, label in enumerate(random.randint(0, 5, rows)):
            table[LABELS[label]][row] = 1
        for _ in range(repeats):
            one, other = random.randint(0, rows, 2)
            index = table["index"][other]
            table[other] = table[one]
            table["index"][other] = index
            if table["j_zlogz"][other] == 0:
                table["j_zlogz"][other] = -0.0
        with h5py.File(path, "w") as file:
            file.create_dataset("t_allpar_new", data=table, chunks=(1000,), compression="gzip")
        return table

    def test_the_whole_jet_pipeline(self):
        path = self.folder / "jets.z"
        table = self.jet_file(path, 5000, 300)
        rows = np.stack([table[name].astype(np.float64) for name in FEATURES + LABELS], axis=1)
        seen, kept = set(), []
        for i, row in enumerate(rows):
            key = (row + 0.0).tobytes()  # -0 + 0 is 0
            if key not in seen:
                seen.add(key)
                kept.append(i)
        self.assertLess(len(kept), 4800)
        x = np.ascontiguousarray(rows[kept, :16])
        y = rows[kept, 16:].argmax(axis=1)
        train, _ = train_test_split(x, test_size=0.2, random_state=42)
        scaler = StandardScaler().fit(train)
        for repeat in ("made", "from the cache"):
            with self.subTest(repeat):
                data, text = self.load("jsc", path=path)
                self.assertIn(f"real jets from '{path}'", text)
                np.testing.assert_array_equal(data["mean"], scaler.mean_)
                np.testing.assert_array_equal(data["scale"], scaler.scale_)
                self.check_split(scaler.transform(x).astype(np.float32), y, data)
        data, _ = self.load("jsc", path=path, validation="train", use_cache=0)
        np.testing.assert_array_equal(data["x_train"], data["x_validation"])
        np.testing.assert_array_equal(data["x_train"], scaler.transform(train).astype(np.float32))

    def test_csv_by_path(self):
        random = np.random.RandomState(3)
        x = random.normal(size=(500, 3)) * [1, 1e-3, 1e6]
        y = random.randint(0, 4, 500)
        path = self.folder / "t.csv"
        lines = ["target,a,b,c"]
        lines += [",".join([str(label), *map(repr, map(float, row))]) for label, row in zip(y, x)]
        path.write_text("\n".join(lines) + "\n")
        data, text = self.load(path)
        self.assertEqual([line.split()[1] for line in text.splitlines() if "feature" in line],
                         ["a", "b", "c"])
        self.check_split(x.astype(np.float32), y, data)
        data, _ = self.load(path, standardise=1)
        train, _ = train_test_split(x, test_size=0.2, random_state=42)
        self.check_split(StandardScaler().fit(train).transform(x).astype(np.float32), y, data)

    def test_arff_is_scipys(self):
        """OpenML's jets: the rows of an independent reader, split and standardised by scikit-learn."""
        random = np.random.RandomState(5)
        x = random.normal(size=(500, 16)) * 10.0 ** random.randint(-8, 8, (500, 16))
        lines = ["% jets", "@relation 'hls4ml lhc jets'"] + [f"@attribute f{i} real" for i in range(16)]
        lines += ["@attribute class {t,g,z,q,w}", "@data"]
        lines += [",".join(map(repr, row.tolist())) + "," + "gqtwz"[k] for row, k in zip(x, random.randint(0, 5, 500))]
        path = self.folder / "jets.arff"
        path.write_text("\n".join(lines) + "\n")
        table, _ = scipy.io.arff.loadarff(path)
        columns = np.stack([table[f"f{i}"] for i in range(16)], axis=1)
        labels = LabelEncoder().fit_transform(table["class"])
        x_train, x_test, y_train, y_test = train_test_split(columns, labels, test_size=0.2, random_state=42)
        scaler = StandardScaler().fit(x_train)
        data, _ = self.load("jsc_openml", path=path)
        n = len(y_train) - int(0.1 * len(y_train))
        for name, wanted in [("x_train", scaler.transform(x_train)[:n]), ("x_test", scaler.transform(x_test))]:
            np.testing.assert_array_equal(data[name], wanted.astype(np.float32), err_msg=name)
        np.testing.assert_array_equal(data["y_train"], y_train[:n])
        np.testing.assert_array_equal(data["y_test"], y_test)

    def test_npz_by_path(self):
        random = np.random.RandomState(4)
        x = random.randint(0, 256, (60, 3, 4, 4)).astype(np.uint8)
        y = random.randint(0, 3, 60).astype(np.int32)
        for save in (np.savez, np.savez_compressed):
            save(self.folder / "s.npz", x=x, y=y)
            data, _ = self.load(self.folder / "s.npz")
            self.check_split(x.astype(np.float32), y, data)

    def test_npy_both_ways(self):
        random = np.random.RandomState(5)
        for kind in ("<f4", "<f8", "<f2", "<i8", "<i4", "<i2", "i1", "u1", "?"):
            for shape in ((), (0,), (3,), (2, 3), (4, 1, 5), (2, 0, 3)):
                for order in "CF":
                    array = np.array(random.randint(0, 100, shape), dtype=kind, order=order)
                    np.save(self.folder / "in.npy", array)
                    self.ask("npy", self.folder / "in.npy", self.folder / "out.npy")
                    again = np.load(self.folder / "out.npy")
                    self.assertEqual(again.dtype, array.dtype)
                    np.testing.assert_array_equal(again, array)

    def test_npz_both_ways(self):
        arrays = {"a": np.arange(12.0).reshape(3, 4), "b": np.array([np.nan, np.inf, -0.0]),
                  "c": np.zeros((0, 2), np.int64), "d": np.asfortranarray(np.eye(5, 3))}
        for save in (np.savez, np.savez_compressed):
            save(self.folder / "in.npz", **arrays)
            self.ask("npz", self.folder / "in.npz", self.folder / "out.npz")
            with np.load(self.folder / "out.npz") as again:
                self.assertEqual(list(again), list(arrays))
                for name, array in arrays.items():
                    np.testing.assert_array_equal(again[name], array)

    @staticmethod
    def read_safetensors(path):
        """An independent reader of the format."""
        raw = path.read_bytes()
        (length,) = struct.unpack("<Q", raw[:8])
        assert length % 8 == 0
        header = json.loads(raw[8 : 8 + length])
        kinds = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8",
                 "I32": "<i4", "I16": "<i2", "I8": "i1", "U8": "u1", "BOOL": "?"}
        data, end, tensors = raw[8 + length :], 0, {}
        metadata = header.pop("__metadata__", {})
        for name, entry in sorted(header.items(), key=lambda e: e[1]["data_offsets"]):
            first, last = entry["data_offsets"]
            assert first == end
            end = last
            array = np.frombuffer(data[first:last], dtype=kinds[entry["dtype"]])
            tensors[name] = (entry["dtype"], array.reshape(entry["shape"]))
        assert end == len(data)
        return metadata, tensors, list(header)

    def write_safetensors(self, path, metadata, tensors):
        header, data = {"__metadata__": metadata}, b""
        for name, (kind, array) in tensors.items():
            raw = array.tobytes()
            header[name] = {"dtype": kind, "shape": list(array.shape),
                            "data_offsets": [len(data), len(data) + len(raw)]}
            data += raw
        text = json.dumps(header).encode()
        path.write_bytes(struct.pack("<Q", len(text)) + text + data)

    def test_safetensors_both_ways(self):
        tensors = {"b.é": ("U8", np.arange(3, dtype=np.uint8)),
                   "a": ("F64", np.array([[1.5, np.nan]])),
                   "half": ("BF16", np.array([0x3F80, 0x8000, 0x7FC0], dtype=np.uint16)),
                   "flag": ("BOOL", np.array([True, False])),
                   "scalar": ("I64", np.array(-5)),
                   "none": ("F16", np.zeros((0, 4), np.float16))}
        metadata = {"graph": '{"nodes": ["\\u00e9\\n"]}', "": "\t"}
        self.write_safetensors(self.folder / "in", metadata, tensors)
        self.ask("safetensors", self.folder / "in", self.folder / "out")
        again_metadata, again, order = self.read_safetensors(self.folder / "out")
        self.assertRegex(again_metadata.pop("chop.checksum"), "^[0-9a-f]{16}$")
        self.assertEqual(again_metadata, metadata)
        self.assertEqual(order, list(tensors))
        for name, (kind, array) in tensors.items():
            self.assertEqual(again[name][0], kind)
            self.assertEqual(again[name][1].shape, array.shape)
            self.assertEqual(again[name][1].tobytes(), array.tobytes())

    def test_a_real_safetensors_file_survives(self):
        path = SHARED / "checkpoints" / "silero_vad_16k.safetensors"
        if not path.exists():
            self.skipTest("silero_vad_16k.safetensors is not here")
        self.ask("safetensors", path, self.folder / "out")
        raw = path.read_bytes()
        (length,) = struct.unpack("<Q", raw[:8])
        header = json.loads(raw[8 : 8 + length])
        _, again, _ = self.read_safetensors(self.folder / "out")
        for name, entry in header.items():
            if name != "__metadata__":
                first, last = entry["data_offsets"]
                self.assertEqual(again[name][1].tobytes(), raw[8 + length :][first:last], name)

    def test_real_jets_by_path(self):
        folder = SHARED / "jsc"
        if not folder.exists():
            self.skipTest("the 1,000 real jets are not here")
        labels = np.load(folder / "jets1000_labels.npy")
        data, _ = self.load(folder / "jets1000_standardised.npy")
        x = np.load(folder / "jets1000_standardised.npy").astype(np.float32)
        self.check_split(x, labels, data)
        data, _ = self.load(folder / "jets1000.csv")
        x = np.loadtxt(folder / "jets1000.csv", delimiter=",", skiprows=1, usecols=range(16))
        self.check_split(x.astype(np.float32), labels, data)

    def test_real_digits(self):
        folder = SHARED / "mnist"
        if not folder.exists():
            self.skipTest("MNIST is not here")
        data, _ = self.load("mnist", path=folder, validation="train")
        self.assertEqual(data["x_train"].shape, (60000, 1, 28, 28))
        np.testing.assert_array_equal(data["y_train"][:10], [5, 0, 4, 1, 9, 2, 1, 3, 1, 4])
        np.testing.assert_array_equal(np.bincount(data["y_test"]),
                                      [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009])
        self.assertAlmostEqual(float(data["x_train"].mean(dtype=np.float64)), 0.1307, 4)
        self.assertAlmostEqual(float(data["x_train"].std(dtype=np.float64)), 0.3081, 4)


if __name__ == "__main__":
    unittest.main()
