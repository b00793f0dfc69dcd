import type { Program } from './program.ts';

export const parsingPrograms: readonly Program[] = [
  {
    name: 'csv with quotes',
    code: String.raw`
import csv, io
list(csv.reader(io.StringIO('a,"b, c","d ""e"""\n1,2,3\n')))
`,
    value: "[['a', 'b, c', 'd \"e\"'], ['1', '2', '3']]",
  },
  {
    name: 'csv by names',
    code: String.raw`
import csv, io
rows = csv.DictReader(io.StringIO('name;age\nAda;36\nAlan;41\n'), delimiter=';')
sum(int(row['age']) for row in rows)
`,
    value: '77',
  },
  {
    name: 'writing csv',
    code: String.raw`
import csv, io
out = io.StringIO()
csv.writer(out, lineterminator='\n').writerows([[1, 'a"b'], [2, 'c,d']])
out.getvalue()
`,
    value: '\'1,"a""b"\\n2,"c,d"\\n\'',
  },
  {
    name: 'sniffing a dialect',
    code: String.raw`
import csv
csv.Sniffer().sniff('a|b|c\n1|2|3\n4|5|6\n').delimiter
`,
    value: "'|'",
  },
  {
    name: 'json there and back',
    code: String.raw`
import json
json.dumps(json.loads('{"b": [1, 2.5, null, true], "a": "\\u00e9"}'), sort_keys=True)
`,
    value: '\'{"a": "\\\\u00e9", "b": [1, 2.5, null, true]}\'',
  },
  {
    name: 'nested json',
    code: `
import json
data = json.loads('{"orders": [{"items": [{"p": 2, "n": 3}, {"p": 5, "n": 1}]}, {"items": [{"p": 10, "n": 2}]}]}')
[sum(i['p'] * i['n'] for i in o['items']) for o in data['orders']]
`,
    value: '[11, 20]',
  },
  {
    name: 'json errors',
    code: `
import json
try:
    json.loads('{"a": }')
except json.JSONDecodeError as error:
    print(error.lineno, error.colno)
`,
    prints: `1 7
`,
  },
  {
    name: 'a log with regular expressions',
    code: String.raw`
import re
log = '10.0.0.1 - - [x] "GET /a HTTP/1.1" 200 5\n10.0.0.2 - - [x] "GET /b HTTP/1.1" 404 7\n10.0.0.1 - - [x] "POST /a HTTP/1.1" 500 9'
re.findall(r'^(\S+).*?"(\w+) (\S+)[^"]*" (\d+)', log, re.M)
`,
    value: "[('10.0.0.1', 'GET', '/a', '200'), ('10.0.0.2', 'GET', '/b', '404'), ('10.0.0.1', 'POST', '/a', '500')]",
  },
  {
    name: 'named groups',
    code: String.raw`
import re
m = re.match(r'(?P<key>\w+)\s*=\s*(?P<value>.+)', 'colour = light blue')
m.groupdict()
`,
    value: "{'key': 'colour', 'value': 'light blue'}",
  },
  {
    name: 'substitution with a function',
    code: String.raw`
import re
re.sub(r'\d+', lambda m: str(int(m[0]) * 2), 'a1b22c333')
`,
    value: "'a2b44c666'",
  },
  {
    name: 'verbose regular expressions',
    code: String.raw`
import re
bool(re.fullmatch(r'''(?x) [+-]? \d+ (?: \.\d+ )? (?: [eE] [+-]? \d+ )?''', '-12.5e+3'))
`,
    value: 'True',
  },
  {
    name: 'unicode in regular expressions',
    code: String.raw`
import re
re.findall(r'\w+', 'naïve Žižek 東京 x_1')
`,
    value: "['naïve', 'Žižek', '東京', 'x_1']",
  },
  {
    name: 'lookarounds',
    code: String.raw`
import re
re.sub(r'(?<=\d)(?=(\d{3})+$)', ',', '1234567')
`,
    value: "'1,234,567'",
  },
  {
    name: 'xml',
    code: `
import xml.etree.ElementTree as ET
root = ET.fromstring('<a><b n="1">x</b><b n="2">y</b></a>')
{b.get('n'): b.text for b in root.iter('b')}
`,
    value: "{'1': 'x', '2': 'y'}",
  },
  {
    name: 'xml with namespaces',
    code: `
import xml.etree.ElementTree as ET
root = ET.fromstring('<r xmlns:q="urn:q"><q:v>3</q:v><q:v>4</q:v></r>')
sum(int(v.text) for v in root.findall('q:v', {'q': 'urn:q'}))
`,
    value: '7',
  },
  {
    name: 'html',
    code: `
from html.parser import HTMLParser
class Links(HTMLParser):
    found = []
    def handle_starttag(self, tag, attrs):
        if tag == 'a': self.found.append(dict(attrs).get('href'))
Links().feed('<p><a href="/x">1</a> <a href="/y?a=1&amp;b=2">2</a>')
Links.found
`,
    value: "['/x', '/y?a=1&b=2']",
  },
  {
    name: 'entities',
    code: `
import html
html.unescape('&lt;b&gt; &eacute; &#8364; &amp;amp;')
`,
    value: "'<b> é € &amp;'",
  },
  {
    name: 'addresses',
    code: `
from urllib.parse import urlsplit, parse_qs, urljoin
u = urlsplit('https://user@example.org:8080/a/b?x=1&x=2&y=%20z#f')
(u.hostname, u.port, parse_qs(u.query), urljoin('https://e.org/a/b', '../c'))
`,
    value: "('example.org', 8080, {'x': ['1', '2'], 'y': [' z']}, 'https://e.org/c')",
  },
  {
    name: 'ini files',
    code: String.raw`
import configparser
c = configparser.ConfigParser()
c.read_string('[db]\nhost = localhost\nport = 5432\ndebug = yes\n')
(c['db']['host'], c.getint('db', 'port'), c.getboolean('db', 'debug'))
`,
    value: "('localhost', 5432, True)",
  },
  {
    name: 'toml',
    code: String.raw`
import tomllib
tomllib.loads('title = "x"\n[owner]\nborn = 1979-05-27\nports = [ 8000, 8001 ]\n')['owner']['ports']
`,
    value: '[8000, 8001]',
  },
  {
    name: 'mail',
    code: String.raw`
import email
m = email.message_from_string('From: a@b.c\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\n\nHallo')
from email.header import decode_header, make_header
(str(make_header(decode_header(m['Subject']))), m.get_payload())
`,
    value: "('Grüße', 'Hallo')",
  },
  {
    name: 'literals',
    code: `
import ast
ast.literal_eval("{'a': (1, 2.5), 'b': [None, True], 'c': b'x'}")
`,
    value: "{'a': (1, 2.5), 'b': [None, True], 'c': b'x'}",
  },
  {
    name: 'a calculator with precedence',
    code: String.raw`
import re
def calc(text):
    tokens = re.findall(r'\d+|[-+*/()]', text)
    def expr():
        value = term()
        while tokens and tokens[0] in '+-':
            value = value + term() if tokens.pop(0) == '+' else value - term()
        return value
    def term():
        value = factor()
        while tokens and tokens[0] in '*/':
            value = value * factor() if tokens.pop(0) == '*' else value / factor()
        return value
    def factor():
        token = tokens.pop(0)
        if token == '(':
            value = expr(); tokens.pop(0); return value
        return int(token)
    return expr()
calc('2*(3+4)-10/4')
`,
    value: '11.5',
  },
  {
    name: 'the syntax tree of python',
    code: String.raw`
import ast
tree = ast.parse('def f(a, b=1):\n    return a + b')
[type(node).__name__ for node in ast.walk(tree)][:4]
`,
    value: "['Module', 'FunctionDef', 'arguments', 'Return']",
  },
  {
    name: 'tokens of a shell line',
    code: String.raw`
import shlex
shlex.split('cp "my file" --to=\'a b\' x\\ y')
`,
    value: "['cp', 'my file', '--to=a b', 'x y']",
  },
  {
    name: 'binary records',
    code: `
import struct
struct.unpack('<HhIf', struct.pack('<HhIf', 65535, -2, 70000, 0.5))
`,
    value: '(65535, -2, 70000, 0.5)',
  },
  {
    name: 'roman numerals',
    code: `
def roman(n):
    out = ''
    for v, s in zip((1000,900,500,400,100,90,50,40,10,9,5,4,1), ('M','CM','D','CD','C','XC','L','XL','X','IX','V','IV','I')):
        out += s * (n // v); n %= v
    return out
[roman(n) for n in (4, 1994, 3999)]
`,
    value: "['IV', 'MCMXCIV', 'MMMCMXCIX']",
  },
];
