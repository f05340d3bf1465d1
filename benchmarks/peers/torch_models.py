"""Networks for the peers that use PyTorch: "bn,relu,5,relu" or a name torchvision knows."""
from serve import need, need_torch

torch = need_torch()


def quantise(x):
    """integer(8, 4)."""
    return torch.clamp(torch.round(x * 16), -128, 127) / 16


class Straight(torch.autograd.Function):
    """Quantises on the way forward, leaves the gradient alone on the way back."""

    @staticmethod
    def forward(_, x):
        return quantise(x)

    @staticmethod
    def backward(_, gradient):
        return gradient


def fused(x):
    """The same numbers in one operation; its gradient is zero where x is out of range."""
    return torch.fake_quantize_per_tensor_affine(x, 1 / 16, 0, -128, 127)


QUANTISERS = {"straight": Straight.apply, "fused": fused}


class QuantisedLinear(torch.nn.Linear):
    q = None

    def forward(self, x):
        return torch.nn.functional.linear(self.q(x), self.q(self.weight), self.q(self.bias))


class QuantisedReLU(torch.nn.Module):
    q = None

    def forward(self, x):
        return torch.relu(self.q(x))


def mlp(layers, width=16, quantiser=""):
    modules = []
    for layer in layers.split(","):
        if layer == "bn":
            modules.append(torch.nn.BatchNorm1d(width))
        elif layer == "relu":
            modules.append(QuantisedReLU() if quantiser else torch.nn.ReLU())
        else:
            modules.append((QuantisedLinear if quantiser else torch.nn.Linear)(width, int(layer)))
            width = int(layer)
        if hasattr(modules[-1], "q"):
            modules[-1].q = QUANTISERS[quantiser]
    return torch.nn.Sequential(*modules)


def vgg7():
    """As our zoo has it, for pictures of 3 x 32 x 32."""
    modules, channels = [], 3
    for width in (128, 256, 512):
        for _ in range(2):
            modules += [torch.nn.Conv2d(channels, width, 3, padding=1),
                        torch.nn.BatchNorm2d(width, momentum=0.9), torch.nn.ReLU()]
            channels = width
        modules.append(torch.nn.MaxPool2d(2))
    modules += [torch.nn.Flatten(), torch.nn.Linear(8192, 1024), torch.nn.ReLU(),
                torch.nn.Linear(1024, 1024), torch.nn.ReLU(), torch.nn.Linear(1024, 10)]
    return torch.nn.Sequential(*modules)


def network(name, classes=1000):
    if name == "vgg7":
        return vgg7()
    models = need("torchvision.models", "python3-torchvision")
    return {"resnet18": models.resnet18, "mobilenetv2": models.mobilenet_v2}[name](num_classes=classes)


def parameter_count(model):
    return sum(p.numel() for p in model.parameters())
