#!/usr/bin/env python3
"""Writes composites.h: values and gradients of small programs, from JAX.

    pip install jax && python3 make_composites.py > composites.h

Each case is a function of x and y, both (3, 4). The file has its values, and
the gradients by x and by y of the sum of the values times fixed weights, in
f64 and in f32. tests/autodiff/golden_test.cc says the same in Gyre.
"""
import jax

jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp
from jax import nn
from jax.scipy.special import logsumexp

LABELS = jnp.array([1, 3, 0])
ROWS = jnp.array([2, 0, 2])
SEGMENTS = jnp.array([1, 0, 1])


def numbers(k, shape, dtype):
    """Element i is ((37 i + 11 k) mod 101 - 50) / 40."""
    n = 1
    for extent in shape:
        n *= extent
    flat = [((37 * i + 11 * k) % 101 - 50) / 40 for i in range(n)]
    return jnp.array(flat, dtype).reshape(shape)


def masked_mean(x, mask):
    return jnp.sum(jnp.where(mask, x, 0)) / jnp.sum(mask)


def cross_entropy(x, y):
    log_p = x - logsumexp(x, axis=1, keepdims=True)
    return -jnp.sum(nn.one_hot(LABELS, 4, dtype=x.dtype) * log_p * y, axis=1)


def crps(x, y):
    pairs = jnp.abs(x[:, None, :] - x[None, :, :])
    return jnp.mean(jnp.abs(x - y), axis=0) - 0.5 * jnp.mean(pairs, axis=(0, 1))


def gaussian_nll(x, y):
    sigma = nn.softplus(y) + 0.1
    return jnp.log(sigma) + 0.5 * (x / sigma) ** 2


def curvature(x, y):
    def loss(a):
        return jnp.sum(jnp.tanh(a) * a * y)

    return jax.jvp(jax.grad(loss), (x,), (y,))[1]


CASES = {
    "logsumexp": lambda x, y: logsumexp(3 * x * y, axis=1),
    "var": lambda x, y: jnp.var(x * y, axis=0, ddof=1),
    "prod_with_zero": lambda x, y: y
    * jnp.prod(x - jax.lax.stop_gradient(x[0, 0]), axis=1, keepdims=True),
    "cumsum_reverse": lambda x, y: jnp.flip(
        jnp.cumsum(jnp.flip(jnp.sin(x), 1), axis=1), 1) * y,
    "masked_mean": lambda x, y: masked_mean(x * x * y, y > 0),
    "masked_var": lambda x, y: jnp.var(x * y, where=y > 0),
    "masked_max": lambda x, y: jnp.max(
        jnp.where(y > 0, x * y, -jnp.inf)),
    "norm": lambda x, y: jnp.sqrt(jnp.sum((x - y) ** 2, axis=1)),
    "gather": lambda x, y: jnp.exp(x[ROWS]) * y,
    "segment_sum": lambda x, y: jax.ops.segment_sum(
        jnp.exp(x) * y, SEGMENTS, 2),
    "cross_entropy": cross_entropy,
    "roll": lambda x, y: (jnp.roll(x, -1, 1) - jnp.roll(x, 1, 1)) ** 2 * y,
    "stack_flip": lambda x, y: jnp.stack([jnp.cos(x), jnp.flip(x * y, 0)], 1),
    "crps": crps,
    "gaussian_nll": gaussian_nll,
    "hvp": curvature,
    "log_kernel": lambda x, y: logsumexp(jnp.tanh(x @ y.T), axis=0),
}


def evaluate(f, dtype):
    x, y = numbers(1, (3, 4), dtype), numbers(2, (3, 4), dtype)
    value = f(x, y)
    weights = numbers(9, value.shape, dtype)
    grads = jax.grad(lambda a, b: jnp.sum(f(a, b) * weights), (0, 1))(x, y)
    assert value.dtype == dtype and grads[0].dtype == dtype
    return value, *grads


def text(array, digits):
    items = [f"{float(v):.{digits}g}" for v in array.ravel()]
    lines, line = [], ""
    for item in items:
        if len(line) + len(item) > 66:
            lines.append(line)
            line = ""
        line += item + ", "
    lines.append(line)
    body = "\n        ".join(part.strip() for part in lines)
    return "{" + body.rstrip(", ") + "}"


def main():
    print("// Made by make_composites.py; do not edit.\n")
    print("#ifndef GYRE_TESTS_GOLDEN_AUTODIFF_COMPOSITES_H_")
    print("#define GYRE_TESTS_GOLDEN_AUTODIFF_COMPOSITES_H_\n")
    print("#include <string>\n#include <vector>\n\nnamespace gyre::internal::inline tests {\n")
    print("struct GoldenNumbers {\n  std::vector<double> value, dx, dy;\n};")
    print("struct GoldenCase {\n  std::string name;\n"
          "  GoldenNumbers f64, f32;\n};\n")
    print("inline std::vector<GoldenCase> CompositeCases() {\n  return {")
    for name, f in CASES.items():
        print(f'    {{"{name}",')
        for dtype, digits in ((jnp.float64, 17), (jnp.float32, 9)):
            parts = [text(a, digits) for a in evaluate(f, dtype)]
            comma = "," if dtype == jnp.float64 else "},"
            print("     {" + ",\n       ".join(parts) + "}" + comma)
    print("  };\n}\n\n}  // namespace gyre::internal::inline tests\n")
    print("#endif  // GYRE_TESTS_GOLDEN_AUTODIFF_COMPOSITES_H_")


if __name__ == "__main__":
    main()
