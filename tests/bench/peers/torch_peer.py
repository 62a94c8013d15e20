"""The benchmarks of tests/bench in PyTorch, eager and compiled, one thread.

  OMP_NUM_THREADS=1 taskset -c 0 python tests/bench/peers/torch_peer.py \
      [--compile] [NAME]

Needs torch, and a C++ compiler for --compile.
"""

import sys

import torch
from torch import nn

from common import ADAM, COUNT, GRIDS, MLPS, report

torch.set_num_threads(1)
torch.manual_seed(3)
compiled = "--compile" in sys.argv


def maybe_compile(f):
    return torch.compile(f) if compiled else f


def train(name, model, x, y):
    params = list(model.parameters())
    adam = torch.optim.AdamW(params, lr=1e-3, weight_decay=0.01, foreach=True)

    def forward():
        return ((model(x) - y) ** 2).mean()

    forward = maybe_compile(forward)

    def step():
        adam.zero_grad(set_to_none=True)
        loss = forward()
        loss.backward()
        nn.utils.clip_grad_norm_(params, 1.0)
        adam.step()
        return loss.item()

    report(name, step)


def mlp(name):
    batch, width, widths = MLPS[name]
    layers = []
    fan = width
    for i, out in enumerate(widths):
        layers.append(nn.Linear(fan, out))
        if i + 1 < len(widths):
            layers.append(nn.Tanh())
        fan = out
    train(name, nn.Sequential(*layers), torch.randn(batch, width),
          torch.randn(batch, widths[-1]))


def conv(name):
    batch, fields, hidden, rows, columns = GRIDS[name]
    model = nn.Sequential(
        nn.Conv2d(fields, hidden, 3, padding=1), nn.ReLU(),
        nn.Conv2d(hidden, hidden, 3, padding=1), nn.ReLU(),
        nn.Conv2d(hidden, fields, 3, padding=1))
    train(name, model, torch.randn(batch, fields, rows, columns),
          torch.randn(batch, fields, rows, columns))


def pointwise(name):
    pred = torch.randn(COUNT, requires_grad=True)
    target = torch.randn(COUNT)

    def loss():
        e = pred - target
        weight = torch.where(e < 0, 2.0, 1.0)
        return (weight * torch.log(1 + e * e)).mean()

    loss = maybe_compile(loss)

    def step():
        pred.grad = None
        loss().backward()

    report(name, step)


def adam_update(name):
    params = nn.Parameter(torch.randn(ADAM))
    params.grad = torch.randn(ADAM)
    adam = torch.optim.Adam([params], lr=1e-3, foreach=True)
    report(name, adam.step)


CASES = {"MlpSmall": mlp, "MlpLarge": mlp, "ConvStorm": conv,
         "ConvGlobe": conv, "PointwiseLoss": pointwise,
         "AdamUpdate": adam_update}

if __name__ == "__main__":
    names = [a for a in sys.argv[1:] if not a.startswith("-")]
    for name in names or CASES:
        CASES[name](name)
