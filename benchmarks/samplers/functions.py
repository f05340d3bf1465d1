"""Published test functions, under the same names as in functions.cpp."""
import math

import numpy as np

HARTMANN_HEIGHTS = np.array([1.0, 1.2, 3.0, 3.2])
HARTMANN3_A = np.array([[3, 10, 30], [0.1, 10, 35], [3, 10, 30], [0.1, 10, 35]])
HARTMANN3_P = 1e-4 * np.array([[3689, 1170, 2673], [4699, 4387, 7470], [1091, 8732, 5547],
                               [381, 5743, 8828]])
HARTMANN6_A = np.array([[10, 3, 17, 3.5, 1.7, 8], [0.05, 10, 17, 0.1, 8, 14],
                        [3, 3.5, 1.7, 10, 17, 8], [17, 8, 0.05, 10, 0.1, 14]])
HARTMANN6_P = 1e-4 * np.array([[1312, 1696, 5569, 124, 8283, 5886],
                               [2329, 4135, 8307, 3736, 1004, 9991],
                               [2348, 1451, 3522, 2883, 3047, 6650],
                               [4047, 8828, 8732, 5743, 1091, 381]])
SHEKEL_B = 0.1 * np.array([1, 2, 2, 4, 4, 6, 3, 7, 5, 5])
SHEKEL_C = np.array([[4, 1, 8, 6, 3, 2, 5, 8, 6, 7], [4, 1, 8, 6, 7, 9, 3, 1, 2, 3.6]] * 2)


def sphere(x):
    return np.sum(x * x)


def rosenbrock(x):
    return np.sum(100 * (x[1:] - x[:-1]**2)**2 + (x[:-1] - 1)**2)


def rastrigin(x):
    return 10 * len(x) + np.sum(x * x - 10 * np.cos(2 * math.pi * x))


def ackley(x):
    return (-20 * np.exp(-0.2 * np.sqrt(np.mean(x * x))) - np.exp(np.mean(np.cos(2 * math.pi * x)))
            + 20 + math.e)


def griewank(x):
    roots = np.sqrt(np.arange(1, len(x) + 1))
    return 1 + np.sum(x * x) / 4000 - np.prod(np.cos(x / roots))


def branin(x):
    a, b = x
    bend = b - 5.1 / (4 * math.pi**2) * a * a + 5 / math.pi * a - 6
    return bend**2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(a) + 10


def hartmann3(x):
    return -np.sum(HARTMANN_HEIGHTS * np.exp(-np.sum(HARTMANN3_A * (x - HARTMANN3_P)**2, axis=1)))


def hartmann6(x):
    return -np.sum(HARTMANN_HEIGHTS * np.exp(-np.sum(HARTMANN6_A * (x - HARTMANN6_P)**2, axis=1)))


def styblinski_tang(x):
    return np.sum(x**4 - 16 * x * x + 5 * x) / 2


def levy(x):
    w = 1 + (x - 1) / 4
    middle = np.sum((w[:-1] - 1)**2 * (1 + 10 * np.sin(math.pi * w[:-1] + 1)**2))
    end = (w[-1] - 1)**2 * (1 + np.sin(2 * math.pi * w[-1])**2)
    return np.sin(math.pi * w[0])**2 + middle + end


def schwefel(x):
    return 418.9829 * len(x) - np.sum(x * np.sin(np.sqrt(np.abs(x))))


def zakharov(x):
    slope = np.sum(0.5 * np.arange(1, len(x) + 1) * x)
    return np.sum(x * x) + slope**2 + slope**4


def dixon_price(x):
    return (x[0] - 1)**2 + np.sum(np.arange(2, len(x) + 1) * (2 * x[1:]**2 - x[:-1])**2)


def michalewicz(x):
    return -np.sum(np.sin(x) * np.sin(np.arange(1, len(x) + 1) * x * x / math.pi)**20)


def six_hump_camel(x):
    a, b = x
    return (4 - 2.1 * a**2 + a**4 / 3) * a**2 + a * b + (-4 + 4 * b**2) * b**2


def goldstein_price(x):
    a, b = x
    left = 1 + (a + b + 1)**2 * (19 - 14 * a + 3 * a * a - 14 * b + 6 * a * b + 3 * b * b)
    right = 30 + (2 * a - 3 * b)**2 * (18 - 32 * a + 12 * a * a + 48 * b - 36 * a * b + 27 * b * b)
    return left * right


def shekel(x):
    return -np.sum(1 / (np.sum((x[:, None] - SHEKEL_C)**2, axis=0) + SHEKEL_B))


def powell(x):
    a, b, c, d = x
    return (a + 10 * b)**2 + 5 * (c - d)**2 + (b - 2 * c)**4 + 10 * (a - d)**4


def alpine(x):
    return np.sum(np.abs(x * np.sin(x) + 0.1 * x))


def trid(x):
    return np.sum((x - 1)**2) - np.sum(x[1:] * x[:-1])


def zdt(x, shape):
    g = 1 + 9 * np.mean(x[1:])
    return x[0], g * shape(x[0] / g)


def zdt1(x):
    return zdt(x, lambda ratio: 1 - math.sqrt(ratio))


def zdt2(x):
    return zdt(x, lambda ratio: 1 - ratio**2)


def zdt3(x):
    g = 1 + 9 * np.mean(x[1:])
    ratio = x[0] / g
    return x[0], g * (1 - math.sqrt(ratio) - ratio * math.sin(10 * math.pi * x[0]))


def kursawe(x):
    first = np.sum(-10 * np.exp(-0.2 * np.sqrt(x[:-1]**2 + x[1:]**2)))
    return first, np.sum(np.abs(x)**0.8 + 5 * np.sin(x**3))


def dtlz2(x):
    g = 1 + np.sum((x[1:] - 0.5)**2)
    return g * math.cos(x[0] * math.pi / 2), g * math.sin(x[0] * math.pi / 2)


def fonseca_fleming(x):
    shift = 1 / math.sqrt(len(x))
    return 1 - np.exp(-np.sum((x - shift)**2)), 1 - np.exp(-np.sum((x + shift)**2))


# name: (function, bounds of each variable)
SINGLE = {
    "sphere": (sphere, [(-5.12, 5.12)] * 5),
    "rosenbrock": (rosenbrock, [(-5, 10)] * 5),
    "rastrigin": (rastrigin, [(-5.12, 5.12)] * 5),
    "ackley": (ackley, [(-32.768, 32.768)] * 5),
    "griewank": (griewank, [(-600, 600)] * 5),
    "branin": (branin, [(-5, 10), (0, 15)]),
    "hartmann3": (hartmann3, [(0, 1)] * 3),
    "hartmann6": (hartmann6, [(0, 1)] * 6),
    "styblinski_tang": (styblinski_tang, [(-5, 5)] * 5),
    "levy": (levy, [(-10, 10)] * 5),
}
# Settings were chosen on these; the comparison is over the functions above.
DESIGN = {
    "schwefel": (schwefel, [(-500, 500)] * 5),
    "zakharov": (zakharov, [(-5, 10)] * 5),
    "dixon_price": (dixon_price, [(-10, 10)] * 5),
    "michalewicz": (michalewicz, [(0, math.pi)] * 5),
    "six_hump_camel": (six_hump_camel, [(-3, 3), (-2, 2)]),
    "goldstein_price": (goldstein_price, [(-2, 2)] * 2),
    "shekel": (shekel, [(0, 10)] * 4),
    "powell": (powell, [(-4, 5)] * 4),
    "alpine": (alpine, [(-10, 10)] * 5),
    "trid": (trid, [(-25, 25)] * 5),
}
# name: (function, bounds, reference point of the hypervolume)
PAIRS = {
    "zdt1": (zdt1, [(0, 1)] * 30, (11, 11)),
    "zdt2": (zdt2, [(0, 1)] * 30, (11, 11)),
    "fonseca_fleming": (fonseca_fleming, [(-4, 4)] * 3, (1, 1)),
}
DESIGN_PAIRS = {
    "zdt3": (zdt3, [(0, 1)] * 30, (11, 11)),
    "kursawe": (kursawe, [(-5, 5)] * 3, (0, 25)),
    "dtlz2": (dtlz2, [(0, 1)] * 12, (1.1, 1.1)),
}
