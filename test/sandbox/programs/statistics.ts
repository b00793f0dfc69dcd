import type { Program } from './program.ts';

export const statisticsPrograms: readonly Program[] = [
  {
    name: 'mean and median of a sample',
    code: `
import statistics as s
data = [2, 4, 4, 4, 5, 5, 7, 9]
(s.mean(data), s.median(data), s.pstdev(data))
`,
    value: '(5, 4.5, 2.0)',
  },
  {
    name: 'sample standard deviation',
    code: `
import statistics
round(statistics.stdev([10, 12, 23, 23, 16, 23, 21, 16]), 10)
`,
    value: '5.2372293657',
  },
  {
    name: 'variance by hand equals the library',
    code: `
import statistics
x = [1.5, 2.5, 4.0, 8.25]
m = sum(x) / len(x)
round(sum((v - m) ** 2 for v in x) / (len(x) - 1), 12) == round(statistics.variance(x), 12)
`,
    value: 'True',
  },
  {
    name: 'quartiles',
    code: `
import statistics
statistics.quantiles([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], n=4)
`,
    value: '[2.75, 5.5, 8.25]',
  },
  {
    name: 'quartiles, inclusive',
    code: `
import statistics
statistics.quantiles(range(1, 101), n=10, method='inclusive')
`,
    value: '[10.9, 20.8, 30.7, 40.6, 50.5, 60.4, 70.3, 80.2, 90.1]',
  },
  {
    name: 'mode and all modes',
    code: `
import statistics
(statistics.mode('abracadabra'), statistics.multimode('aabbc'))
`,
    value: "('a', ['a', 'b'])",
  },
  {
    name: 'geometric and harmonic mean',
    code: `
import statistics
(round(statistics.geometric_mean([1, 10, 100]), 9), statistics.harmonic_mean([40, 60]))
`,
    value: '(10.0, 48.0)',
  },
  {
    name: 'correlation',
    code: `
import statistics
round(statistics.correlation([1, 2, 3, 4, 5], [2, 4, 5, 4, 5]), 10)
`,
    value: '0.7745966692',
  },
  {
    name: 'linear regression',
    code: `
import statistics
slope, intercept = statistics.linear_regression([1971, 1975, 1979, 1982, 1983], [1, 2, 3, 4, 5])
(round(slope, 4), round(intercept, 2))
`,
    value: '(0.31, -610.18)',
  },
  {
    name: 'normal distribution',
    code: `
from statistics import NormalDist
sat = NormalDist(1060, 195)
(round(sat.cdf(1200) - sat.cdf(1100), 4), round(sat.inv_cdf(0.95), 3))
`,
    value: '(0.1823, 1380.746)',
  },
  {
    name: 'overlap of two distributions',
    code: `
from statistics import NormalDist
round(NormalDist(2.4, 1.6).overlap(NormalDist(3.2, 2.0)), 6)
`,
    value: '0.803505',
  },
  {
    name: 'z-scores',
    code: `
import statistics
data = [50, 60, 70, 80, 90]
m, s = statistics.mean(data), statistics.pstdev(data)
[round((x - m) / s, 4) for x in data]
`,
    value: '[-1.4142, -0.7071, 0.0, 0.7071, 1.4142]',
  },
  {
    name: 'moving average',
    code: `
data = [3, 5, 8, 12, 7, 9]
[round(sum(data[i:i + 3]) / 3, 3) for i in range(len(data) - 2)]
`,
    value: '[5.333, 8.333, 9.0, 9.333]',
  },
  {
    name: 'weighted mean',
    code: `
values, weights = [80, 90, 100], [1, 2, 3]
sum(v * w for v, w in zip(values, weights)) / sum(weights)
`,
    value: '93.33333333333333',
  },
  {
    name: 'exponential smoothing',
    code: `
series, alpha, level, out = [10, 12, 11, 15], 0.5, 10, []
for value in series:
    level = alpha * value + (1 - alpha) * level
    out.append(level)
out
`,
    value: '[10.0, 11.0, 11.0, 13.0]',
  },
  {
    name: 'median absolute deviation',
    code: `
from statistics import median
data = [1, 1, 2, 2, 4, 6, 9]
median(abs(x - median(data)) for x in data)
`,
    value: '1',
  },
  {
    name: 'growth rates',
    code: `
sales = [100, 120, 90, 135]
[f'{(b - a) / a:+.1%}' for a, b in zip(sales, sales[1:])]
`,
    value: "['+20.0%', '-25.0%', '+50.0%']",
  },
  {
    name: 'compound annual growth',
    code: `
round((1610.51 / 1000) ** (1 / 5) - 1, 6)
`,
    value: '0.1',
  },
  {
    name: 'histogram',
    code: `
from collections import Counter
data = [3, 7, 12, 18, 21, 22, 29, 30, 31]
sorted(Counter(x // 10 * 10 for x in data).items())
`,
    value: '[(0, 2), (10, 2), (20, 3), (30, 2)]',
  },
  {
    name: 'exact sum of floats',
    code: `
import math
(sum([0.1] * 10), math.fsum([0.1] * 10))
`,
    value: '(1.0, 1.0)',
  },
  {
    name: 'confidence interval of a proportion',
    code: `
from math import sqrt
n, k, z = 400, 236, 1.959963985
p = k / n
(round(p - z * sqrt(p * (1 - p) / n), 5), round(p + z * sqrt(p * (1 - p) / n), 5))
`,
    value: '(0.5418, 0.6382)',
  },
  {
    name: 'chi-squared statistic',
    code: `
observed, expected = [18, 22, 20, 25, 15], [20] * 5
sum((o - e) ** 2 / e for o, e in zip(observed, expected))
`,
    value: '2.9',
  },
  {
    name: 'pearson by hand',
    code: `
x, y = [1, 2, 3, 4], [1, 3, 2, 5]
mx, my = sum(x) / 4, sum(y) / 4
num = sum((a - mx) * (b - my) for a, b in zip(x, y))
den = (sum((a - mx) ** 2 for a in x) * sum((b - my) ** 2 for b in y)) ** 0.5
round(num / den, 6)
`,
    value: '0.831522',
  },
  {
    name: 'gini coefficient',
    code: `
x = sorted([1, 2, 3, 4, 10])
n = len(x)
round(sum((2 * i - n - 1) * v for i, v in enumerate(x, 1)) / (n * sum(x)), 6)
`,
    value: '0.4',
  },
  {
    name: 'entropy',
    code: `
from math import log2
p = [0.5, 0.25, 0.125, 0.125]
-sum(q * log2(q) for q in p)
`,
    value: '1.75',
  },
];
