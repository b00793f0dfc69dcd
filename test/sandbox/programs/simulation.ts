import type { Program } from './program.ts';

export const simulationPrograms: readonly Program[] = [
  {
    name: 'random numbers from a seed',
    code: `
import random
r = random.Random(42)
[r.randint(1, 6) for _ in range(10)]
`,
    value: '[6, 1, 1, 6, 3, 2, 2, 2, 6, 1]',
  },
  {
    name: 'pi by darts',
    code: `
import random
r = random.Random(1)
sum(r.random() ** 2 + r.random() ** 2 < 1 for _ in range(20000)) * 4 / 20000
`,
    value: '3.1382',
  },
  {
    name: 'a random walk',
    code: `
import random
r = random.Random(7)
x = 0
for _ in range(1000): x += r.choice((-1, 1))
x
`,
    value: '-22',
  },
  {
    name: 'shuffling and sampling',
    code: `
import random
r = random.Random(3)
cards = list(range(10)); r.shuffle(cards)
(cards, r.sample(range(100), 5))
`,
    value: '([1, 5, 6, 0, 9, 4, 7, 2, 8, 3], [60, 33, 70, 29, 24])',
  },
  {
    name: 'normal numbers',
    code: `
import random
r = random.Random(0)
[round(r.gauss(0, 1), 6) for _ in range(3)]
`,
    value: '[0.941715, -1.396578, -0.679714]',
  },
  {
    name: 'weighted choices',
    code: `
import random
from collections import Counter
Counter(random.Random(5).choices('abc', weights=[5, 3, 2], k=1000)).most_common()
`,
    value: "[('a', 521), ('b', 291), ('c', 188)]",
  },
  {
    name: 'a bootstrap',
    code: `
import random, statistics
r = random.Random(11)
data = [2, 3, 5, 7, 11, 13]
means = sorted(statistics.fmean(r.choices(data, k=6)) for _ in range(500))
(round(means[12], 4), round(means[487], 4))
`,
    value: '(3.8333, 10.0)',
  },
  {
    name: 'a queue',
    code: `
import random
r, t, free, waits = random.Random(9), 0, 0, []
for _ in range(200):
    t += r.expovariate(1)
    start = max(t, free); waits.append(start - t); free = start + r.expovariate(1.5)
round(sum(waits) / len(waits), 6)
`,
    value: '0.85839',
  },
  {
    name: 'monty hall',
    code: `
import random
r = random.Random(4)
sum(r.randrange(3) != r.randrange(3) for _ in range(3000))
`,
    value: '2023',
  },
  {
    name: 'a markov chain',
    code: `
p = [[0.9, 0.1], [0.5, 0.5]]
s = [1, 0]
for _ in range(50): s = [sum(s[i] * p[i][j] for i in range(2)) for j in range(2)]
[round(v, 6) for v in s]
`,
    value: '[0.833333, 0.166667]',
  },
  {
    name: 'predators and prey',
    code: `
x, y = 10.0, 5.0
for _ in range(1000): x, y = x + 0.01 * (1.1 * x - 0.4 * x * y), y + 0.01 * (0.1 * x * y - 0.4 * y)
(round(x, 4), round(y, 4))
`,
    value: '(13.8429, 2.4735)',
  },
  {
    name: 'an epidemic',
    code: `
s, i, r = 990.0, 10.0, 0.0
for _ in range(100): new, gone = 0.3 * s * i / 1000, 0.1 * i; s, i, r = s - new, i + new - gone, r + gone
(round(s, 3), round(i, 3), round(r, 3))
`,
    value: '(52.823, 1.214, 945.963)',
  },
  {
    name: 'k-means',
    code: `
points, centres = [1, 2, 3, 10, 11, 12, 25], [1.0, 10.0, 25.0]
for _ in range(10):
    groups = [[] for _ in centres]
    for p in points: groups[min(range(3), key=lambda k: abs(p - centres[k]))].append(p)
    centres = [sum(g) / len(g) for g in groups]
centres
`,
    value: '[2.0, 11.0, 25.0]',
  },
  {
    name: 'gradient descent',
    code: `
w, b = 0.0, 0.0
data = [(1, 3), (2, 5), (3, 7), (4, 9)]
for _ in range(5000):
    gw = sum(2 * x * (w * x + b - y) for x, y in data) / 4; gb = sum(2 * (w * x + b - y) for x, y in data) / 4
    w, b = w - 0.05 * gw, b - 0.05 * gb
(round(w, 4), round(b, 4))
`,
    value: '(2.0, 1.0)',
  },
  {
    name: 'a perceptron',
    code: `
w, b = [0, 0], 0
data = [((0, 0), 0), ((0, 1), 0), ((1, 0), 0), ((1, 1), 1)]
for _ in range(10):
    for (x, y), t in data:
        e = t - (w[0] * x + w[1] * y + b > 0); w = [w[0] + e * x, w[1] + e * y]; b += e
[int(w[0] * x + w[1] * y + b > 0) for (x, y), _ in data]
`,
    value: '[0, 0, 0, 1]',
  },
  {
    name: 'cellular automaton 30',
    code: `
row = 1 << 10
out = []
for _ in range(6):
    out.append(f'{row:021b}'.count('1')); row = (row << 1) ^ (row | row >> 1)
out
`,
    value: '[1, 3, 3, 6, 4, 9]',
  },
];
