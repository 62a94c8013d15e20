#!/usr/bin/env python3
"""Writes tensor_golden.h: 20 steps of the stages that look at whole tensors,
as Optax computes them, and schedules of Optax and PyTorch.

    pip install optax torch && python3 make_tensor_golden.py > tensor_golden.h

In f64. The gradient depends on the parameters, so that an error of one step
shows in all later ones.
"""
import jax

jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp
import optax
import torch

STEPS = 20
START = {"w": jnp.array([[0.5, -1.25, 0.75], [1.5, -0.5, 0.25]]),
         "b": jnp.array([2.0, -0.125])}


def gradient(params, step):
    """g_i = cos(3 i + step) + p_i / 4, i counting w, then b."""
    flat = jnp.concatenate([params["w"].ravel(), params["b"]])
    g = jnp.cos(3.0 * jnp.arange(8) + step) + flat / 4
    return {"w": g[:6].reshape(2, 3), "b": g[6:]}


def is_matrix(params):
    return jax.tree_util.tree_map(lambda p: p.ndim >= 2, params)


def by_tensor(transform):
    return optax.multi_transform({"w": transform, "b": transform},
                                 {"w": "w", "b": "b"})


def decay_in_f64(step, exponent):
    """Optax's own computes it in f32."""
    return 1 - (jnp.asarray(step, jnp.float64) + 1) ** -exponent


def adafactor(learning_rate):
    """What optax.adafactor chains, with the decay in f64."""
    return optax.chain(
        optax.scale_by_factored_rms(min_dim_size_to_factor=2,
                                    decay_rate_fn=decay_in_f64),
        optax.clip_by_block_rms(1.0),
        optax.scale_by_learning_rate(learning_rate, flip_sign=False),
        optax.scale_by_param_block_rms(),
        optax.scale(-1))


CASES = {
    "Lamb": optax.lamb(0.05, eps=1e-6, weight_decay=0.1, mask=is_matrix),
    "Adafactor": adafactor(0.1),
    "ClipAdaptive": optax.chain(optax.adaptive_grad_clip(0.1),
                                optax.trace(decay=0.5),
                                optax.scale(-0.1)),
    "ClipTensorNorm": optax.chain(by_tensor(optax.clip_by_global_norm(0.5)),
                                  optax.scale_by_adam(),
                                  optax.scale(-0.1)),
}


def run(optimizer):
    params = START
    state = optimizer.init(params)
    for step in range(STEPS):
        updates, state = optimizer.update(gradient(params, step), state,
                                          params)
        params = optax.apply_updates(params, updates)
        yield [*params["w"].ravel(), *params["b"]]


def rows(name, rows_of_numbers):
    print(f"inline constexpr double {name}[kTensorGoldenSteps][8] = {{")
    for numbers in rows_of_numbers:
        print("    {" + ", ".join(f"{float(x):.12g}" for x in numbers[:4])
              + ",")
        print("     " + ", ".join(f"{float(x):.12g}" for x in numbers[4:])
              + "},")
    print("};\n")


def torch_schedule(make):
    weight = torch.nn.Parameter(torch.zeros(1, dtype=torch.float64))
    optimizer = torch.optim.SGD([weight], lr=0.2)
    schedule = make(optimizer)
    for _ in range(STEPS):
        yield optimizer.param_groups[0]["lr"]
        optimizer.step()
        schedule.step()


def stable_decay():
    return optax.join_schedules(
        [optax.linear_schedule(0.02, 0.2, 4), optax.constant_schedule(0.2),
         optax.linear_schedule(0.2, 0.01, 6)], [4, 10])


def numbers(name, values):
    print(f"inline constexpr double {name}[kTensorGoldenSteps] = {{")
    for x in values:
        print(f"    {float(x):.12g},")
    print("};\n")


def main():
    print("// Written by make_tensor_golden.py with Optax "
          f"{optax.__version__} and PyTorch {torch.__version__.split('+')[0]}."
          "\n")
    print("#ifndef GYRE_TESTS_GOLDEN_OPTIM_TENSOR_GOLDEN_H_")
    print("#define GYRE_TESTS_GOLDEN_OPTIM_TENSOR_GOLDEN_H_\n")
    print("namespace gyre::optim {\n")
    print(f"inline constexpr int kTensorGoldenSteps = {STEPS};")
    print("// Parameters after each step: w (2, 3), b (2).")
    for name, optimizer in CASES.items():
        rows(f"kGolden{name}", run(optimizer))
    numbers("kGoldenStepDecay", torch_schedule(
        lambda o: torch.optim.lr_scheduler.StepLR(o, 6, 0.3)))
    numbers("kGoldenPolynomial", torch_schedule(
        lambda o: torch.optim.lr_scheduler.PolynomialLR(o, 15, 2.0)))
    wsd = stable_decay()
    numbers("kGoldenStableDecay",
            [wsd(jnp.asarray(i, jnp.float64)) for i in range(STEPS)])
    print("}  // namespace gyre::optim\n")
    print("#endif  // GYRE_TESTS_GOLDEN_OPTIM_TENSOR_GOLDEN_H_")


main()
