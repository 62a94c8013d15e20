"""The benchmarks of tests/bench in PyTorch, eager and compiled, one thread.

  OMP_NUM_THREADS=1 taskset -c 0 python tests/bench/peers/torch_peer.py \
      [--compile] [NAME]

Needs torch, and a C++ compiler for --compile.
"""

import sys

import torch
from torch import nn
from torch.nn import functional

from common import ADAM, BLOCK, COUNT, GRIDS, MLPS, ROWS, report

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


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm0, self.norm1 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.q, self.k, self.v, self.out = (
            nn.Linear(width, width) for _ in range(4))
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(),
                                 nn.Linear(4 * width, width))

    def forward(self, x):
        h = self.norm0(x)
        q, k, v = (f(h).unflatten(-1, (self.heads, -1)).transpose(1, 2)
                   for f in (self.q, self.k, self.v))
        a = functional.scaled_dot_product_attention(q, k, v)
        x = x + self.out(a.transpose(1, 2).flatten(-2))
        return x + self.mlp(self.norm1(x))


def transformer(name):
    batch, tokens, width, heads = BLOCK
    train(name, Block(width, heads), torch.randn(batch, tokens, width),
          torch.randn(batch, tokens, width))


def time_gradient(name, f, *operands):
    """Times f(operands) and its gradients for a given gradient of f."""
    dy = torch.randn(*ROWS)
    f = maybe_compile(f)

    def step():
        y = f(*operands)
        torch.autograd.grad(y, operands, dy)

    report(name, step)


def layer_norm(name):
    width = ROWS[1]
    time_gradient(
        name, lambda x, gain, bias: functional.layer_norm(
            x, (width,), gain, bias),
        *(torch.randn(*s, requires_grad=True)
          for s in (ROWS, (width,), (width,))))


def softmax(name):
    time_gradient(name, lambda x: functional.softmax(x, -1),
                  torch.randn(*ROWS, requires_grad=True))


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
         "ConvGlobe": conv, "TransformerBlock": transformer,
         "PointwiseLoss": pointwise, "LayerNorm": layer_norm,
         "Softmax": softmax, "AdamUpdate": adam_update}

if __name__ == "__main__":
    names = [a for a in sys.argv[1:] if not a.startswith("-")]
    for name in names or CASES:
        CASES[name](name)
