#!/usr/bin/env python3
"""Writes layers_golden.h: composite layers and their gradients, by JAX.

    pip install jax && python3 make_layers_golden.py > layers_golden.h

In f64. Input k of a case holds sin(0.7 i + 1.1 k); the result y is contracted
with sin(0.7 i + 9.9) to the loss whose gradients stand behind y.
"""
import jax

jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp
from jax import lax

CASES = {}


def case(*shapes):
    def add(f):
        CASES[f.__name__] = (shapes, f)
        return f

    return add


def pattern(shape, k):
    n = 1
    for extent in shape:
        n *= extent
    return jnp.sin(0.7 * jnp.arange(n, dtype=jnp.float64) + 1.1 * k).reshape(
        shape)


def normalised(x, axes, eps):
    mean = x.mean(axes, keepdims=True)
    var = ((x - mean) ** 2).mean(axes, keepdims=True)
    return (x - mean) / jnp.sqrt(var + eps)


def conv(x, w, stride=(1, 1), padding="VALID"):
    return lax.conv_general_dilated(
        x, w, stride, padding, dimension_numbers=("NCHW", "OIHW", "NCHW"))


def attend(q, k, v, bias=0.0, seen=None):
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) / jnp.sqrt(q.shape[-1])
    scores = scores + bias
    if seen is not None:
        scores = jnp.where(seen, scores, -jnp.inf)
    return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(scores, -1), v)


@case((3, 5), (5,), (5,))
def layer_norm(x, gain, bias):
    return normalised(x, -1, 1e-5) * gain + bias


@case((3, 5), (5,))
def rms_norm(x, gain):
    return x / jnp.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * gain


@case((2, 4, 2, 3), (4,), (4,))
def group_norm(x, gain, bias):
    y = normalised(x.reshape(2, 2, 2, 2, 3), (2, 3, 4), 1e-5).reshape(x.shape)
    return y * gain[:, None, None] + bias[:, None, None]


@case((2, 3, 4))
def softmax_axis_1(x):
    return jax.nn.softmax(3 * x, 1)


@case((3, 4))
def log_softmax(x):
    return jax.nn.log_softmax(3 * x, -1)


@case((3, 4))
def cross_entropy(x):
    labels = jax.nn.one_hot(jnp.array([2, 0, 3]), 4)
    return -(labels * jax.nn.log_softmax(x, -1)).sum(-1)


@case((1, 2, 3, 4), (1, 2, 5, 4), (1, 2, 5, 3))
def attention(q, k, v):
    return attend(q, k, v)


@case((1, 2, 3, 4), (1, 2, 3, 4), (1, 2, 3, 2))
def attention_causal(q, k, v):
    return attend(q, k, v, seen=jnp.tril(jnp.ones((3, 3), bool)))


@case((1, 2, 3, 4), (1, 2, 5, 4), (1, 2, 5, 3), (2, 1, 5))
def attention_bias_mask(q, k, v, bias):
    seen = jnp.array([True, False, True, True, False])
    return attend(q, k, v, bias, seen)


@case((1, 2, 3, 4), (1, 2, 3, 4), (1, 2, 3, 4))
def attention_qk_norm(q, k, v):
    def rms(x):
        return x / jnp.sqrt((x * x).mean(-1, keepdims=True) + 1e-6)

    return attend(rms(q), rms(k), v)


@case((1, 2, 3, 4), (2, 2, 3, 3))
def conv_on_the_globe(x, w):
    x = jnp.pad(x, ((0, 0), (0, 0), (1, 1), (0, 0)), mode="edge")
    return conv(jnp.pad(x, ((0, 0), (0, 0), (0, 0), (1, 1)), mode="wrap"), w)


@case((1, 2, 4, 5), (2, 2, 3, 3))
def conv_reflect_stride(x, w):
    x = jnp.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)), mode="reflect")
    return conv(x, w, (2, 2))


@case((1, 2, 2, 3), (2, 2, 3, 3))
def conv_transpose(x, w):
    flipped = w.transpose(1, 0, 2, 3)[:, :, ::-1, ::-1]
    return lax.conv_general_dilated(
        x, flipped, (1, 1), ((1, 2), (1, 1)), lhs_dilation=(2, 2),
        dimension_numbers=("NCHW", "OIHW", "NCHW"))


@case((1, 2, 4, 5))
def avg_pool(x):
    total = lax.reduce_window(x, 0.0, lax.add, (1, 1, 3, 3), (1, 1, 2, 2),
                              ((0, 0), (0, 0), (1, 1), (1, 1)))
    return total / 9


@case((1, 2, 4, 5))
def max_pool(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, 2, 3), (1, 1, 2, 1),
                             "VALID")


@case((1, 3, 4))
def resize_bilinear(x):
    return jax.image.resize(x, (1, 5, 7), "bilinear", antialias=False)


@case((1, 3, 4))
def resize_nearest(x):
    return jax.image.resize(x, (1, 4, 6), "nearest")


@case((2, 3, 4), (3, 5))
def einsum_channels(x, w):
    return jnp.einsum("ncw,co->now", x, w)


@case((1, 3, 4), (4, 4), (4, 4), (4, 4), (4, 4), (4, 8), (8, 4))
def transformer_block(x, wq, wk, wv, wo, w1, w2):
    def heads(y):
        return y.reshape(1, 3, 2, 2).transpose(0, 2, 1, 3)

    h = normalised(x, -1, 1e-5)
    y = attend(heads(h @ wq), heads(h @ wk), heads(h @ wv),
               seen=jnp.tril(jnp.ones((3, 3), bool)))
    x = x + y.transpose(0, 2, 1, 3).reshape(1, 3, 4) @ wo
    h = normalised(x, -1, 1e-5)
    return x + jax.nn.gelu(h @ w1, approximate=False) @ w2


def numbers(array):
    lines, line = [], "     {"
    for value in array.ravel():
        text = f"{float(value):.12g}"
        if len(line) + len(text) + 2 > 78:
            lines.append(line.rstrip())
            line = "      "
        line += text + ", "
    return "\n".join(lines + [line.rstrip(", ") + "},"])


def main():
    print(f"// Written by make_layers_golden.py with JAX {jax.__version__}. "
          "Do not edit.\n")
    print("#ifndef GYRE_TESTS_GOLDEN_AUTODIFF_LAYERS_GOLDEN_H_")
    print("#define GYRE_TESTS_GOLDEN_AUTODIFF_LAYERS_GOLDEN_H_\n")
    print("#include <string_view>\n#include <vector>\n")
    print("namespace gyre::internal::inline tests {\n")
    print("// The result of a case, then the gradient of each input.")
    print("struct LayersGolden {\n  std::string_view name;")
    print("  std::vector<std::vector<double>> numbers;\n};\n")
    print("inline std::vector<LayersGolden> AllLayersGolden() {\n  return {")
    for name, (shapes, f) in CASES.items():
        inputs = [pattern(shape, k) for k, shape in enumerate(shapes)]
        y = f(*inputs)
        loss = lambda *x: (f(*x) * pattern(y.shape, 9)).sum()
        grads = jax.grad(loss, argnums=tuple(range(len(shapes))))(*inputs)
        print(f'    {{"{name}",\n    {{')
        for array in (y, *grads):
            print(numbers(array))
        print("    }},")
    print("  };\n}\n\n}  // namespace gyre::internal::inline tests\n")
    print("#endif  // GYRE_TESTS_GOLDEN_AUTODIFF_LAYERS_GOLDEN_H_")


main()
