"""The zoo against the same networks written in PyTorch: state_dict keys, shapes and order,
parameter counts, and the node names torch.fx gives when it traces them."""

import os
import subprocess
import unittest

import torch
import torch.fx
from torch import nn
from torch.nn import functional as F


def jets(*layers):
    """BN16, then widths (a Linear), 'b' (BatchNorm1d), 'r' (ReLU), 'd' (Dropout)."""
    built, width = [], 16
    for layer in layers:
        if layer == "b":
            built.append(nn.BatchNorm1d(width))
        elif layer == "r":
            built.append(nn.ReLU(inplace=True))
        elif layer == "d":
            built.append(nn.Dropout(0.5))
        else:
            built.append(nn.Linear(width, layer))
            width = layer
    return built


class SeqBlocks(nn.Module):
    def __init__(self, layers, flatten=False):
        super().__init__()
        self.seq_blocks = nn.Sequential(*layers)
        self.flatten = flatten

    def forward(self, x):
        return self.seq_blocks(torch.flatten(x, 1) if self.flatten else x)


class JscS(nn.Module):
    def __init__(self):
        super().__init__()
        self.module_list = nn.ModuleList(jets(
            "b", "r", 64, "b", "r", 32, "r", 32, "r", 32, "r", 5, "b", "r"))

    def forward(self, x):
        for layer in self.module_list:
            x = layer(x)
        return x


class ToyConvNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.relu1 = nn.Conv2d(3, 8, 3, padding=1), nn.ReLU()
        self.pool1 = nn.MaxPool2d(2)
        self.conv2, self.relu2 = nn.Conv2d(8, 16, 3, padding=1), nn.ReLU()
        self.pool2 = nn.MaxPool2d(2)
        self.conv3, self.relu3 = nn.Conv1d(16, 32, 3, padding=1), nn.ReLU()
        self.conv4, self.relu4 = nn.Conv1d(32, 64, 3, padding=1), nn.ReLU()
        self.pool3 = nn.AdaptiveAvgPool1d(1)
        self.fc = nn.Linear(64, 10)

    def forward(self, x):
        x = self.pool1(self.relu1(self.conv1(x)))
        x = self.pool2(self.relu2(self.conv2(x)))
        x = torch.flatten(x, 2)
        x = self.relu3(self.conv3(x))
        x = self.relu4(self.conv4(x))
        return self.fc(torch.flatten(self.pool3(x), 1))


class Cnv(nn.Module):
    def __init__(self):
        super().__init__()
        features, channels = [], 3
        for out in (64, 64, "M", 128, 128, "M", 256, 256):
            if out == "M":
                features.append(nn.MaxPool2d(2))
                continue
            features += [nn.Conv2d(channels, out, 3, bias=False), nn.BatchNorm2d(out, eps=1e-4), nn.ReLU()]
            channels = out
        self.conv_features = nn.Sequential(*features)
        head = []
        for i, o in ((256, 512), (512, 512), (512, 10)):
            head += [nn.Linear(i, o, bias=False), nn.BatchNorm1d(o, eps=1e-4), nn.ReLU()]
        self.linear_features = nn.Sequential(*head[:-1])

    def forward(self, x):
        return self.linear_features(torch.flatten(self.conv_features(x), 1))


class Vgg7(nn.Module):
    def __init__(self):
        super().__init__()
        features, channels = [], 3
        for out in (128, 128, "M", 256, 256, "M", 512, 512, "M"):
            if out == "M":
                features.append(nn.MaxPool2d(2))
                continue
            features += [nn.Conv2d(channels, out, 3, padding=1), nn.BatchNorm2d(out, momentum=0.9), nn.ReLU()]
            channels = out
        self.feature_layers = nn.Sequential(*features)
        self.classifier = nn.Sequential(nn.Linear(8192, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.ReLU())
        self.last_layer = nn.Linear(1024, 10)

    def forward(self, x):
        return self.last_layer(self.classifier(torch.flatten(self.feature_layers(x), 1)))


class Residual(nn.Module):
    """torchvision's BasicBlock."""

    def __init__(self, i, o, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(i, o, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(o)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(o, o, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(o)
        self.downsample = None
        if stride != 1 or i != o:
            self.downsample = nn.Sequential(nn.Conv2d(i, o, 1, stride, bias=False), nn.BatchNorm2d(o))

    def forward(self, x):
        y = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        skip = x if self.downsample is None else self.downsample(x)
        return self.relu(y + skip)


class ResNet18(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        width = 64
        for stage in range(1, 5):
            out = 64 * 2 ** (stage - 1)
            setattr(self, f"layer{stage}", nn.Sequential(
                Residual(width, out, 1 if stage == 1 else 2), Residual(out, out, 1)))
            width = out
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(512, 1000)

    def forward(self, x):
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(torch.flatten(self.avgpool(x), 1))


def conv_norm_act(i, o, k, stride=1, groups=1):
    return nn.Sequential(nn.Conv2d(i, o, k, stride, (k - 1) // 2, groups=groups, bias=False),
                         nn.BatchNorm2d(o), nn.ReLU6(inplace=True))


class InvertedResidual(nn.Module):
    def __init__(self, i, o, stride, expand):
        super().__init__()
        hidden = i * expand
        layers = [] if expand == 1 else [conv_norm_act(i, hidden, 1)]
        layers += [conv_norm_act(hidden, hidden, 3, stride, hidden),
                   nn.Conv2d(hidden, o, 1, bias=False), nn.BatchNorm2d(o)]
        self.conv = nn.Sequential(*layers)
        self.skip = stride == 1 and i == o

    def forward(self, x):
        return x + self.conv(x) if self.skip else self.conv(x)


class MobileNetV2(nn.Module):
    def __init__(self):
        super().__init__()
        features, width = [conv_norm_act(3, 32, 3, 2)], 32
        for t, c, n, s in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2),
                           (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)):
            for i in range(n):
                features.append(InvertedResidual(width, c, s if i == 0 else 1, t))
                width = c
        self.features = nn.Sequential(*features, conv_norm_act(width, 1280, 1))
        self.classifier = nn.Sequential(nn.Dropout(0.2), nn.Linear(1280, 1000))

    def forward(self, x):
        x = F.adaptive_avg_pool2d(self.features(x), (1, 1))
        return self.classifier(torch.flatten(x, 1))


def fully_connected(widths):
    layers = []
    for i, o in zip(widths, widths[1:-1]):
        layers += [nn.Linear(i, o), nn.BatchNorm1d(o), nn.ReLU()]
    return layers + [nn.Linear(*widths[-2:])]


MODELS = {
    "jsc-tiny": lambda: SeqBlocks(jets("b", "r", 5, "r")),
    "jsc-toy": lambda: SeqBlocks(jets("b", "r", 8, "b", "r", 8, "b", "r", 5, "b", "r")),
    "jsc-s": JscS,
    "jsc-trt": lambda: SeqBlocks(jets("b", "r", 32, "b", "r", 48, "b", "r", "d", 16, "b", "r", 5, "b", "r")),
    "jsc-tiny-x10": lambda: SeqBlocks(jets("b", "r", 40, "b", "r", 25, "b", "r", 5)),
    "jsc-deep": lambda: SeqBlocks(jets(
        "b", "r", 64, "b", "r", 128, "b", "r", 8, "b", "r", 8, "b", "r", 5, "b", "r")),
    "jsc-three-linear": lambda: SeqBlocks(jets("b", "r", 16, "r", 16, "r", 5, "r")),
    "toy": lambda: SeqBlocks([nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 2)], True),
    "toy_convnet": ToyConvNet,
    "lfc": lambda: SeqBlocks(fully_connected([784, 256, 256, 256, 256, 10]), True),
    "cnv": Cnv,
    "vgg7": Vgg7,
    "resnet18": ResNet18,
    "mobilenetv2": MobileNetV2,
}
# Known from torchvision's own documentation.
COUNTS = {"resnet18": 11689512, "mobilenetv2": 3504872}


def dumped():
    program = os.path.join(os.environ["CH_BUILD"], "tests", "oracle_model_keys")
    models, current = {}, None
    for line in subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines():
        kind, *words = line.split(" ")
        if kind == "model":
            current = models.setdefault(words[0], {"nodes": [], "params": []})
        elif kind == "node":
            current["nodes"].append(words)
        else:
            current["params"].append((words[0], [int(w) for w in words[1:]]))
    return models


class ZooAgainstPyTorch(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.ours = dumped()

    def test_every_model_has_its_twin_here(self):
        self.assertEqual(sorted(self.ours), sorted(MODELS))

    def test_state_dicts_have_the_same_keys_and_shapes_in_the_same_order(self):
        for name, make in MODELS.items():
            with self.subTest(model=name):
                theirs = [(key, list(value.shape)) for key, value in make().state_dict().items()
                          if not key.endswith("num_batches_tracked")]
                self.assertEqual(self.ours[name]["params"], theirs)

    def test_parameter_counts_are_those_of_torchvision(self):
        for name, count in COUNTS.items():
            self.assertEqual(sum(p.numel() for p in MODELS[name]().parameters()), count)

    def test_nodes_are_named_as_torch_fx_names_them(self):
        for name, make in MODELS.items():
            with self.subTest(model=name):
                nodes = torch.fx.symbolic_trace(make()).graph.nodes
                self.assertEqual([n[:2] for n in self.ours[name]["nodes"]], [[n.name, n.op] for n in nodes])
                for mine, node in zip(self.ours[name]["nodes"], nodes):
                    if node.op == "call_module":
                        self.assertEqual(mine[2], node.target)
                    elif node.op == "call_function":
                        self.assertEqual(mine[2].split(".")[-1], node.target.__name__)


if __name__ == "__main__":
    unittest.main()
