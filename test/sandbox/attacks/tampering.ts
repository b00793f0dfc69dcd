import { type Attack, alone, killed } from './attack.ts';

const harness = `
import gc, sys
harness = [o for o in gc.get_objects() if isinstance(o, dict) and "_limits" in o and "_collect_files" in o][0]
`;
const spoil = (name: string, code: string, more: Partial<Attack> = {}): Attack =>
  alone({ name, code, ends: ['finished', 'exception', 'exit', ...killed], ...more });

/** Tampering with the harness, its reply, and the interpreter. */
export const tampering: readonly Attack[] = [
  spoil(
    'lifting the limits of the harness',
    `${harness}\nfor name in ("stdout", "stderr", "value", "files", "file_bytes"): harness["_limits"][name] = 10**9\nprint("x" * 20_000_000)`,
  ),
  spoil('a reply of 50 megabytes', `${harness}\nharness["_run"] = lambda request: {"stdout": "x" * 50_000_000}\n`),
  spoil(
    'a reply that is no JSON',
    `${harness}\nimport json\nclass Fake:\n    @staticmethod\n    def dumps(value): return "<html>"\n    loads = json.loads\nharness["json"] = Fake`,
  ),
  spoil(
    'a reply that is no text',
    `${harness}\nimport json\nclass Fake:\n    @staticmethod\n    def dumps(value): return ["a"]\n    loads = json.loads\nharness["json"] = Fake`,
  ),
  spoil(
    'a reply that is a kind of text',
    `${harness}\nimport json\nclass S(str): pass\nclass Fake:\n    @staticmethod\n    def dumps(value): return S("zzz")\n    loads = json.loads\nharness["json"] = Fake`,
  ),
  spoil(
    'a reply with other members',
    `${harness}\nimport json\nclass Fake:\n    @staticmethod\n    def dumps(value): return '{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}, "end": "finished", "sessionLost": false}'\n    loads = json.loads\nharness["json"] = Fake`,
  ),
  spoil(
    'a reply with wrong types',
    `${harness}\nimport json\nclass Fake:\n    @staticmethod\n    def dumps(value): return '{"stdout": 5, "files": "x", "milliseconds": "1e999"}'\n    loads = json.loads\nharness["json"] = Fake`,
  ),
  spoil(
    'files with names that lead outside',
    `${harness}\noriginal = harness["_collect_files"]\nharness["_collect_files"] = lambda before: ([{"name": n, "base64": "eA=="} for n in ("../../evil", "/etc/evil", "a/../../b", "c\\\\d", "e\\u202ef", "ok.txt")], [])`,
  ),
  spoil(
    'more files than are taken',
    `${harness}\nharness["_collect_files"] = lambda before: ([{"name": f"{n}", "base64": "eA=="} for n in range(500)], [])`,
  ),
  spoil(
    'files that are no base64',
    `${harness}\nharness["_collect_files"] = lambda before: ([{"name": "a", "base64": "<script>"}], [])`,
  ),
  spoil(
    'builtins that lie',
    'import builtins\nbuiltins.len = lambda x: 10**9\nbuiltins.isinstance = lambda *a: True\nbuiltins.repr = lambda x: "lie"\n1',
  ),
  spoil(
    'builtins that fail',
    'import builtins\nfor name in ("len", "str", "isinstance", "type", "sorted", "open", "bytes"):\n    setattr(builtins, name, None)\n1',
  ),
  spoil('no builtins at all', 'import builtins\nbuiltins.__dict__.clear()'),
  spoil(
    'a JSON module of its own',
    'import json\njson.dumps = lambda *a, **k: "{}"\njson.loads = lambda *a: {"code": "1", "inputs": {}, "files": []}\n1',
  ),
  spoil('modules taken away', 'import sys\nsys.modules.clear()\n1'),
  spoil(
    'a tracer in the harness',
    'import sys\ndef trace(frame, event, argument):\n    frame.f_locals\n    return trace\nsys.settrace(trace)\n1',
  ),
  spoil('a profiler that never returns', 'import sys\nsys.setprofile(lambda *a: [None for _ in iter(int, 1)])\n1'),
  spoil(
    'frames of the harness',
    'import sys\nframe = sys._getframe()\nwhile frame.f_back: frame = frame.f_back\nframe.f_globals.clear()',
  ),
  spoil(
    'an output that is not its own',
    'import sys\nclass Out:\n    def write(self, text): raise SystemExit(99)\n    def flush(self): raise KeyboardInterrupt\nsys.stdout = Out()\nprint("x")',
  ),
  spoil('no output at all', 'import sys\nsys.stdout = sys.stderr = None\nprint("x")\n1'),
  spoil('a closed output', 'import sys\nsys.stdout.close()\nprint("x")'),
  spoil('leaving by exit', 'import os\nos._exit(3)'),
  spoil('abort', 'import os\nos.abort()'),
  spoil('killing itself', 'import os, signal\nos.kill(os.getpid(), signal.SIGKILL)'),
  spoil('a fault on purpose', 'import faulthandler\nfaulthandler._sigsegv()'),
  spoil('a fatal error on purpose', 'import faulthandler\nfaulthandler._fatal_error_c_thread()'),
  spoil(
    'bytecode that makes no sense',
    'def f(): pass\nf.__code__ = f.__code__.replace(co_code=bytes([101, 255] * 50 + [83, 0]), co_consts=(), co_names=())\nf()',
  ),
  spoil('marshalled rubbish', 'import marshal\nmarshal.loads(b"\\xe3" + b"\\xff" * 100)'),
  spoil(
    'a type with broken slots',
    'import gc\nt = type("T", (), {})\nt.__bases__ = (type("U", (), {"__slots__": ("a",) * 1}),)\nt().a',
  ),
  spoil('exit handlers', 'import atexit\natexit.register(lambda: [None for _ in iter(int, 1)])\n1', {
    ends: ['finished'],
  }),
  spoil('a raised KeyboardInterrupt', 'raise KeyboardInterrupt', { ends: ['exception'], shows: /KeyboardInterrupt/ }),
  spoil('a raised GeneratorExit', 'raise GeneratorExit', { ends: ['exception'] }),
  spoil('an exit from within an exit', 'import sys\ntry:\n    sys.exit(1)\nfinally:\n    sys.exit("words")', {
    ends: ['exit'],
  }),
  spoil(
    'an exception group without end',
    'e = ValueError("x")\nfor _ in range(500): e = ExceptionGroup("g", [e])\nraise e',
  ),
  spoil('exceptions in a circle', 'a, b = ValueError("a"), ValueError("b")\na.__cause__, b.__cause__ = b, a\nraise a', {
    ends: ['exception'],
  }),
  spoil(
    'a traceback of a million lines',
    'import linecache\nlinecache.getline = lambda *a, **k: "x" * 1_000_000\nlinecache.getlines = lambda *a, **k: ["x" * 1_000_000] * 10\n1/0',
  ),
  spoil('lone surrogates, zeros and control codes', 'print("\\ud800\\x00\\x1b[2J\\x1b]0;owned\\x07")\n"\\udfff"', {
    ends: ['finished'],
  }),
  spoil('source that cannot be decoded', '"\\ud800"; exec("# coding: nonsense\\nprint(1)")'),
  spoil(
    'other event loops',
    'import asyncio\nasyncio.set_event_loop_policy(None)\nasyncio.new_event_loop = None\nasync def f(): return 1\nawait f()',
  ),
  spoil(
    'hooks on imports',
    'import sys\nclass Hook:\n    def find_spec(self, *a): raise SystemExit(5)\nsys.meta_path.insert(0, Hook())\nimport turtle',
  ),
  spoil('audit hooks', 'import sys\ndef hook(*a): raise RuntimeError("no")\nsys.addaudithook(hook)\n1'),
  spoil('the garbage collector', 'import gc\ngc.callbacks.append(lambda *a: 1/0)\ngc.freeze()\ngc.collect()\n1'),
];
