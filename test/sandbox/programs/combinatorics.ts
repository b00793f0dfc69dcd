import type { Program } from './program.ts';

export const combinatoricsPrograms: readonly Program[] = [
  {
    name: 'permutations and combinations',
    code: `
import itertools, math
(len(list(itertools.permutations(range(6)))), math.comb(49, 6), math.perm(10, 3))
`,
    value: '(720, 13983816, 720)',
  },
  {
    name: 'products',
    code: `
import itertools
[''.join(p) for p in itertools.product('ab', repeat=3)]
`,
    value: "['aaa', 'aab', 'aba', 'abb', 'baa', 'bab', 'bba', 'bbb']",
  },
  {
    name: 'accumulations',
    code: `
import itertools, operator
(list(itertools.accumulate([1, 2, 3, 4], operator.mul)), list(itertools.pairwise('abcd')))
`,
    value: "([1, 2, 6, 24], [('a', 'b'), ('b', 'c'), ('c', 'd')])",
  },
  {
    name: 'groups',
    code: `
import itertools
{k: list(g) for k, g in itertools.groupby(sorted(['apple', 'avocado', 'banana', 'blueberry'], key=lambda s: s[0]), key=lambda s: s[0])}
`,
    value: "{'a': ['apple', 'avocado'], 'b': ['banana', 'blueberry']}",
  },
  {
    name: 'eight queens',
    code: `
def queens(n, row=0, cols=0, d1=0, d2=0):
    if row == n: return 1
    return sum(queens(n, row + 1, cols | 1 << c, d1 | 1 << row + c, d2 | 1 << row - c + n) for c in range(n) if not (cols >> c & 1 or d1 >> row + c & 1 or d2 >> row - c + n & 1))
queens(8)
`,
    value: '92',
  },
  {
    name: 'coins',
    code: `
def ways(total, coins):
    w = [1] + [0] * total
    for c in coins:
        for t in range(c, total + 1): w[t] += w[t - c]
    return w[total]
ways(200, [1, 2, 5, 10, 20, 50, 100, 200])
`,
    value: '73682',
  },
  {
    name: 'a knapsack',
    code: `
def knapsack(items, cap):
    best = [0] * (cap + 1)
    for w, v in items:
        for c in range(cap, w - 1, -1): best[c] = max(best[c], best[c - w] + v)
    return best[cap]
knapsack([(12, 4), (2, 2), (1, 1), (1, 2), (4, 10)], 15)
`,
    value: '15',
  },
  {
    name: 'shortest paths',
    code: `
import heapq
def dijkstra(g, s):
    d, q = {s: 0}, [(0, s)]
    while q:
        c, u = heapq.heappop(q)
        for v, w in g.get(u, {}).items():
            if c + w < d.get(v, 1e9): d[v] = c + w; heapq.heappush(q, (d[v], v))
    return d
dijkstra({'a': {'b': 7, 'c': 9, 'f': 14}, 'b': {'c': 10, 'd': 15}, 'c': {'d': 11, 'f': 2}, 'd': {'e': 6}, 'f': {'e': 9}}, 'a')
`,
    value: "{'a': 0, 'b': 7, 'c': 9, 'f': 11, 'd': 20, 'e': 20}",
  },
  {
    name: 'a topological order',
    code: `
from graphlib import TopologicalSorter
list(TopologicalSorter({'d': {'b', 'c'}, 'b': {'a'}, 'c': {'a'}}).static_order())[0::3]
`,
    value: "['a', 'd']",
  },
  {
    name: 'connected components',
    code: `
def components(n, edges):
    p = list(range(n))
    def find(x):
        while p[x] != x: p[x] = p[p[x]]; x = p[x]
        return x
    for a, b in edges: p[find(a)] = find(b)
    return len({find(x) for x in range(n)})
components(8, [(0, 1), (1, 2), (3, 4), (5, 6), (6, 7)])
`,
    value: '3',
  },
  {
    name: 'a minimum spanning tree',
    code: `
edges = sorted([(7, 'AD'), (5, 'AB'), (8, 'BC'), (9, 'BD'), (7, 'BE'), (5, 'CE'), (15, 'DE'), (6, 'DF'), (8, 'EF'), (9, 'EG'), (11, 'FG')][::-1] and [(5, 'AD'), (7, 'AB'), (8, 'BC'), (9, 'BD'), (7, 'BE'), (5, 'CE'), (15, 'DE'), (6, 'DF'), (8, 'EF'), (9, 'EG'), (11, 'FG')])
group = {c: c for c in 'ABCDEFG'}
def find(c): return c if group[c] == c else find(group[c])
total = 0
for w, (a, b) in edges:
    if find(a) != find(b): group[find(a)] = find(b); total += w
total
`,
    value: '39',
  },
  {
    name: 'a travelling salesman',
    code: `
from itertools import permutations
d = [[0, 10, 15, 20], [10, 0, 35, 25], [15, 35, 0, 30], [20, 25, 30, 0]]
min(sum(d[a][b] for a, b in zip((0, *p), (*p, 0))) for p in permutations((1, 2, 3)))
`,
    value: '80',
  },
  {
    name: 'catalan numbers',
    code: `
from functools import cache
@cache
def catalan(n): return 1 if n < 2 else sum(catalan(i) * catalan(n - 1 - i) for i in range(n))
[catalan(n) for n in range(10)]
`,
    value: '[1, 1, 2, 5, 14, 42, 132, 429, 1430, 4862]',
  },
  {
    name: 'partitions',
    code: `
from functools import cache
@cache
def parts(n, most): return 1 if n == 0 else sum(parts(n - k, k) for k in range(1, min(n, most) + 1))
parts(60, 60)
`,
    value: '966467',
  },
  {
    name: 'subsets with a sum',
    code: `
from itertools import combinations
[c for r in range(1, 6) for c in combinations([3, 34, 4, 12, 5, 2], r) if sum(c) == 9]
`,
    value: '[(4, 5), (3, 4, 2)]',
  },
  {
    name: 'hanoi',
    code: `
def hanoi(n, a, b, c): return 0 if n == 0 else hanoi(n - 1, a, c, b) + 1 + hanoi(n - 1, c, b, a)
hanoi(10, 'a', 'b', 'c')
`,
    value: '1023',
  },
  {
    name: 'the game of life',
    code: `
cells = {(1, 0), (2, 1), (0, 2), (1, 2), (2, 2)}
from collections import Counter
for _ in range(4):
    near = Counter((x + i, y + j) for x, y in cells for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)
    cells = {c for c, n in near.items() if n == 3 or n == 2 and c in cells}
sorted(cells)
`,
    value: '[(1, 3), (2, 1), (2, 3), (3, 2), (3, 3)]',
  },
  {
    name: 'a puzzle of letters',
    code: `
from itertools import permutations
next((s, m) for p in permutations(range(10), 8) for S, E, N, D, M, O, R, Y in [p] if M == 1 and S == 9 and (s := S * 1000 + E * 100 + N * 10 + D) + (x := M * 1000 + O * 100 + R * 10 + E) == (m := M * 10000 + O * 1000 + N * 100 + E * 10 + Y))
`,
    value: '(9567, 10652)',
  },
  {
    name: 'a sudoku row',
    code: `
row = [5, 3, 0, 0, 7, 0, 0, 0, 0]
sorted(set(range(1, 10)) - set(row))
`,
    value: '[1, 2, 4, 6, 8, 9]',
  },
  {
    name: 'binary search',
    code: `
import bisect
a = [1, 3, 3, 5, 8]
(bisect.bisect_left(a, 3), bisect.bisect_right(a, 3), bisect.bisect(a, 6))
`,
    value: '(1, 3, 4)',
  },
  {
    name: 'heaps',
    code: `
import heapq
(heapq.nlargest(3, [5, 1, 9, 3, 7]), list(heapq.merge([1, 4], [2, 3], [0, 5])))
`,
    value: '([9, 7, 5], [0, 1, 2, 3, 4, 5])',
  },
  {
    name: 'sorting by several keys',
    code: `
from operator import itemgetter
sorted([('b', 2), ('a', 2), ('c', 1)], key=lambda t: (-t[1], t[0]))
`,
    value: "[('a', 2), ('b', 2), ('c', 1)]",
  },
  {
    name: 'derangements',
    code: `
from itertools import permutations
sum(all(i != v for i, v in enumerate(p)) for p in permutations(range(7)))
`,
    value: '1854',
  },
  {
    name: 'a birthday',
    code: `
from math import prod
round(1 - prod((365 - k) / 365 for k in range(23)), 6)
`,
    value: '0.507297',
  },
  {
    name: 'bayes',
    code: `
sens, spec, prev = 0.99, 0.95, 0.01
round(sens * prev / (sens * prev + (1 - spec) * (1 - prev)), 6)
`,
    value: '0.166667',
  },
];
