import type { Program } from './program.ts';

export const textPrograms: readonly Program[] = [
  {
    name: 'word counts',
    code: `
from collections import Counter
text = 'the quick brown fox jumps over the lazy dog the end'
Counter(text.split()).most_common(2)
`,
    value: "[('the', 3), ('quick', 1)]",
  },
  {
    name: 'wrapping',
    code: `
import textwrap
textwrap.wrap('The quick brown fox jumps over the lazy dog', 16)
`,
    value: "['The quick brown', 'fox jumps over', 'the lazy dog']",
  },
  {
    name: 'dedenting',
    code: `
import textwrap
textwrap.dedent('''
    a
      b
    c''')
`,
    value: "'\\na\\n  b\\nc'",
  },
  {
    name: 'formatting numbers',
    code: `
f'{1234567.891:,.2f} {0.1234:.1%} {255:#x} {5:03d} {1e10:.3e} {-7:+d}'
`,
    value: "'1,234,567.89 12.3% 0xff 005 1.000e+10 -7'",
  },
  {
    name: 'formatting columns',
    code: String.raw`
'\n'.join(f'{n:<6}|{v:>8.2f}|' for n, v in [('a', 1), ('bcd', 23.456)])
`,
    value: "'a     |    1.00|\\nbcd   |   23.46|'",
  },
  {
    name: 'unicode normal forms',
    code: String.raw`
import unicodedata
[len(unicodedata.normalize(f, 'e\u0301ﬁ')) for f in ('NFC', 'NFD', 'NFKC', 'NFKD')]
`,
    value: '[2, 3, 3, 4]',
  },
  {
    name: 'names of characters',
    code: `
import unicodedata
[unicodedata.name(c) for c in 'ß€😀']
`,
    value: "['LATIN SMALL LETTER SHARP S', 'EURO SIGN', 'GRINNING FACE']",
  },
  {
    name: 'case folding',
    code: `
'Straße'.casefold() == 'STRASSE'.casefold()
`,
    value: 'True',
  },
  {
    name: 'without accents',
    code: `
import unicodedata
''.join(c for c in unicodedata.normalize('NFD', 'Crème brûlée à Škofja') if not unicodedata.combining(c))
`,
    value: "'Creme brulee a Skofja'",
  },
  {
    name: 'similarity',
    code: `
import difflib
round(difflib.SequenceMatcher(None, 'kitten', 'sitting').ratio(), 6)
`,
    value: '0.615385',
  },
  {
    name: 'close matches',
    code: `
import difflib
difflib.get_close_matches('appel', ['ape', 'apple', 'peach', 'puppy'])
`,
    value: "['apple', 'ape']",
  },
  {
    name: 'a unified difference',
    code: `
import difflib
list(difflib.unified_diff(['a', 'b', 'c'], ['a', 'x', 'c'], lineterm='', n=1))[2:]
`,
    value: "['@@ -1,3 +1,3 @@', ' a', '-b', '+x', ' c']",
  },
  {
    name: 'edit distance',
    code: `
def distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        previous, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (x != y))
    return row[-1]
distance('intention', 'execution')
`,
    value: '5',
  },
  {
    name: 'longest common subsequence',
    code: `
def lcs(a, b):
    t = [['' for _ in range(len(b) + 1)] for _ in range(len(a) + 1)]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            t[i + 1][j + 1] = t[i][j] + x if x == y else max(t[i][j + 1], t[i + 1][j], key=len)
    return t[-1][-1]
lcs('AGGTAB', 'GXTXAYB')
`,
    value: "'GTAB'",
  },
  {
    name: 'palindromes',
    code: `
def longest(s):
    best = ''
    for c in range(len(s)):
        for l, r in ((c, c), (c, c + 1)):
            while l >= 0 and r < len(s) and s[l] == s[r]: l, r = l - 1, r + 1
            best = max(best, s[l + 1:r], key=len)
    return best
longest('forgeeksskeegfor')
`,
    value: "'geeksskeeg'",
  },
  {
    name: 'caesar',
    code: `
str.translate('Hello, World', str.maketrans('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ', 'nopqrstuvwxyzabcdefghijklmNOPQRSTUVWXYZABCDEFGHIJKLM'))
`,
    value: "'Uryyb, Jbeyq'",
  },
  {
    name: 'run lengths',
    code: `
from itertools import groupby
''.join(f'{k}{len(list(g))}' for k, g in groupby('aaabccdddd'))
`,
    value: "'a3b1c2d4'",
  },
  {
    name: 'templates',
    code: `from string import Template
Template('$who owes $$\${amount}').substitute(who='Ann', amount=5)`,
    value: "'Ann owes $5'",
  },
  {
    name: 'bytes and encodings',
    code: `
'zażółć'.encode('utf-8').hex(), 'zażółć'.encode('iso-8859-2').decode('iso-8859-2')
`,
    value: "('7a61c5bcc3b3c582c487', 'zażółć')",
  },
  {
    name: 'base64 and friends',
    code: String.raw`
import base64
(base64.b64encode(b'\xff\xfe\xfd').decode(), base64.b32decode('MZXW6==='), base64.b85encode(b'hi').decode())
`,
    value: "('//79', b'foo', 'XlV')",
  },
  {
    name: 'hashes',
    code: `
import hashlib
(hashlib.md5(b'a').hexdigest(), hashlib.sha256(b'').hexdigest()[:16], hashlib.sha3_256(b'abc').hexdigest()[:16], hashlib.blake2b(b'x', digest_size=4).hexdigest())
`,
    value: "('0cc175b9c0f1b6a831c399e269772661', 'e3b0c44298fc1c14', '3a985da74fe225b2', 'b1ba07e5')",
  },
  {
    name: 'hmac',
    code: `
import hmac, hashlib
hmac.new(b'key', b'The quick brown fox jumps over the lazy dog', hashlib.sha256).hexdigest()
`,
    value: "'f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8'",
  },
  {
    name: 'compression',
    code: `
import zlib, gzip, bz2, lzma
data = b'abc' * 1000
[m.decompress(m.compress(data)) == data for m in (zlib, gzip, bz2, lzma)]
`,
    value: '[True, True, True, True]',
  },
  {
    name: 'checksums',
    code: `
import zlib, binascii
(zlib.crc32(b'hello'), zlib.adler32(b'hello'), binascii.hexlify(b'hi'))
`,
    value: "(907060870, 103547413, b'6869')",
  },
  {
    name: 'readability',
    code: String.raw`
import re
t = 'The cat sat on the mat. It was happy there.'
(len(re.findall(r'[.!?]', t)), len(t.split()), round(sum(map(len, re.findall(r'\w+', t))) / len(t.split()), 3))
`,
    value: '(2, 10, 3.2)',
  },
  {
    name: 'n-grams',
    code: `
from collections import Counter
s = 'to be or not to be'.split()
Counter(zip(s, s[1:])).most_common(1)
`,
    value: "[(('to', 'be'), 2)]",
  },
  {
    name: 'tf-idf',
    code: `
from math import log
docs = ['a b a', 'b c', 'c c d']
def tfidf(w, d): return d.split().count(w) / len(d.split()) * log(len(docs) / sum(w in e.split() for e in docs))
[round(tfidf(w, docs[0]), 5) for w in 'ab']
`,
    value: '[0.73241, 0.13516]',
  },
  {
    name: 'soundex',
    code: `
def soundex(n):
    codes = {c: d for d, cs in {'1': 'bfpv', '2': 'cgjkqsxz', '3': 'dt', '4': 'l', '5': 'mn', '6': 'r'}.items() for c in cs}
    n = n.lower(); out = n[0].upper(); last = codes.get(n[0])
    for c in n[1:]:
        code = codes.get(c)
        if code and code != last: out += code
        if c not in 'hw': last = code
    return (out + '000')[:4]
[soundex(n) for n in ('Robert', 'Rupert', 'Tymczak', 'Pfister')]
`,
    value: "['R163', 'R163', 'T522', 'P236']",
  },
];
