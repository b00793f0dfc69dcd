import type { Program } from './program.ts';

export const servicesPrograms: readonly Program[] = [
  {
    name: 'sqlite in memory',
    code: `
import sqlite3
db = sqlite3.connect(':memory:')
db.execute('create table t(name text, n int)')
db.executemany('insert into t values(?, ?)', [('a', 1), ('b', 2), ('a', 3)])
db.execute('select name, sum(n) from t group by name order by name').fetchall()
`,
    value: "[('a', 4), ('b', 2)]",
  },
  {
    name: 'sqlite with window functions',
    code: `
import sqlite3
sqlite3.connect(':memory:').execute('with t(d, v) as (values (1, 10), (2, 20), (3, 15)) select d, sum(v) over (order by d), v - lag(v) over (order by d) from t').fetchall()
`,
    value: '[(1, 10, None), (2, 30, 10), (3, 45, -5)]',
  },
  {
    name: 'sqlite with functions of python',
    code: `
import sqlite3
db = sqlite3.connect(':memory:')
db.create_function('rev', 1, lambda s: s[::-1])
db.execute("select rev('abc')").fetchone()[0]
`,
    value: "'cba'",
  },
  {
    name: 'sqlite in a file',
    code: `
import sqlite3
with sqlite3.connect('x.db') as db:
    db.execute('create table k(v)'); db.execute('insert into k values (5)')
sqlite3.connect('x.db').execute('select v from k').fetchone()
`,
    value: '(5,)',
  },
  {
    name: 'recursive queries',
    code: `
import sqlite3
sqlite3.connect(':memory:').execute('with recursive f(a, b) as (select 0, 1 union all select b, a + b from f limit 15) select max(a) from f').fetchone()[0]
`,
    value: '377',
  },
  {
    name: 'json in sqlite',
    code: String.raw`
import sqlite3
sqlite3.connect(':memory:').execute("select json_extract('{\"a\": [1, 2, {\"b\": 7}]}', '$.a[2].b')").fetchone()[0]
`,
    value: '7',
  },
  {
    name: 'asyncio, one after the other',
    code: `
import asyncio
async def f(n):
    await asyncio.sleep(0)
    return n * 2
asyncio.run(f(21))
`,
    value: '42',
  },
  {
    name: 'asyncio, side by side',
    code: `
import asyncio
async def f(n):
    await asyncio.sleep(0.01 * (3 - n))
    order.append(n)
    return n
order = []
async def main(): return await asyncio.gather(*(f(n) for n in range(3)))
(asyncio.run(main()), order)
`,
    value: '([0, 1, 2], [2, 1, 0])',
  },
  {
    name: 'task groups and timeouts',
    code: `
import asyncio
async def main():
    async with asyncio.TaskGroup() as g:
        a = g.create_task(asyncio.sleep(0.001, 'a'))
    try:
        async with asyncio.timeout(0.005): await asyncio.sleep(1)
    except TimeoutError:
        return a.result(), 'late'
asyncio.run(main())
`,
    value: "('a', 'late')",
  },
  {
    name: 'asynchronous queues',
    code: `
import asyncio
async def main():
    q, out = asyncio.Queue(2), []
    async def produce():
        for n in range(5): await q.put(n)
        await q.put(None)
    async def consume():
        while (n := await q.get()) is not None: out.append(n * n)
    await asyncio.gather(produce(), consume())
    return out
asyncio.run(main())
`,
    value: '[0, 1, 4, 9, 16]',
  },
  {
    name: 'asynchronous generators',
    code: `
import asyncio
async def numbers():
    for n in range(4):
        await asyncio.sleep(0)
        yield n
async def main(): return [n async for n in numbers() if n % 2]
asyncio.run(main())
`,
    value: '[1, 3]',
  },
  {
    name: 'locks and semaphores',
    code: `
import asyncio
async def main():
    s, now, most = asyncio.Semaphore(2), 0, 0
    async def job():
        nonlocal now, most
        async with s:
            now += 1; most = max(most, now); await asyncio.sleep(0.001); now -= 1
    await asyncio.gather(*(job() for _ in range(6)))
    return most
asyncio.run(main())
`,
    value: '2',
  },
  {
    name: 'files and folders',
    code: String.raw`
from pathlib import Path
p = Path('d/e'); p.mkdir(parents=True)
(p / 'a.txt').write_text('x\ny\n'); (p / 'b.md').write_text('z')
(sorted(f.name for f in p.iterdir()), (p / 'a.txt').read_text().splitlines(), Path('a/b.tar.gz').suffixes)
`,
    value: "(['a.txt', 'b.md'], ['x', 'y'], ['.tar', '.gz'])",
  },
  {
    name: 'temporary files',
    code: `
import tempfile, os
with tempfile.TemporaryDirectory() as d:
    path = os.path.join(d, 'x')
    open(path, 'w').write('hi')
    size = os.path.getsize(path)
(size, os.path.exists(path))
`,
    value: '(2, False)',
  },
  {
    name: 'zip archives',
    code: `
import zipfile, io
b = io.BytesIO()
with zipfile.ZipFile(b, 'w', zipfile.ZIP_DEFLATED) as z: z.writestr('a/b.txt', 'hello' * 100)
z = zipfile.ZipFile(b)
(z.namelist(), len(z.read('a/b.txt')), z.getinfo('a/b.txt').compress_size < 50)
`,
    value: "(['a/b.txt'], 500, True)",
  },
  {
    name: 'tar archives',
    code: `
import tarfile, io
b = io.BytesIO()
with tarfile.open(fileobj=b, mode='w:gz') as t:
    i = tarfile.TarInfo('x'); i.size = 3; t.addfile(i, io.BytesIO(b'abc'))
b.seek(0)
tarfile.open(fileobj=b).extractfile('x').read()
`,
    value: "b'abc'",
  },
  {
    name: 'streams',
    code: String.raw`
import io
t = io.TextIOWrapper(io.BytesIO('ä\nb'.encode()), encoding='utf-8')
(t.readline(), t.read())
`,
    value: "('ä\\n', 'b')",
  },
  {
    name: 'uuids',
    code: `
import uuid
(uuid.uuid5(uuid.NAMESPACE_DNS, 'python.org'), uuid.uuid4().version, uuid.uuid4() != uuid.uuid4())
`,
    value: "(UUID('886313e1-3b8a-5372-9b90-0c9aee199e5d'), 4, True)",
  },
  {
    name: 'secrets',
    code: `
import secrets
(len(secrets.token_hex(16)), secrets.token_hex(8) != secrets.token_hex(8))
`,
    value: '(32, True)',
  },
  {
    name: 'ip addresses',
    code: `
import ipaddress
n = ipaddress.ip_network('192.168.0.0/29')
(n.num_addresses, ipaddress.ip_address('192.168.0.5') in n, [str(h) for h in n.hosts()][:2])
`,
    value: "(8, True, ['192.168.0.1', '192.168.0.2'])",
  },
  {
    name: 'logging',
    code: `
import logging, io
out = io.StringIO()
log = logging.getLogger('x'); log.addHandler(logging.StreamHandler(out)); log.warning('careful %d', 5)
out.getvalue()
`,
    value: "'careful 5\\n'",
  },
  {
    name: 'command line arguments',
    code: `
import argparse
p = argparse.ArgumentParser(); p.add_argument('--n', type=int, default=1); p.add_argument('file')
vars(p.parse_args(['--n', '5', 'x']))
`,
    value: "{'n': 5, 'file': 'x'}",
  },
  {
    name: 'arrays and memory',
    code: `
import array
a = array.array('d', [1, 2, 3])
m = memoryview(bytearray(b'abcdef'))[1:4]
(a.itemsize, sum(a), bytes(m))
`,
    value: "(8, 6.0, b'bcd')",
  },
  {
    name: 'timing',
    code: `
import time
a = time.perf_counter(); time.sleep(0.02)
0.01 < time.perf_counter() - a < 5
`,
    value: 'True',
  },
  {
    name: 'warnings',
    code: `
import warnings
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter('always'); warnings.warn('old', DeprecationWarning)
(len(w), str(w[0].message))
`,
    value: "(1, 'old')",
  },
  {
    name: 'traces',
    code: `
import traceback
def f(): raise KeyError('k')
try: f()
except KeyError: lines = traceback.format_exc().splitlines()
(lines[0], lines[-1])
`,
    value: "('Traceback (most recent call last):', \"KeyError: 'k'\")",
  },
  {
    name: 'bytecode',
    code: `
import dis
'BINARY_OP' in dis.Bytecode('a + b').dis()
`,
    value: 'True',
  },
  {
    name: 'code at run time',
    code: `
scope = {}
exec('def f(x): return x ** 2', scope)
(scope['f'](7), eval('1 + 2 * 3'))
`,
    value: '(49, 7)',
  },
  {
    name: 'colours',
    code: `
import colorsys
tuple(round(v, 4) for v in colorsys.rgb_to_hsv(0.2, 0.4, 0.4))
`,
    value: '(0.5, 0.5, 0.4)',
  },
  {
    name: 'operators as functions',
    code: `
import operator
(operator.itemgetter(1, 0)('ab'), operator.attrgetter('real')(3 + 4j), operator.methodcaller('upper')('a'))
`,
    value: "(('b', 'a'), 3.0, 'A')",
  },
];
