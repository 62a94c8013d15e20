"""The benchmarks of tests/bench in JAX, jitted, on one thread.

  OMP_NUM_THREADS=1 taskset -c 0 python tests/bench/peers/jax_peer.py [NAME]

Needs jax and optax.
"""

import os
import sys

os.environ.setdefault(
    "XLA_FLAGS",
    "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")

import jax
import jax.numpy as jnp
import numpy as np
import optax

from common import ADAM, BLOCK, COUNT, GRIDS, MLPS, ROWS, report

rng = np.random.default_rng(3)


def normal(*shape):
    return jnp.asarray(rng.standard_normal(shape, dtype=np.float32))


def optimizer():
    return optax.chain(optax.clip_by_global_norm(1.0),
                       optax.adamw(1e-3, weight_decay=0.01))


def train(name, params, loss):
    """Times a step whose parameters and states are donated, as in training."""
    adam = optimizer()

    def step(params, state):
        value, grads = jax.value_and_grad(loss)(params)
        updates, state = adam.update(grads, state, params)
        return optax.apply_updates(params, updates), state, value

    jitted = jax.jit(step, donate_argnums=(0, 1))
    holder = [params, adam.init(params)]

    def run():
        holder[0], holder[1], value = jitted(*holder)
        # A training loop reads the loss of each step.
        float(value)

    report(name, run)


def mlp(name):
    batch, width, widths = MLPS[name]
    params = []
    fan = width
    for out in widths:
        params.append((normal(fan, out) / np.sqrt(fan), jnp.zeros(out)))
        fan = out
    x, y = normal(batch, width), normal(batch, widths[-1])

    def loss(params):
        h = x
        for i, (w, b) in enumerate(params):
            h = h @ w + b
            if i + 1 < len(params):
                h = jnp.tanh(h)
        return jnp.mean((h - y) ** 2)

    train(name, params, loss)


def conv(name):
    batch, fields, hidden, rows, columns = GRIDS[name]
    sizes = [(fields, hidden), (hidden, hidden), (hidden, fields)]
    params = [(normal(o, i, 3, 3) / np.sqrt(9 * i), jnp.zeros((o, 1, 1)))
              for i, o in sizes]
    x = normal(batch, fields, rows, columns)
    y = normal(batch, fields, rows, columns)

    def loss(params):
        h = x
        for i, (w, b) in enumerate(params):
            h = jax.lax.conv_general_dilated(h, w, (1, 1), "SAME") + b
            if i < 2:
                h = jax.nn.relu(h)
        return jnp.mean((h - y) ** 2)

    train(name, params, loss)


def normalise(x, gain, bias):
    centred = x - jnp.mean(x, -1, keepdims=True)
    variance = jnp.mean(centred * centred, -1, keepdims=True)
    return centred * jax.lax.rsqrt(variance + 1e-5) * gain + bias


def transformer(name):
    batch, tokens, width, heads = BLOCK
    size = width // heads

    def dense(fan, out):
        return normal(fan, out) / np.sqrt(fan), jnp.zeros(out)

    params = {
        **{key: dense(width, width) for key in ["q", "k", "v", "out"]},
        "up": dense(width, 4 * width), "down": dense(4 * width, width),
        "norm0": (jnp.ones(width), jnp.zeros(width)),
        "norm1": (jnp.ones(width), jnp.zeros(width))}
    x, y = normal(batch, tokens, width), normal(batch, tokens, width)

    def linear(p, key, h):
        w, b = p[key]
        return h @ w + b

    def loss(p):
        h = normalise(x, *p["norm0"])
        q, k, v = (linear(p, key, h).reshape(batch, tokens, heads, size)
                   for key in ["q", "k", "v"])
        a = jax.nn.dot_product_attention(q, k, v)
        h = x + linear(p, "out", a.reshape(batch, tokens, width))
        up = jax.nn.gelu(linear(p, "up", normalise(h, *p["norm1"])),
                         approximate=False)
        return jnp.mean((h + linear(p, "down", up) - y) ** 2)

    train(name, params, loss)


def time_vjp(name, f, *operands):
    """Times f(operands) and its gradients for a given gradient of f."""
    dy = normal(*ROWS)

    def both(dy, *operands):
        y, back = jax.vjp(f, *operands)
        return y, back(dy)

    jitted = jax.jit(both)
    report(name, lambda: jax.block_until_ready(jitted(dy, *operands)))


def layer_norm(name):
    width = ROWS[1]
    time_vjp(name, normalise, normal(*ROWS), normal(width), normal(width))


def softmax(name):
    time_vjp(name, jax.nn.softmax, normal(*ROWS))


def pointwise(name):
    pred, target = normal(COUNT), normal(COUNT)

    def loss(pred, target):
        e = pred - target
        return jnp.mean(jnp.where(e < 0, 2.0, 1.0) * jnp.log(1 + e * e))

    f = jax.jit(jax.value_and_grad(loss))
    report(name, lambda: jax.block_until_ready(f(pred, target)))


def adam_update(name):
    adam = optax.adam(1e-3)
    grads = normal(ADAM)

    def update(params, state):
        updates, state = adam.update(grads, state, params)
        return optax.apply_updates(params, updates), state

    jitted = jax.jit(update, donate_argnums=(0, 1))
    params = normal(ADAM)
    holder = [params, adam.init(params)]

    def run():
        holder[:] = jitted(*holder)
        jax.block_until_ready(holder[0])

    report(name, run)


CASES = {"MlpSmall": mlp, "MlpLarge": mlp, "ConvStorm": conv,
         "ConvGlobe": conv, "TransformerBlock": transformer,
         "PointwiseLoss": pointwise, "LayerNorm": layer_norm,
         "Softmax": softmax, "AdamUpdate": adam_update}

if __name__ == "__main__":
    for name in sys.argv[1:] or CASES:
        CASES[name](name)
