#!/usr/bin/env python3
"""Writes optim_golden.h: 20 steps of each optimizer, as Optax computes them.

    pip install optax && python3 make_optim_golden.py > optim_golden.h

In f64. The gradient depends on the parameters, so that an error of one step
shows in all later ones.
"""
import jax

jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp
import optax

STEPS = 20
START = {"w": jnp.array([[0.5, -1.25]]), "b": jnp.array([2.0, -0.125])}


def gradient(params, step):
    """g_i = cos(3 i + step) + p_i / 4, i counting w, then b."""
    flat = jnp.concatenate([params["w"].ravel(), params["b"]])
    g = jnp.cos(3.0 * jnp.arange(4) + step) + flat / 4
    return {"w": g[:2].reshape(1, 2), "b": g[2:]}


def is_matrix(params):
    return jax.tree_util.tree_map(lambda p: p.ndim >= 2, params)


def in_f64(schedule):
    """Optax counts in int32, and would compute the schedule in f32."""
    return lambda count: schedule(jnp.asarray(count, jnp.float64))


def schedule():
    return optax.warmup_cosine_decay_schedule(
        init_value=0.01, peak_value=0.1, warmup_steps=5, decay_steps=15,
        end_value=0.02)


CASES = {
    "Adam": optax.adam(0.05),
    "AdamW": optax.adamw(in_f64(schedule()), b2=0.95, weight_decay=0.1,
                         mask=is_matrix),
    "Sgd": optax.sgd(0.05, momentum=0.9),
    "Nesterov": optax.sgd(0.05, momentum=0.8, nesterov=True),
    "L2": optax.chain(optax.add_decayed_weights(0.3),
                      optax.trace(decay=0.5),
                      optax.scale(-0.1)),
    "Lion": optax.lion(0.01, weight_decay=0.1),
    "Rms": optax.chain(optax.scale_by_rms(decay=0.9, eps=1e-8),
                       optax.scale_by_learning_rate(0.02)),
    "ClipEach": optax.chain(optax.clip(0.25),
                            optax.scale_by_schedule(in_f64(
                                optax.linear_schedule(0.2, 0.05, 8))),
                            optax.scale(-1.0)),
    "ClipNorm": optax.chain(optax.clip_by_global_norm(0.5),
                            optax.scale_by_adam(),
                            optax.scale_by_learning_rate(0.1)),
}


def run(optimizer):
    params = START
    state = optimizer.init(params)
    for step in range(STEPS):
        updates, state = optimizer.update(gradient(params, step), state,
                                          params)
        params = optax.apply_updates(params, updates)
        yield params


def rows(name, rows_of_numbers):
    print(f"inline constexpr double {name}[kGoldenSteps][4] = {{")
    for numbers in rows_of_numbers:
        print("    {" + ", ".join(f"{float(x):.12g}" for x in numbers) + "},")
    print("};\n")


def flat(params):
    return [*params["w"].ravel(), *params["b"]]


def ema(history, decay=0.9):
    """Of the parameters after each step, from 0."""
    mean = jax.tree_util.tree_map(jnp.zeros_like, START)
    for params in history:
        mean = optax.incremental_update(params, mean, 1 - decay)
        yield mean


def main():
    print("// Written by make_optim_golden.py with Optax "
          f"{optax.__version__}. Do not edit.\n")
    print("#ifndef GYRE_TESTS_GOLDEN_OPTIM_OPTIM_GOLDEN_H_")
    print("#define GYRE_TESTS_GOLDEN_OPTIM_OPTIM_GOLDEN_H_\n")
    print("namespace gyre::optim {\n")
    print(f"inline constexpr int kGoldenSteps = {STEPS};")
    print("// Parameters after each step: w (1, 2), b (2).")
    for name, optimizer in CASES.items():
        rows(f"kGolden{name}", map(flat, run(optimizer)))
    rows("kGoldenEma", map(flat, ema(run(CASES["Adam"]))))
    s = schedule()
    print("inline constexpr double kGoldenWarmupCosine[kGoldenSteps] = {")
    for step in range(STEPS):
        print(f"    {float(s(step)):.12g},")
    print("};\n\n}  // namespace gyre::optim\n")
    print("#endif  // GYRE_TESTS_GOLDEN_OPTIM_OPTIM_GOLDEN_H_")


main()
