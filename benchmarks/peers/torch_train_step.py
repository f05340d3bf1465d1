"""torch_train_step.py layers=bn,relu,5,relu|model=vgg7 batch=256 [quantiser=straight|fused]: a training step
of PyTorch: forward, backward and Adam. Eager or compiled, of small networks the optimiser too, with the
optimiser's plain, foreach or fused form, convolutions in either memory format, on the threads that suit: the
fastest counts."""
from serve import about, arguments, best_of, best_threads, need_torch, seconds_per_call, serve

torch = need_torch()
from torch_models import mlp, network, parameter_count  # noqa: E402

args = arguments(layers="", model="", batch=256, quantiser="")


def data():
    if args["layers"]:
        return torch.randn(args["batch"], 16), torch.randint(0, 5, (args["batch"],))
    return torch.randn(args["batch"], 3, 32, 32), torch.randint(0, 10, (args["batch"],))


COMPILED = {"eager": (), "compiled": ("loss",), "compiled with its optimiser": ("loss", "optimiser")}


def make_step(optimiser, compiled=(), channels_last=False):
    """A step of a network of its own."""
    torch.manual_seed(0)
    model = (mlp(args["layers"], quantiser=args["quantiser"]) if args["layers"]
             else network(args["model"], classes=10))
    x, y = data()
    if channels_last:
        model, x = model.to(memory_format=torch.channels_last), x.to(memory_format=torch.channels_last)
    adam = torch.optim.Adam(model.parameters(), lr=1e-3, **optimiser)
    loss = lambda: torch.nn.functional.cross_entropy(model(x), y)  # noqa: E731
    forward = torch.compile(loss) if "loss" in compiled else loss
    update = torch.compile(adam.step) if "optimiser" in compiled else adam.step

    def step():
        adam.zero_grad(set_to_none=True)
        forward().backward()
        update()

    step.parameters = parameter_count(model)
    return step


def ways():
    """Every way to do the step that this version knows, by name."""
    found = {"plain": {}, "foreach": {"foreach": True}, "fused": {"fused": True}}
    layouts = {"": False} if args["layers"] else {"": False, "channels_last ": True}
    compilers = dict(list(COMPILED.items())[:3 if args["layers"] else 2])
    if not hasattr(torch, "compile"):
        compilers = {"eager": ()}
    steps = {}
    for layout, last in layouts.items():
        for compiler, compiled in compilers.items():
            for name, optimiser in found.items():
                try:
                    steps[f"{layout}{compiler}, {name} Adam"] = make_step(optimiser, compiled, last)
                except (TypeError, RuntimeError, ValueError):  # a form this version does not have
                    continue
    return steps


steps = ways()
first = next(iter(steps.values()))
best_threads(torch, first)
way, tried = best_of(steps)
step = steps[way]
serve(lambda: {"seconds": seconds_per_call(step)}, parameters=step.parameters, way=way, tried=tried,
      **best_threads(torch, step), **about(torch))
