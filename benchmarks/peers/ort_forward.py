"""ort_forward.py file=model.onnx shape=1,3,224,224 threads=2: a forward pass by Debian's ONNX Runtime, with its
input and output bound once or handed over in each call, whichever is faster."""
from serve import arguments, best_of, need, seconds_per_call, serve

numpy = need("numpy", "python3-numpy")
ort = need("onnxruntime", "python3-onnxruntime")

args = arguments(file="", shape="", threads=1, simd="")


def session():
    """Threads that spin while they wait, memory planned once."""
    options = ort.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = args["threads"], 1
    options.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.enable_mem_pattern = options.enable_cpu_mem_arena = True
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "1")
    options.add_session_config_entry("session.set_denormal_as_zero", "1")
    return ort.InferenceSession(args["file"], options, providers=["CPUExecutionProvider"])


def calls(runs):
    shape = [int(size) for size in args["shape"].split(",")]
    x = numpy.random.default_rng(0).standard_normal(shape, dtype=numpy.float32)
    names = runs.get_inputs()[0].name, runs.get_outputs()[0].name
    y = runs.run([names[1]], {names[0]: x})[0]
    binding = runs.io_binding()
    binding.bind_ortvalue_input(names[0], ort.OrtValue.ortvalue_from_numpy(x))
    binding.bind_ortvalue_output(names[1], ort.OrtValue.ortvalue_from_numpy(y))
    return {"bound": lambda: runs.run_with_iobinding(binding),
            "handed over": lambda: runs.run([names[1]], {names[0]: x})}


ways = calls(session())
way, tried = best_of(ways)
serve(lambda: {"seconds": seconds_per_call(ways[way])}, threads=args["threads"], way=way, tried=tried,
      version=f"ONNX Runtime {ort.__version__} of Debian", not_held=bool(args["simd"]))
