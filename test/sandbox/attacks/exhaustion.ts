import { type Attack, alone, killed } from './attack.ts';

const hang = (name: string, code: string): Attack => alone({ name, code, ends: ['timeout'] });
const bomb = (name: string, code: string, more: Partial<Attack> = {}): Attack =>
  alone({ name, code, ends: ['exception', 'finished', ...killed], ...more });

/** Exhaustion of time, memory and output. */
export const exhaustion: readonly Attack[] = [
  hang('an endless loop', 'while True: pass'),
  hang(
    'an endless loop that catches everything',
    'while True:\n    try:\n        while True: pass\n    except BaseException:\n        pass',
  ),
  hang('a long sleep', 'import time\ntime.sleep(10_000_000)'),
  hang('a long asynchronous sleep', 'import asyncio\nawait asyncio.sleep(1_000_000)'),
  hang(
    'a busy event loop',
    'import asyncio\nasync def spin():\n    while True:\n        await asyncio.sleep(0)\nasyncio.run(spin())',
  ),
  hang('a huge power', '9**9**9'),
  hang('a regular expression that backtracks', 'import re\nre.match(r"(a+)+$", "a" * 40 + "b")'),
  hang('an endless iterator in C', 'import itertools\nsum(itertools.repeat(1))'),
  hang(
    'a sort of things that never compare',
    'class A:\n    def __lt__(self, other):\n        while True: pass\nsorted([A(), A()])',
  ),
  hang('a value whose repr never ends', 'class A:\n    def __repr__(self):\n        while True: pass\nA()'),
  hang(
    'an exception whose text never ends',
    'class E(Exception):\n    def __str__(self):\n        while True: pass\nraise E',
  ),
  hang('a finalizer that never ends', 'class A:\n    def __del__(self):\n        while True: pass\na = A()\ndel a'),
  hang('a flood of output', 'while True: print("x" * 1000)'),
  hang('a flood on the descriptors', 'import os\nwhile True: os.write(2, b"x" * 100_000)'),
  hang('a flood of random numbers', 'import os\nwhile True: os.urandom(100_000)'),
  hang(
    'a query without end',
    'import sqlite3\nsqlite3.connect(":memory:").execute("with recursive t(n) as (select 1 union all select n + 1 from t) select max(n) from t").fetchall()',
  ),
  hang('hashing without end', 'import hashlib\nh = hashlib.sha256()\nwhile True: h.update(b"x" * 1_000_000)'),
  bomb('a list that grows', 'x = []\nwhile True: x.append("a" * 1_000_000)', { shows: /MemoryError/ }),
  bomb('many small objects', 'x = []\nwhile True: x.append([])', { ends: ['exception', ...killed] }),
  bomb('one huge string', '"x" * 10**9', { shows: /MemoryError/ }),
  bomb('a string beyond all addresses', '"x" * 10**10', { shows: /OverflowError|MemoryError/ }),
  bomb('a huge bytearray', 'bytearray(2**31)'),
  bomb('a huge number', 'n = 10**5_000_000\nlen(str(n))'),
  bomb(
    'a huge file',
    'with open("/tmp/big", "wb") as f:\n    for _ in range(1000):\n        f.write(b"x" * 1_000_000)',
    { ends: ['exception', ...killed] },
  ),
  bomb(
    'a sparse file',
    'with open("/tmp/sparse", "wb") as f:\n    f.truncate(2**33)\n    f.seek(2**33)\n    f.write(b"x")',
  ),
  bomb(
    'an archive that unpacks to a gigabyte',
    'import zlib\nzlib.decompress(zlib.compress(b"\\0" * 50_000_000, 9) * 1)\nimport io, zipfile\nb = io.BytesIO()\nwith zipfile.ZipFile(b, "w", 8) as z:\n    z.writestr("a", b"\\0" * 60_000_000)\nfor _ in range(20):\n    b = b + zipfile.ZipFile(b).read("a")',
  ),
  bomb('a deep nest of brackets', 'eval("(" * 100_000)'),
  bomb('a deep expression', 'eval("+".join(["1"] * 200_000))'),
  bomb('endless recursion', 'def f(): f()\nf()', { shows: /RecursionError/ }),
  bomb('endless recursion with the limit lifted', 'import sys\nsys.setrecursionlimit(10**9)\ndef f(): f()\nf()'),
  bomb('a chain of objects to take apart', 'x = None\nfor _ in range(2_000_000): x = (x,)\ndel x'),
  bomb('a nested repr', 'x = []\nfor _ in range(100_000): x = [x]\nx'),
  bomb('a value of 100 megabytes', '"x" * 100_000_000'),
  bomb('an exception of 100 megabytes', 'raise ValueError("x" * 100_000_000)'),
  bomb('output of 100 megabytes at once', 'print("x" * 100_000_000)'),
  bomb('names of 1 megabyte', 'type("A" * 1_000_000, (), {})()'),
  bomb('thousands of files to hand over', 'for n in range(3000): open(f"out/{n}.txt", "w").write("x")\n"done"', {
    ends: ['finished'],
    shows: /done/,
  }),
  bomb('a file of 50 megabytes to hand over', 'open("out/big.bin", "wb").write(b"x" * 50_000_000)', {
    ends: ['finished', ...killed],
  }),
  bomb(
    'XML entities that multiply',
    'import xml.etree.ElementTree as E\nparts = "".join(f\'<!ENTITY l{n} "{("&l%d;" % (n - 1)) * 10}">\' for n in range(1, 10))\nE.fromstring(f\'<!DOCTYPE a [<!ENTITY l0 "lol">{parts}]><a>&l9;</a>\')',
  ),
  bomb('JSON nested without end', 'import json\njson.loads("[" * 1_000_000)'),
  bomb('a collision of hashes', 'd = {}\nfor n in range(3000): d[n * (2**61 - 1)] = n\nlen(d)', {
    ends: ['finished', 'timeout'],
  }),
  bomb('a decimal of a million digits', 'from decimal import *\ngetcontext().prec = MAX_PREC\nDecimal(1) / 3'),
  bomb('all memory by mmap', 'import mmap\nx = [mmap.mmap(-1, 100_000_000) for _ in range(50)]'),
];
