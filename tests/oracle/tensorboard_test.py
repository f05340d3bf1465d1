"""Event files, decoded independently: framing and CRC-32C written again here, messages by
google.protobuf from TensorFlow's published field numbers."""

import math
import os
import struct
import subprocess
import tempfile
import time
import unittest

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory


def event_class():
    """tensorflow.Event with the fields TensorBoard needs for scalars."""
    file = descriptor_pb2.FileDescriptorProto(name="event.proto", package="t", syntax="proto3")
    kind = descriptor_pb2.FieldDescriptorProto

    def message(name, *fields):
        added = file.message_type.add(name=name)
        for field, number, type_, label, type_name in fields:
            added.field.add(name=field, number=number, type=type_, label=label, type_name=type_name)

    one, many = kind.LABEL_OPTIONAL, kind.LABEL_REPEATED
    message("PluginData", ("plugin_name", 1, kind.TYPE_STRING, one, None),
            ("content", 2, kind.TYPE_BYTES, one, None))
    message("SummaryMetadata", ("plugin_data", 1, kind.TYPE_MESSAGE, one, ".t.PluginData"))
    message("Value", ("tag", 1, kind.TYPE_STRING, one, None),
            ("simple_value", 2, kind.TYPE_FLOAT, one, None),
            ("metadata", 9, kind.TYPE_MESSAGE, one, ".t.SummaryMetadata"))
    message("Summary", ("value", 1, kind.TYPE_MESSAGE, many, ".t.Value"))
    message("Event", ("wall_time", 1, kind.TYPE_DOUBLE, one, None),
            ("step", 2, kind.TYPE_INT64, one, None),
            ("file_version", 3, kind.TYPE_STRING, one, None),
            ("summary", 5, kind.TYPE_MESSAGE, one, ".t.Summary"))
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.MessageFactory(pool).GetPrototype(pool.FindMessageTypeByName("t.Event"))


def masked_crc32c(data):
    """Bit by bit, so that it shares nothing with the table-driven one under test."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def records(data):
    at = 0
    while at < len(data):
        head = data[at:at + 8]
        (length,) = struct.unpack("<Q", head)
        (head_crc,) = struct.unpack("<I", data[at + 8:at + 12])
        body = data[at + 12:at + 12 + length]
        (body_crc,) = struct.unpack("<I", data[at + 12 + length:at + 16 + length])
        assert head_crc == masked_crc32c(head), "CRC of the length"
        assert body_crc == masked_crc32c(body), "CRC of the data"
        yield body
        at += 16 + length


SCALARS = [
    ("train_loss_step", 0, 1.6094379),
    ("train_loss_step", 49, 0.8125),
    ("val_acc_epoch", 127, 0.0),
    ("val_acc_epoch", 128, -0.0),
    ("lr-Adam", 2**31, 1e-5),
    ("größe/µ", 2**53, 1e30),
    ("tiny", 2**62, 1e-42),
    ("negative_step", -1, -3.5),
    ("bad", 7, math.nan),
    ("worse", 8, math.inf),
    ("x" * 300, 9, 2.0),
]


class TensorBoardReadsOurEvents(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.before = time.time()
        program = os.path.join(os.environ["CH_BUILD"], "tests", "oracle_event_writer")
        lines = "".join(f"{tag} {step} {value!r}\n" for tag, step, value in SCALARS)
        done = subprocess.run([program, cls.folder.name], input=lines, text=True, check=True,
                              stdout=subprocess.PIPE)
        cls.path = done.stdout.strip()
        with open(cls.path, "rb") as file:
            bodies = list(records(file.read()))
        cls.events = [event_class().FromString(body) for body in bodies]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_the_first_event_names_the_version_and_nothing_else(self):
        first = self.events[0]
        self.assertEqual(first.file_version, "brain.Event:2")
        self.assertFalse(first.HasField("summary"))

    def test_every_scalar_comes_back_as_a_float(self):
        self.assertEqual(len(self.events), 1 + len(SCALARS))
        for event, (tag, step, value) in zip(self.events[1:], SCALARS):
            (entry,) = event.summary.value
            self.assertEqual(entry.tag, tag)
            self.assertEqual(event.step, step)
            self.assertEqual(struct.pack("<f", entry.simple_value), struct.pack("<f", value), tag)
            self.assertEqual(entry.metadata.plugin_data.plugin_name, "scalars")

    def test_no_byte_is_left_unread(self):
        for event in self.events:
            self.assertEqual(len(event.UnknownFields()), 0)

    def test_wall_times_are_now_and_in_order(self):
        times = [event.wall_time for event in self.events]
        self.assertEqual(times, sorted(times))
        self.assertGreaterEqual(times[0], self.before - 1)
        self.assertLessEqual(times[-1], time.time() + 1)

    def test_the_file_name_holds_time_host_and_process(self):
        name = os.path.basename(self.path)
        self.assertRegex(name, r"^events\.out\.tfevents\.\d{10}\..+\.\d+$")


if __name__ == "__main__":
    unittest.main()
