"""fix_batch.py FROM.onnx TO.onnx BATCH: the network for batches of one size, so that a runtime knows all shapes
when it loads it. onnxruntime-node has no setting for that."""
import sys

from serve import need

onnx = need("onnx", "python3-onnx")


def main(source, target, batch):
    model = onnx.load(source)
    for value in [*model.graph.input, *model.graph.output, *model.graph.value_info]:
        for dimension in value.type.tensor_type.shape.dim:
            if dimension.HasField("dim_param"):
                dimension.dim_value = int(batch)
    onnx.checker.check_model(model)
    onnx.save(model, target)


main(*sys.argv[1:])
