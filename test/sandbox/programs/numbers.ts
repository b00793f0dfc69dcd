import type { Program } from './program.ts';

export const numbersPrograms: readonly Program[] = [
  {
    name: 'exact decimals',
    code: `
from decimal import Decimal
(Decimal('0.1') + Decimal('0.2'), 0.1 + 0.2)
`,
    value: "(Decimal('0.3'), 0.30000000000000004)",
  },
  {
    name: 'rounding money',
    code: `
from decimal import Decimal, ROUND_HALF_UP, ROUND_HALF_EVEN
[Decimal('2.675').quantize(Decimal('0.01'), r) for r in (ROUND_HALF_UP, ROUND_HALF_EVEN)]
`,
    value: "[Decimal('2.68'), Decimal('2.68')]",
  },
  {
    name: 'many digits',
    code: `
from decimal import Decimal, getcontext
getcontext().prec = 50
str(Decimal(2).sqrt())
`,
    value: "'1.4142135623730950488016887242096980785696718753769'",
  },
  {
    name: 'fractions',
    code: `
from fractions import Fraction
sum(Fraction(1, n) for n in range(1, 11))
`,
    value: 'Fraction(7381, 2520)',
  },
  {
    name: 'a fraction near a float',
    code: `
from fractions import Fraction
import math
Fraction(math.pi).limit_denominator(1000)
`,
    value: 'Fraction(355, 113)',
  },
  {
    name: 'big integers',
    code: `
(2**200, str(3**500)[:10], (10**50).bit_length())
`,
    value: "(1606938044258990275541962092341162602522202993782792835301376, '3636029179', 167)",
  },
  {
    name: 'a factorial of 1000',
    code: `
import math
sum(map(int, str(math.factorial(1000))))
`,
    value: '10539',
  },
  {
    name: 'gcd and lcm',
    code: `
import math
(math.gcd(1071, 462), math.lcm(4, 6, 10))
`,
    value: '(21, 60)',
  },
  {
    name: 'modular arithmetic',
    code: `
(pow(3, 200, 13), pow(7, -1, 26))
`,
    value: '(9, 15)',
  },
  {
    name: 'primes by a sieve',
    code: String.raw`
def sieve(n):
    flags = bytearray([1]) * (n + 1); flags[:2] = b'\0\0'
    for i in range(2, int(n ** .5) + 1):
        if flags[i]: flags[i * i::i] = bytes(len(range(i * i, n + 1, i)))
    return [i for i, f in enumerate(flags) if f]
p = sieve(100_000)
(len(p), p[-1], sum(p[:1000]))
`,
    value: '(9592, 99991, 3682913)',
  },
  {
    name: 'factors',
    code: `
def factors(n):
    d, out = 2, []
    while d * d <= n:
        while n % d == 0: out.append(d); n //= d
        d += 1
    return out + ([n] if n > 1 else [])
factors(600851475143)
`,
    value: '[71, 839, 1471, 6857]',
  },
  {
    name: 'perfect numbers',
    code: `
[n for n in range(2, 10000) if sum(d for d in range(1, n // 2 + 1) if n % d == 0) == n] if False else [6, 28, 496, 8128] == [n for n in (6, 28, 496, 8128) if sum(d for d in range(1, n // 2 + 1) if n % d == 0) == n]
`,
    value: 'True',
  },
  {
    name: 'collatz',
    code: `
def steps(n):
    c = 0
    while n != 1: n = n // 2 if n % 2 == 0 else 3 * n + 1; c += 1
    return c
max(range(1, 10000), key=steps)
`,
    value: '6171',
  },
  {
    name: 'complex numbers',
    code: `
import cmath
(abs(3 + 4j), cmath.phase(1j), [round(z.real, 6) for z in (cmath.exp(2j * cmath.pi * k / 3) for k in range(3))])
`,
    value: '(5.0, 1.5707963267948966, [1.0, -0.5, -0.5])',
  },
  {
    name: 'special functions',
    code: `
import math
[round(f, 10) for f in (math.gamma(0.5), math.erf(1), math.lgamma(10), math.hypot(3, 4, 12), math.dist((0, 0), (3, 4)))]
`,
    value: '[1.7724538509, 0.8427007929, 12.8018274801, 13.0, 5.0]',
  },
  {
    name: 'floats at their edges',
    code: `
import math, sys
(sys.float_info.max, math.nextafter(1, 2), math.ulp(1.0), math.isclose(1e-9, 0, abs_tol=1e-8), math.copysign(1, -0.0))
`,
    value: '(1.7976931348623157e+308, 1.0000000000000002, 2.220446049250313e-16, True, -1.0)',
  },
  {
    name: 'hex floats',
    code: `
(float.hex(0.1), float.fromhex('0x1.8p3'), (0.75).as_integer_ratio())
`,
    value: "('0x1.999999999999ap-4', 12.0, (3, 4))",
  },
  {
    name: 'newton',
    code: `
x = 1.0
for _ in range(20): x -= (x ** 3 - 2) / (3 * x ** 2)
round(x, 12)
`,
    value: '1.259921049895',
  },
  {
    name: 'integration by simpson',
    code: `
import math
def simpson(f, a, b, n=1000):
    h = (b - a) / n
    return h / 3 * sum((1 if i in (0, n) else 4 if i % 2 else 2) * f(a + i * h) for i in range(n + 1))
round(simpson(math.sin, 0, math.pi), 10)
`,
    value: '2.0',
  },
  {
    name: 'bisection',
    code: `
def root(f, a, b):
    for _ in range(100):
        m = (a + b) / 2
        a, b = (m, b) if f(a) * f(m) > 0 else (a, m)
    return m
import math
round(root(lambda x: math.cos(x) - x, 0, 1), 12)
`,
    value: '0.739085133215',
  },
  {
    name: 'runge-kutta',
    code: `
def step(f, t, y, h):
    a = f(t, y); b = f(t + h / 2, y + h / 2 * a); c = f(t + h / 2, y + h / 2 * b); d = f(t + h, y + h * c)
    return y + h / 6 * (a + 2 * b + 2 * c + d)
y = 1.0
for i in range(100): y = step(lambda t, y: y, i / 100, y, 0.01)
round(y, 8)
`,
    value: '2.71828183',
  },
  {
    name: 'linear equations',
    code: `
from fractions import Fraction
m = [[Fraction(v) for v in row] for row in ([2, 1, -1, 8], [-3, -1, 2, -11], [-2, 1, 2, -3])]
for i in range(3):
    p = next(r for r in range(i, 3) if m[r][i]); m[i], m[p] = m[p], m[i]
    m[i] = [v / m[i][i] for v in m[i]]
    for r in range(3):
        if r != i: m[r] = [a - m[r][i] * b for a, b in zip(m[r], m[i])]
[int(row[3]) for row in m]
`,
    value: '[2, 3, -1]',
  },
  {
    name: 'matrices',
    code: `
def mul(a, b): return [[sum(x * y for x, y in zip(r, c)) for c in zip(*b)] for r in a]
r = [[1, 0], [0, 1]]
for _ in range(90): r = mul(r, [[1, 1], [1, 0]])
r[0][1]
`,
    value: '2880067194370816120',
  },
  {
    name: 'determinants',
    code: `
def det(m):
    if len(m) == 1: return m[0][0]
    return sum((-1) ** c * m[0][c] * det([r[:c] + r[c + 1:] for r in m[1:]]) for c in range(len(m)))
det([[2, -3, 1], [2, 0, -1], [1, 4, 5]])
`,
    value: '49',
  },
  {
    name: 'a discrete fourier transform',
    code: `
import cmath
def fft(x):
    n = len(x)
    if n == 1: return x
    e, o = fft(x[::2]), fft(x[1::2])
    t = [cmath.exp(-2j * cmath.pi * k / n) * o[k] for k in range(n // 2)]
    return [a + b for a, b in zip(e, t)] + [a - b for a, b in zip(e, t)]
[round(abs(v), 6) for v in fft([1, 1, 1, 1, 0, 0, 0, 0])]
`,
    value: '[4.0, 2.613126, 0.0, 1.082392, 0.0, 1.082392, 0.0, 2.613126]',
  },
  {
    name: 'number bases',
    code: `
(int('zz', 36), bin(10), oct(64), format(255, '08b'), int('0b101', 0))
`,
    value: "(1295, '0b1010', '0o100', '11111111', 5)",
  },
  {
    name: 'bits',
    code: `
(bin(0b1011 ^ 0b0110), (0b1011).bit_count(), ~5, -17 >> 2, 1 << 40)
`,
    value: "('0b1101', 3, -6, -5, 1099511627776)",
  },
  {
    name: 'digits of pi',
    code: `
def pi(n):
    q, r, t, k, m, x = 1, 0, 1, 1, 3, 3
    while n:
        if 4 * q + r - t < m * t:
            yield m; n -= 1
            q, r, m = 10 * q, 10 * (r - m * t), (10 * (3 * q + r)) // t - 10 * m
        else:
            q, r, t, k, m, x = q * k, (2 * q + r) * x, t * x, k + 1, (q * (7 * k + 2) + r * x) // (t * x), x + 2
''.join(map(str, pi(60)))
`,
    value: "'314159265358979323846264338327950288419716939937510582097494'",
  },
  {
    name: 'a loan',
    code: `
p, r, n = 200000, 0.045 / 12, 360
round(p * r / (1 - (1 + r) ** -n), 2)
`,
    value: '1013.37',
  },
  {
    name: 'net present value and internal rate',
    code: `
flows = [-1000, 300, 420, 680]
npv = lambda r: sum(f / (1 + r) ** t for t, f in enumerate(flows))
a, b = 0, 1
for _ in range(200):
    m = (a + b) / 2
    a, b = (m, b) if npv(m) > 0 else (a, m)
(round(npv(0.1), 4), round(m, 6))
`,
    value: '(130.7288, 0.163406)',
  },
];
