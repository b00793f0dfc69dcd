import { type Attack, alone, killed } from './attack.ts';

/** Obtains the bridge between Python and JavaScript although it is withheld. */
const bridge = `
import gc, importlib.machinery as machinery, importlib.util
def builtin(name):
    spec = machinery.BuiltinImporter.find_spec(name)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
core = builtin("_pyodide_core")
finder = [o for o in gc.get_objects() if type(o).__name__ == "JsFinder"][0]
js, api = finder.jsproxies["js"], finder.jsproxies["pyodide_js"]
try:
    array = core.to_js([3, 1, 2])
except Exception:
    # The objects that were there before can be reached still.
    array = api
`;
const through = (name: string, code: string, more: Partial<Attack> = {}): Attack => ({
  name,
  code: `${bridge}\n${code}`,
  shows: /out of reach|Error/,
  ...more,
});

const native = `
import importlib.machinery as machinery, importlib.util, sys
sys.meta_path[:] = [f for f in sys.meta_path if type(f).__name__ not in ("WithheldModules", "MissingModules")]
import ctypes
`;
const byCtypes = (name: string, code: string, more: Partial<Attack> = {}): Attack =>
  alone({ name, code: `${native}\n${code}`, ends: ['finished', 'exception', 'exit', ...killed], ...more });

/** Counts the proxies of JavaScript that can be read, called, changed or listed. */
const PROXIES = `
found = {id(r): r for o in gc.get_objects() for r in gc.get_referents(o)
         if not isinstance(r, type) and type(r).__name__ == "JsProxy"}
attempts = [lambda p: p.constructor, lambda p: p(), lambda p: setattr(p, "x", 1), lambda p: p[0], lambda p: p["x"],
            lambda p: p.new(), lambda p: p.object_entries(), lambda p: p.as_object_map()["x"], lambda p: iter(p)]
usable = 0
for proxy in found.values():
    for attempt in attempts:
        try:
            attempt(proxy)
            usable += 1
        except Exception:
            pass
print(usable, "of", len(found))
`;

/** Escapes through JavaScript and WebAssembly, which all public escapes from Pyodide use. */
export const javascript: readonly Attack[] = [
  { name: 'import js', code: 'import js', shows: /withheld/ },
  { name: 'import pyodide_js', code: 'from pyodide_js import loadPackage', shows: /withheld/ },
  { name: 'pyodide.code.run_js', code: 'from pyodide.code import run_js\nrun_js("1")', shows: /withheld/ },
  {
    name: 'pyodide.http',
    code: 'from pyodide.http import pyfetch\nawait pyfetch("http://127.0.0.1")',
    shows: /withheld/,
  },
  {
    name: 'modules taken from what is loaded',
    code: 'import sys\n[name for name in sys.modules if "js" in name.split(".")[0] and "json" not in name or "pyodide" in name]',
    shows: /^\[\]/,
  },
  through('the constructor of a constructor', 'array.constructor.constructor("return process")()'),
  through('the constructor of a constructor, by new', 'array.constructor.constructor.new("return process")()'),
  through('the prototype chain', 'array.__proto__.__proto__.constructor'),
  through('attributes by getattr', '[getattr(array, name) for name in ("constructor", "__proto__", "map", "length")]'),
  through('attributes by object.__getattribute__', 'object.__getattribute__(array, "constructor")', {
    shows: /Error|attribute/,
  }),
  through('methods of arrays', 'array.map(print)'),
  through('sorting with a function of Python', 'array.sort(lambda a, b: a - b)'),
  through('writing to an object', 'array.polluted = 1'),
  through('polluting a prototype', 'setattr(js.__proto__, "polluted", 1)'),
  through('deleting from an object', 'del array.length'),
  through('making an object', 'core.to_js({"a": 1})', { shows: /JsProxy_compute_typeflags/ }),
  through('reading an object as a dictionary', 'list(api.as_object_map().items())'),
  through('writing to an object as a dictionary', 'api.as_object_map()["polluted"] = 1'),
  through('the values of an object', 'list(api.object_values())'),
  through('every proxy that the garbage collector knows', PROXIES, { shows: /^0 of [1-9]/ }),
  through('constructing', 'array.constructor.new(10)'),
  through('the global object', 'js.globalThis.process'),
  through('the functions of Pyodide', 'api.runPython("1")'),
  through('the file system of Pyodide', 'api.FS.readFile("/etc/passwd")'),
  through('mounting the file system of Node', 'api.mountNodeFS("/mnt", "/")'),
  through('loading a package', 'await api.loadPackage("numpy")'),
  through('the internals of Pyodide', 'api._module.HEAP8.buffer'),
  through('the hooks of Pyodide', 'api._api.scheduleCallback'),
  through('listing attributes', 'dir(api)', { shows: /\[|out of reach/ }),
  through('a proxy of a Python function', 'core.create_proxy(print).apply(None, [1])'),
  through('calling what runs once', 'core.create_once_callable(print)()'),
  through('a promise of its own', 'core.create_promise_converter(core.py2js_default)', {
    ends: ['finished', 'exception'],
    shows: /./,
  }),
  through('calling without checks', 'core.raw_call(array)'),
  through('waiting in JavaScript', 'core.run_sync(array)'),
  through('converters as callbacks', 'core.to_js({"a": 1}, dict_converter=array.from_)'),
  through('a converter that is a Python function', 'core.to_js(object(), default_converter=lambda *a: a[0])', {
    ends: ['finished', 'exception'],
    shows: /./,
  }),
  through('iterating over an object', 'list(api)'),
  through('entries of objects', 'list(core.to_js({"a": 1}).object_entries())', {
    ends: ['finished', 'exception'],
    shows: /./,
  }),
  through('signatures bound to objects', 'array.bind_sig(list)', { ends: ['finished', 'exception'], shows: /./ }),
  through('the type of the proxies', 'type(array)()', { ends: ['finished', 'exception'] }),
  through('a subclass of the proxies', 'class Mine(type(array)):\n    pass\nMine()'),
  through('buffers of proxies', 'memoryview(core.to_js(b"abc"))', { ends: ['finished', 'exception'], shows: /./ }),
  through(
    'the exception of JavaScript as a way in',
    'try:\n    array.x\nexcept Exception as error:\n    print(getattr(error, "js_error", None))\n    error.js_error.constructor',
  ),
  through('pickling a proxy', 'import pickle\npickle.dumps(array)'),
  alone(through('the fatal error of Pyodide', 'core.trigger_fatal_error()', { ends: ['crash'] })),
  byCtypes('reading address 0', 'print(ctypes.string_at(0, 64))'),
  byCtypes('overwriting the memory of the interpreter', 'ctypes.memset(0, 0xff, 20_000_000)'),
  byCtypes('the C library by ctypes', 'lib = ctypes.CDLL(None)\nprint(lib.system(b"id"))\nprint(lib.getpid())', {
    hides: /uid=/,
  }),
  byCtypes(
    'running a script by Emscripten',
    'lib = ctypes.CDLL(None)\nlib.emscripten_run_script_string.restype = ctypes.c_char_p\nprint(lib.emscripten_run_script_string(b"typeof process + typeof require + (globalThis.x = 1)"))',
    { hides: /objectfunction|function1/ },
  ),
  byCtypes(
    'running a script by Emscripten, asynchronously',
    'lib = ctypes.CDLL(None)\nlib.emscripten_async_run_script(b"globalThis.y = 1", 0)',
  ),
  byCtypes(
    'a function pointer to a callback',
    'made = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(lambda n: n)\nmade(1)',
  ),
  byCtypes(
    'loading a library that it wrote',
    'open("/tmp/evil.so", "wb").write(b"\\x00asm\\x01\\x00\\x00\\x00\\x00\\x0f\\x08dylink.0\\x01\\x04\\x00\\x00\\x00\\x00")\nctypes.CDLL("/tmp/evil.so")',
  ),
  byCtypes(
    'an extension module that it wrote',
    'import importlib.util\nopen("/tmp/evil.cpython-314-wasm32-emscripten.so", "wb").write(b"\\x00asm\\x01\\x00\\x00\\x00\\x00\\x0f\\x08dylink.0\\x01\\x04\\x00\\x00\\x00\\x00")\nsys.path.append("/tmp")\nimport evil',
  ),
  byCtypes('a forged integer object', 'x = 10**9\nctypes.c_size_t.from_address(id(x) + 8).value = 0xFFFFFFF0\nrepr(x)'),
];
