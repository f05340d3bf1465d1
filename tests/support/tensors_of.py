"""What a file of safetensors holds, read without the package."""
import json

import numpy


def tensors_of(path):
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    tensors = {}
    for name, entry in json.loads(content[8:8 + length]).items():
        if name != "__metadata__":
            first, last = (8 + length + at for at in entry["data_offsets"])
            kind = {"F32": numpy.float32, "I64": numpy.int64}[entry["dtype"]]
            tensors[name] = numpy.frombuffer(content[first:last], kind).reshape(entry["shape"])
    return tensors
