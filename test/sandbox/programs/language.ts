import type { Program } from './program.ts';

export const languagePrograms: readonly Program[] = [
  {
    name: 'dataclasses',
    code: `
from dataclasses import dataclass, field, asdict, replace
@dataclass(order=True, frozen=True)
class P:
    x: int
    y: int = 2
    tags: tuple = field(default=(), compare=False)
(P(1) < P(2), asdict(P(1)), replace(P(1), y=9), hash(P(1)) == hash(P(1, 2)))
`,
    value: "(True, {'x': 1, 'y': 2, 'tags': ()}, P(x=1, y=9, tags=()), True)",
  },
  {
    name: 'slots in dataclasses',
    code: `
from dataclasses import dataclass
@dataclass(slots=True)
class P:
    x: int
try:
    P(1).y = 2
except AttributeError as error:
    print('refused')
`,
    prints: `refused
`,
  },
  {
    name: 'enumerations',
    code: `
from enum import Enum, Flag, auto, IntEnum
class C(Enum):
    RED = 1
    BLUE = 2
class F(Flag):
    A = auto()
    B = auto()
(C(2).name, C['RED'].value, (F.A | F.B).value, [c.name for c in C])
`,
    value: "('BLUE', 1, 3, ['RED', 'BLUE'])",
  },
  {
    name: 'named tuples',
    code: `
from collections import namedtuple
P = namedtuple('P', 'x y', defaults=[0])
(P(1), P(1)._replace(y=5), P._fields)
`,
    value: "(P(x=1, y=0), P(x=1, y=5), ('x', 'y'))",
  },
  {
    name: 'match',
    code: `
def kind(value):
    match value:
        case {'type': 'circle', 'r': r}: return 3 * r * r
        case [x, *rest] if rest: return len(rest)
        case str() as s: return s.upper()
        case 1 | 2: return 'small'
        case _: return None
[kind(v) for v in ({'type': 'circle', 'r': 2}, [1, 2, 3], 'a', 2, 7)]
`,
    value: "[12, 2, 'A', 'small', None]",
  },
  {
    name: 'generators that receive',
    code: `
def mean():
    total = count = 0
    value = None
    while True:
        value = yield total / count if count else None
        total += value; count += 1
g = mean(); next(g)
[g.send(v) for v in (10, 20, 60)]
`,
    value: '[10.0, 15.0, 30.0]',
  },
  {
    name: 'delegating generators',
    code: `
def inner():
    yield 1
    return 'done'
def outer():
    result = yield from inner()
    yield result
list(outer())
`,
    value: "[1, 'done']",
  },
  {
    name: 'context managers',
    code: `
from contextlib import contextmanager, suppress, ExitStack
log = []
@contextmanager
def on(n):
    log.append(n)
    try: yield n
    finally: log.append(-n)
with ExitStack() as stack, suppress(ValueError):
    for n in (1, 2): stack.enter_context(on(n))
    raise ValueError
log
`,
    value: '[1, 2, -2, -1]',
  },
  {
    name: 'decorators',
    code: `
from functools import wraps, lru_cache, partial, reduce, singledispatch
def twice(f):
    @wraps(f)
    def g(*a): return f(f(*a))
    return g
@twice
def inc(x): return x + 1
(inc(1), inc.__name__, partial(pow, exp=2)(5) if False else partial(pow, 2)(5), reduce(lambda a, b: a * b, [1, 2, 3, 4]))
`,
    value: "(3, 'inc', 32, 24)",
  },
  {
    name: 'single dispatch',
    code: `
from functools import singledispatch
@singledispatch
def show(x): return 'thing'
@show.register
def _(x: int): return 'number'
@show.register(list)
def _(x): return f'list of {len(x)}'
[show(v) for v in (1, [1, 2], 'a')]
`,
    value: "['number', 'list of 2', 'thing']",
  },
  {
    name: 'descriptors and properties',
    code: `
class Celsius:
    def __init__(self): self._v = 0
    @property
    def f(self): return self._v * 9 / 5 + 32
    @f.setter
    def f(self, v): self._v = (v - 32) * 5 / 9
c = Celsius(); c.f = 212
c._v
`,
    value: '100.0',
  },
  {
    name: 'operators of classes',
    code: `
class V:
    def __init__(self, *v): self.v = v
    def __add__(self, o): return V(*(a + b for a, b in zip(self.v, o.v)))
    def __matmul__(self, o): return sum(a * b for a, b in zip(self.v, o.v))
    def __repr__(self): return f'V{self.v}'
(V(1, 2) + V(3, 4), V(1, 2) @ V(3, 4))
`,
    value: '(V(4, 6), 11)',
  },
  {
    name: 'inheritance',
    code: `
class A:
    def f(self): return ['A']
class B(A):
    def f(self): return ['B'] + super().f()
class C(A):
    def f(self): return ['C'] + super().f()
class D(B, C):
    def f(self): return ['D'] + super().f()
D().f()
`,
    value: "['D', 'B', 'C', 'A']",
  },
  {
    name: 'abstract classes',
    code: `
from abc import ABC, abstractmethod
class S(ABC):
    @abstractmethod
    def area(self): ...
try:
    S()
except TypeError:
    print('abstract')
`,
    prints: `abstract
`,
  },
  {
    name: 'protocols',
    code: `
from typing import Protocol, runtime_checkable
@runtime_checkable
class Closes(Protocol):
    def close(self): ...
import io
(isinstance(io.StringIO(), Closes), isinstance(1, Closes))
`,
    value: '(True, False)',
  },
  {
    name: 'metaclasses',
    code: `
class M(type):
    def __new__(m, n, b, d): return super().__new__(m, n, b, {k.upper() if not k.startswith('__') else k: v for k, v in d.items()})
class X(metaclass=M):
    a = 1
X.A
`,
    value: '1',
  },
  {
    name: 'exceptions and their causes',
    code: `
try:
    try: 1 / 0
    except ZeroDivisionError as e: raise ValueError('outer') from e
except ValueError as error:
    print(type(error.__cause__).__name__)
`,
    prints: `ZeroDivisionError
`,
  },
  {
    name: 'groups of exceptions',
    code: `
caught = []
try:
    raise ExceptionGroup('g', [ValueError(1), TypeError(2), ValueError(3)])
except* ValueError as g: caught.append(len(g.exceptions))
except* TypeError as g: caught.append('type')
caught
`,
    value: "[2, 'type']",
  },
  {
    name: 'walrus and unpacking',
    code: `
data = [1, 5, 12]
first, *rest = data
([y for x in data if (y := x * 2) > 5], first, rest, {**{'a': 1}, 'b': 2}, [*data, *rest])
`,
    value: "([10, 24], 1, [5, 12], {'a': 1, 'b': 2}, [1, 5, 12, 5, 12])",
  },
  {
    name: 'f-strings',
    code: `
x, name = 3.14159, 'pi'
(f'{name!r:>6} {x:.2f} {x=:.1f}', f'{"nested":-^{10}}')
`,
    value: "(\"  'pi' 3.14 x=3.1\", '--nested--')",
  },
  {
    name: 'positional and keyword arguments',
    code: `
def f(a, /, b, *args, c=3, **kw): return (a, b, args, c, sorted(kw))
f(1, 2, 3, 4, c=5, z=6, y=7)
`,
    value: "(1, 2, (3, 4), 5, ['y', 'z'])",
  },
  {
    name: 'closures',
    code: `
def counter():
    n = 0
    def tick():
        nonlocal n
        n += 1
        return n
    return tick
t = counter()
[t() for _ in range(3)]
`,
    value: '[1, 2, 3]',
  },
  {
    name: 'collections',
    code: `
from collections import OrderedDict, defaultdict, deque, ChainMap, Counter
d = defaultdict(list); d['a'].append(1)
q = deque([1, 2, 3], maxlen=3); q.append(4); q.rotate(1)
(dict(d), list(q), ChainMap({'a': 1}, {'a': 2, 'b': 3})['b'], Counter('aab') - Counter('ab'))
`,
    value: "({'a': [1]}, [4, 2, 3], 3, Counter({'a': 1}))",
  },
  {
    name: 'pickling',
    code: `
import pickle
class T:
    def __init__(self, v): self.v = v
pickle.loads(pickle.dumps(T([1, {'a': 2}]))).v
`,
    value: "[1, {'a': 2}]",
  },
  {
    name: 'copies',
    code: `
import copy
a = [[1], 2]; b = copy.copy(a); c = copy.deepcopy(a); a[0].append(9)
(b, c)
`,
    value: '([[1, 9], 2], [[1], 2])',
  },
  {
    name: 'weak references',
    code: `
import weakref, gc
class A: pass
a = A(); r = weakref.ref(a)
alive = r() is a; del a; gc.collect()
(alive, r())
`,
    value: '(True, None)',
  },
  {
    name: 'inspection',
    code: `
import inspect
def f(a: int, b='x', *, c) -> str: "words"
(str(inspect.signature(f)), inspect.getdoc(f))
`,
    value: "(\"(a: int, b='x', *, c) -> str\", 'words')",
  },
  {
    name: 'source of functions',
    code: String.raw`
import inspect
def double(n):
    return n * 2
inspect.getsource(double).count('\n')
`,
    value: '2',
  },
  {
    name: 'typing at run time',
    code: `
from typing import get_type_hints, Optional, TypedDict
class Movie(TypedDict, total=False):
    name: str
    year: Optional[int]
sorted(get_type_hints(Movie))
`,
    value: "['name', 'year']",
  },
  {
    name: 'printing in many ways',
    code: String.raw`
import sys
print('a', 'b', sep='-', end='!\n')
print('to stderr', file=sys.stderr)
sys.stdout.write('c\n')
sys.stdout.buffer.write(b'd\n')
`,
    value: '2',
    prints: `a-b!
c
d
`,
  },
  {
    name: 'pretty printing',
    code: String.raw`
from pprint import pformat
pformat({'b': list(range(20)), 'a': {'nested': 'x' * 40}}, width=60).count('\n')
`,
    value: '20',
  },
  {
    name: 'doctests',
    code: `
import doctest
def square(n):
    """
    >>> square(3)
    9
    >>> square(-2)
    4
    """
    return n * n
finder = doctest.DocTestFinder().find(square, 'square', globs={'square': square})
doctest.DocTestRunner(verbose=False).run(finder[0]).failed
`,
    value: '0',
  },
  {
    name: 'unit tests',
    code: `
import unittest, io
class T(unittest.TestCase):
    def test_sum(self): self.assertEqual(sum([1, 2]), 3)
    def test_fail(self): self.assertTrue(False)
r = unittest.TextTestRunner(stream=io.StringIO()).run(unittest.defaultTestLoader.loadTestsFromTestCase(T))
(r.testsRun, len(r.failures))
`,
    value: '(2, 1)',
  },
  {
    name: 'the main guard',
    code: `
def main(): return 'ran'
result = None
if __name__ == '__main__':
    result = main()
result
`,
    value: "'ran'",
  },
];
