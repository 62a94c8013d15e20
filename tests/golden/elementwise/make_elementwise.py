#!/usr/bin/env python3
"""Writes elementwise.txt: each word of one number over the range of its type.

    pip install mpmath && python3 make_elementwise.py > elementwise.txt

A line is: name, x, f(x), f'(x), f''(x). x is a float, or a double where the
name ends in /f64; the others are mpmath's values, of 160 digits, rounded to 11
or, for doubles, to the nearest double. tests/autodiff/ops/precision_sweep_test.cc reads them.
"""
import math
import struct

import mpmath as mp

mp.mp.dps = 160

ROOT_PI = mp.sqrt(mp.pi)
ROOT_2PI = mp.sqrt(2 * mp.pi)
PLAIN = [0.1, 0.2, 0.3, 0.4667, 0.5, 0.7071, 0.8, 0.95, 0.9999, 1.0, 1.0001,
         1.2, 1.4616, 1.7, 2.0, 2.345, 3.0, 3.9, 4.7, 5.0, 6.1, 7.3, 8.0, 9.1,
         10.2, 12.5, 16.7, 20.3, 28.0, 37.9, 50.1, 70.7, 88.0, 88.9, 100.3]
SMALL = [1e-45, 1e-42, 1.1e-38, 1.3e-38, 3e-30, 1e-20, 2e-12, 1e-7, 6e-5, 1e-3,
         0.011]
LARGE = [312.7, 1234.5, 99000.0, 123456.7, 3e8, 1e13, 2e15, 1.7e19, 2e19, 1e25,
         3e38]
MORE_F64 = [1e-320, 3e-300, 1e-155, 1e60, 1.3e154, 1e300, 700.0, 720.0]


def to_float(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def tail(n, x):
    """e^(x^2) i^n erfc(x), the repeated integral of erfc."""
    if x > 30:
        # The asymptotic series, to far more digits than a double has.
        total, term = mp.mpf(1), mp.mpf(1)
        for m in range(1, 60):
            term *= -mp.mpf((n + 2 * m) * (n + 2 * m - 1)) / (4 * m * x * x)
            total += term
            if abs(term) < mp.mpf(10) ** -60:
                break
        return 2 / ROOT_PI * total / (2 * x) ** (n + 1)
    if n == -1:
        return 2 / ROOT_PI
    if n == 0:
        return mp.exp(x * x) * erfc(x)
    return (tail(n - 2, x) - 2 * x * tail(n - 1, x)) / (2 * n)


def gauss(x):
    return mp.exp(-x * x) if abs(x) < 1e6 else mp.mpf(0)


def phi(x):
    return gauss(x / mp.sqrt(2)) / ROOT_2PI


def erfc(x):
    if abs(x) < 30:
        return mp.erfc(x)
    small = gauss(x) * tail(0, abs(x))
    return small if x > 0 else 2 - small


def cdf(x):
    return erfc(-x / mp.sqrt(2)) / 2


def log_cdf(x):
    if x > 0:
        return mp.log1p(-cdf(-x)) if x < 150 else -cdf(-x)
    return mp.log(tail(0, -x / mp.sqrt(2)) / 2) - x * x / 2


def log_erfc(x):
    if abs(x) < 1:
        return mp.log1p(-mp.erf(x))
    return mp.log(erfc(x)) if x < 0 else mp.log(tail(0, x)) - x * x


def mills(x):
    """phi / Phi."""
    return mp.sqrt(2 / mp.pi) / tail(0, -x / mp.sqrt(2)) if x < 0 else (
        phi(x) / cdf(x))


def mills_slope(x):
    if x < 0:
        z = -x / mp.sqrt(2)
        return -2 / ROOT_PI * tail(1, z) / tail(0, z) ** 2
    return -mills(x) * (x + mills(x))


def log_erfc_slope(x):
    return -2 / ROOT_PI / tail(0, x) if x > 0 else (
        -2 / ROOT_PI * gauss(x) / erfc(x))


def log_erfc_bend(x):
    if x > 0:
        return -4 / ROOT_PI * tail(1, x) / tail(0, x) ** 2
    s = log_erfc_slope(x)
    return -2 * x * s - s * s


def sig(x):
    return 1 / (1 + mp.exp(-x)) if x > 0 else mp.exp(x) / (1 + mp.exp(x))


def sech2(x):
    return 4 * mp.exp(-2 * abs(x)) / (1 + mp.exp(-2 * abs(x))) ** 2


def silu_bend(x):
    s, r = sig(x), sig(-x)
    return s * r * (2 + x * (r - s))


def tanh_parts(x):
    c, a = mp.sqrt(8 / mp.pi), mp.mpf("0.044715")
    return c * (x + a * x**3), c * (1 + 3 * a * x * x), 6 * c * a * x


def gelu_tanh_slope(x):
    u, du, _ = tanh_parts(x)
    return sig(u) + x * du * sig(u) * sig(-u)


def gelu_tanh_bend(x):
    u, du, ddu = tanh_parts(x)
    p = sig(u) * sig(-u)
    return p * (2 * du + x * ddu + x * du * du * (sig(-u) - sig(u)))


def softplus(x):
    return mp.log1p(mp.exp(x)) if x < 0 else x + mp.log1p(mp.exp(-x))


def gamma_log(x):
    return mp.log(abs(mp.gamma(x))) if x < 1e4 else mp.loggamma(x)


def both(low=None, high=None):
    def inside(x):
        return (low is None or x >= low) and (high is None or x <= high)
    return inside


ANY = both()
POSITIVE = lambda x: x > 0
ONE = mp.mpf(1)
WORDS = {
    "abs": (abs, mp.sign, lambda x: 0, lambda x: x != 0),
    "exp": (mp.exp, mp.exp, mp.exp, both(-1e4, 1e4)),
    "expm1": (mp.expm1, mp.exp, mp.exp, both(-1e4, 1e4)),
    "log": (mp.log, lambda x: 1 / x, lambda x: -1 / x**2, POSITIVE),
    "log1p": (mp.log1p, lambda x: 1 / (1 + x), lambda x: -1 / (1 + x)**2,
              lambda x: x > -1),
    "log2": (lambda x: mp.log(x, 2), lambda x: 1 / x / mp.log(2),
             lambda x: -1 / x**2 / mp.log(2), POSITIVE),
    "sqrt": (mp.sqrt, lambda x: x**-0.5 / 2, lambda x: -(x**-1.5) / 4,
             POSITIVE),
    "rsqrt": (lambda x: x**-0.5, lambda x: -(x**-1.5) / 2,
              lambda x: 3 * x**-2.5 / 4, POSITIVE),
    "sin": (mp.sin, mp.cos, lambda x: -mp.sin(x), ANY),
    "cos": (mp.cos, lambda x: -mp.sin(x), lambda x: -mp.cos(x), ANY),
    "tan": (mp.tan, lambda x: 1 + mp.tan(x)**2,
            lambda x: 2 * mp.tan(x) * (1 + mp.tan(x)**2), ANY),
    "asin": (mp.asin, lambda x: 1 / mp.sqrt(1 - x * x),
             lambda x: x / mp.sqrt(1 - x * x)**3, lambda x: abs(x) < 1),
    "acos": (mp.acos, lambda x: -1 / mp.sqrt(1 - x * x),
             lambda x: -x / mp.sqrt(1 - x * x)**3, lambda x: abs(x) < 1),
    "atan": (mp.atan, lambda x: 1 / (1 + x * x),
             lambda x: -2 * x / (1 + x * x)**2, ANY),
    "sinh": (mp.sinh, mp.cosh, mp.sinh, both(-1e4, 1e4)),
    "cosh": (mp.cosh, mp.sinh, mp.cosh, both(-1e4, 1e4)),
    "tanh": (mp.tanh, sech2, lambda x: -2 * mp.tanh(x) * sech2(x), ANY),
    "sech2": (sech2, lambda x: -2 * mp.tanh(x) * sech2(x),
              lambda x: sech2(x) * (4 * mp.tanh(x)**2 - 2 * sech2(x)), ANY),
    "sigmoid": (sig, lambda x: sech2(x / 2) / 4,
                lambda x: -mp.tanh(x / 2) * sech2(x / 2) / 4, ANY),
    "silu": (lambda x: x * sig(x), lambda x: sig(x) * (1 + x * sig(-x)),
             silu_bend, ANY),
    "softplus": (softplus, sig, lambda x: sech2(x / 2) / 4, ANY),
    "gelu": (lambda x: x * cdf(x), lambda x: cdf(x) + x * phi(x),
             lambda x: phi(x) * (2 - x * x), ANY),
    "gelu_tanh": (lambda x: x * sig(2 * mp.sqrt(2 / mp.pi) * (
        x + mp.mpf("0.044715") * x**3)), gelu_tanh_slope, gelu_tanh_bend, ANY),
    "relu": (lambda x: max(x, mp.mpf(0)), lambda x: mp.mpf(x > 0),
             lambda x: 0, ANY),
    "square": (lambda x: x * x, lambda x: 2 * x, lambda x: 2, ANY),
    "reciprocal": (lambda x: 1 / x, lambda x: -1 / x**2, lambda x: 2 / x**3,
                   lambda x: x != 0),
    "erf": (lambda x: mp.erf(x) if abs(x) < 30 else mp.sign(x), lambda x: 2 / ROOT_PI * gauss(x),
            lambda x: -4 * x / ROOT_PI * gauss(x), ANY),
    "erfc": (erfc,
             lambda x: -2 / ROOT_PI * gauss(x),
             lambda x: 4 * x / ROOT_PI * gauss(x), ANY),
    "erfcx": (lambda x: tail(0, x), lambda x: -2 * tail(1, x),
              lambda x: 8 * tail(2, x), both(-1e3)),
    "ierfcx": (lambda x: tail(1, x), lambda x: -4 * tail(2, x),
               lambda x: 24 * tail(3, x), both(-1e3)),
    "i2erfcx": (lambda x: tail(2, x), lambda x: -6 * tail(3, x),
                lambda x: 48 * tail(4, x), both(-1e3)),
    "log_erfc": (log_erfc, log_erfc_slope, log_erfc_bend, ANY),
    "ndtr": (lambda x: cdf(x), phi, lambda x: -x * phi(x), ANY),
    "log_ndtr": (log_cdf, mills, mills_slope, ANY),
    "gaussian": (gauss, lambda x: -2 * x * gauss(x),
                 lambda x: (4 * x * x - 2) * gauss(x), ANY),
    "normal_pdf": (phi, lambda x: -x * phi(x), lambda x: (x * x - 1) * phi(x),
                   ANY),
    "lgamma": (gamma_log, mp.digamma, lambda x: mp.polygamma(1, x),
               lambda x: 1e-60 < x < 1e60 or (-60 < x < -1e-60 and x != mp.floor(x))),
    "digamma": (mp.digamma, lambda x: mp.polygamma(1, x),
                lambda x: mp.polygamma(2, x),
                lambda x: 1e-60 < x < 1e60 or (-60 < x < -1e-60 and x != mp.floor(x))),
}


def number(value, digits):
    """As text: 17 digits are the nearest double. Beyond the doubles, inf."""
    value = mp.mpf(value)
    if value != 0 and abs(value) < mp.mpf(2) ** -1080:
        return "-0" if value < 0 else "0"
    if abs(value) >= mp.mpf(2) ** 1024:
        return "-inf" if value < 0 else "inf"
    with mp.workdps(60):
        return f"{float(+value):.{digits}g}"


def write(name, xs, digits, functions, inside):
    for x in xs:
        z = mp.mpf(x)
        if inside(z):
            at = f"{x:.9g}" if digits < 17 else repr(x)
            print(name, at, *(number(f(z), digits) for f in functions))


def main():
    sizes = SMALL + PLAIN + LARGE
    floats = sorted({to_float(s * x) for x in sizes for s in (1, -1)})
    doubles = sorted({s * x for x in SMALL[3::3] + PLAIN[::3] + LARGE[::3] +
                      MORE_F64 for s in (1, -1)})
    print("# Made by make_elementwise.py; do not edit.")
    for name, (*functions, inside) in WORDS.items():
        write(name, floats, 11, functions, inside)
        write(name + "/f64", doubles, 17, functions, inside)


main()
