"""Runs requests inside the sandbox. `answer` takes a request as JSON and gives a reply as JSON; it never raises.

This is Python that strangers' code lives beside and can tamper with: nothing here is a boundary. The limits it keeps
make replies useful; those that protect the host are kept outside, in the process and by its parent.
"""

import ast
import asyncio
import base64
import inspect
import io
import json
import linecache
import os
import random
import sys
import time
import traceback
import types
import warnings

import _workspace

HOME = _workspace.HOME
MAX_MESSAGE = 2_000
MAX_TRACEBACK = 6_000
MAX_JSON_NODES = 20_000
MAX_TABLE_ROWS = 60
MAX_TABLE_COLUMNS = 40
# A traceback of more frames takes more memory than there is.
MAX_RECURSION = 200_000
EXACT_INTEGER = 2**53

_limits = {}
_main = types.ModuleType('__main__')
_main.__builtins__ = __builtins__
_cells = 0


class Capture(io.TextIOBase):
    """Keeps the first characters of what is written, and counts the rest."""

    encoding = 'utf-8'
    errors = 'replace'

    def __init__(self, name, most, descriptor):
        self.name = name
        self._descriptor = descriptor
        self._parts = []
        self._most = most
        self._kept = 0
        self.characters = 0
        self.buffer = CaptureBytes(self)

    def writable(self):
        return True

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError(f'write() argument must be str, not {type(text).__name__}')
        length = len(text)
        self.characters += length
        room = self._most - self._kept
        if room > 0:
            part = text[:room]
            self._parts.append(part)
            self._kept += len(part)
            # Kept outside of Python too, for calls that are ended by force.
            _write_through(self._descriptor, part.encode('utf-8', 'replace'))
            if len(self._parts) > 4_096:
                self._parts = [''.join(self._parts)]
        return length

    def text(self):
        return ''.join(self._parts)


def _write_through(descriptor, data):
    try:
        os.write(descriptor, data)
    except OSError:
        pass


class CaptureBytes(io.RawIOBase):
    """`sys.stdout.buffer`, for programs that write bytes."""

    def __init__(self, capture):
        self._capture = capture

    def writable(self):
        return True

    def write(self, data):
        data = bytes(data)
        self._capture.write(data.decode('utf-8', 'replace'))
        return len(data)


class SandboxLoop(asyncio.BaseEventLoop):
    """An event loop for a world without sockets: between callbacks there is nothing to do but sleep."""

    class _Selector:
        def select(self, timeout):
            if timeout is None:
                raise RuntimeError('The event loop waits for something that can never happen in this sandbox.')
            if timeout > 0:
                time.sleep(timeout)
            return []

        def close(self):
            pass

    def __init__(self):
        super().__init__()
        self._selector = self._Selector()

    def _process_events(self, events):
        pass

    def _write_to_self(self):
        pass

    def run_in_executor(self, executor, function, *arguments):
        # There are no threads; what is asked for is done at once.
        future = self.create_future()
        try:
            future.set_result(function(*arguments))
        except BaseException as error:
            future.set_exception(error)
        return future


class SandboxPolicy(asyncio.events._BaseDefaultEventLoopPolicy):
    _loop_factory = SandboxLoop


class WithheldModules:
    """First in the way of an import: what would only lead to the machinery around Python."""

    def find_spec(self, name, path=None, target=None):
        if name.partition('.')[0] in _limits['withheld']:
            raise ModuleNotFoundError(f"No module named '{name}': it is withheld in this sandbox.", name=name)
        return None


class MissingModules:
    """Last in the way of an import: says what there is instead."""

    def find_spec(self, name, path=None, target=None):
        if '.' in name:
            return None
        packages = ', '.join(_limits['packages'])
        raise ModuleNotFoundError(
            f"No module named '{name}'. This sandbox has Python's standard library"
            + (f' and {packages}.' if packages else ' and no other packages.'),
            name=name,
        )


_time_zones = {}


def keep_time_zones(zones):
    """Puts the world's time zones into memory, and so into the snapshot; there is no /usr/share/zoneinfo."""
    import zoneinfo
    import zoneinfo._common as common

    for key, data in json.loads(zones).items():
        _time_zones[key] = base64.b64decode(data)

    load_from_packages = common.load_tzdata

    def load_tzdata(key):
        data = _time_zones.get(key)
        return load_from_packages(key) if data is None else io.BytesIO(data)

    common.load_tzdata = load_tzdata
    zoneinfo.available_timezones = lambda: set(_time_zones)


def unpack(paths):
    """Unpacks archives as Pyodide would; returns, as JSON, the libraries to link, in the order to link them in."""
    import sysconfig
    import zipfile

    libraries = []
    for path in json.loads(paths):
        folder = sysconfig.get_path('purelib') if path.endswith('.whl') else '/usr/lib'
        os.makedirs(folder, exist_ok=True)
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder)
            names = [name for name in archive.namelist() if name.endswith('.so')]
        os.remove(path)
        # Those a wheel brings along for its modules lie in a folder `<name>.libs`.
        libraries += sorted((f'{folder}/{name}' for name in names), key=lambda name: '.libs/' not in name)
    return json.dumps(libraries)


def begin(settings):
    """The last step of every start: what must not be the same in each interpreter of one snapshot.

    Returns what answers requests.
    """
    _limits.update(json.loads(settings))
    random.seed(os.urandom(64))
    _workspace.make_ready()
    # Pyodide puts in their place what only works where a browser's loop runs.
    asyncio.run = asyncio.runners.run
    time.sleep = sys.modules['pyodide.webloop']._orig_sleep
    sys.path[:] = ['', *(path for path in sys.path if path not in ('', '/lib/citewell')), *_limits['path']]
    asyncio.events._set_running_loop(None)
    asyncio.events._event_loop_policy = SandboxPolicy()
    for name in [*sys.modules]:
        if name.partition('.')[0] in _limits['withheld']:
            del sys.modules[name]
    sys.meta_path[:] = [finder for finder in sys.meta_path if not type(finder).__module__.startswith('_pyodide')]
    sys.meta_path.insert(0, WithheldModules())
    sys.meta_path.append(MissingModules())
    sys.modules['__main__'] = _main
    set_recursion_limit = sys.setrecursionlimit
    sys.setrecursionlimit = lambda limit: set_recursion_limit(min(limit, MAX_RECURSION))
    # Figures are drawn without a window, and `show` need not say so; see `save_figures`.
    os.environ.update(MPLBACKEND='Agg', MPLCONFIGDIR='/tmp/matplotlib')
    warnings.filterwarnings('ignore', message='FigureCanvasAgg is non-interactive')
    # Ends the program, as everywhere; the interpreter goes on.
    os._exit = sys.exit
    sys.argv = ['']
    sys.stdin = io.StringIO('')
    return answer


def answer(request):
    try:
        request = json.loads(request)
        reply = _run(request)
        if request['keeps']:
            known = _workspace.known()
            report = _with_changes(reply, request['known'])
            if report is not None:
                return report
            reply['changes'] = _workspace.keep_nothing(known)
        return json.dumps(reply)
    except MemoryError:
        return '{"fault": "memory"}'
    except RecursionError:
        return '{"fault": "crash"}'


def _with_changes(reply, is_known):
    """The reply with the files to keep, as JSON; None where Python's memory is too full for them."""
    try:
        return json.dumps({**reply, 'changes': _workspace.changes(_limits['kept_bytes'], is_known)})
    except MemoryError:
        return None


def _run(request):
    global _cells
    _cells += 1
    name = f'<cell {_cells}>'
    out = Capture('<stdout>', _limits['stdout'], 1)
    err = Capture('<stderr>', _limits['stderr'], 2)
    reply = {'value': None, 'error': None, 'exit_code': None}
    namespace = _main.__dict__
    namespace.update(request['inputs'])
    namespace['inputs'] = request['inputs']
    sys.stdout, sys.stderr = out, err
    begun = time.perf_counter()
    before = {}
    try:
        _workspace.make_ready()
        _workspace.restore(request['restored'])
        before = _workspace.files_in_out()
        _workspace.write_inputs(request['files'])
        try:
            value = _execute(request['code'], name, namespace)
        finally:
            _workspace.save_figures(before)
        if value is not None:
            namespace['_'] = value
        reply['value'] = None if value is None else _describe(value)
    except SystemExit as error:
        reply['exit_code'] = _exit_code(error.code, err)
    except BaseException as error:
        reply['error'] = _describe_error(error, name)
    finally:
        sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__
    reply['milliseconds'] = (time.perf_counter() - begun) * 1000
    reply['stdout'], reply['stdout_characters'] = _plain(out.text()), out.characters
    reply['stderr'], reply['stderr_characters'] = _plain(err.text()), err.characters
    _workspace.make_ready()
    reply['files'], reply['skipped'] = _workspace.collect_files(before, _limits)
    return reply


def _plain(text):
    """Lone surrogates have no bytes; what cannot be sent is shown as a replacement character."""
    return text.encode('utf-8', 'replace').decode('utf-8') if not text.isascii() else text


def _execute(code, name, namespace):
    source = code if code.endswith('\n') else code + '\n'
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    tree = ast.parse(source, name)
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    last = None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = compile(ast.Expression(tree.body.pop().value), name, 'eval', flags)
    body = compile(tree, name, 'exec', flags)
    if (body.co_flags | (last.co_flags if last else 0)) & inspect.CO_COROUTINE:
        with asyncio.Runner(loop_factory=SandboxLoop) as runner:
            return runner.run(_execute_awaiting(body, last, namespace))
    exec(body, namespace)
    return None if last is None else eval(last, namespace)


async def _execute_awaiting(body, last, namespace):
    for code in (body, last):
        value = None if code is None else eval(code, namespace)
        if code is not None and code.co_flags & inspect.CO_COROUTINE:
            value = await value
    return value


def _exit_code(code, err):
    if code is None:
        return 0
    if isinstance(code, int):
        return int(code)
    err.write(f'{code}\n')
    return 1


def _describe(value):
    most = _limits['value']
    text = _table(value) or repr(value)
    description = {
        'repr': _plain(text[:most]),
        'type': type(value).__qualname__[:200],
        'characters': len(text),
        'json': None,
    }
    if len(text) <= most:
        try:
            budget = [MAX_JSON_NODES]
            if _is_json(value, budget, 0):
                description['json'] = json.dumps(value, allow_nan=False)
        except (TypeError, ValueError):
            pass
    return description


def _table(value):
    """A DataFrame or Series of pandas with all of its columns; None for other values."""
    kind = type(value)
    if kind.__module__.partition('.')[0] != 'pandas':
        return None
    if kind.__name__ == 'Series':
        return value.to_string(max_rows=MAX_TABLE_ROWS, name=True, dtype=True, length=len(value) > MAX_TABLE_ROWS)
    if kind.__name__ == 'DataFrame':
        shown = value.to_string(max_rows=MAX_TABLE_ROWS, max_cols=MAX_TABLE_COLUMNS)
        is_cut = value.shape[0] > MAX_TABLE_ROWS or value.shape[1] > MAX_TABLE_COLUMNS
        return f'{shown}\n\n[{value.shape[0]} rows x {value.shape[1]} columns]' if is_cut else shown
    return None


def _is_json(value, budget, depth):
    """Exact types only, so that no code of the value runs; and only what comes out of JSON as it went in."""
    budget[0] -= 1
    if budget[0] < 0 or depth > 50:
        return False
    kind = type(value)
    if value is None or kind is bool or kind is str:
        return True
    if kind is int:
        return -EXACT_INTEGER < value < EXACT_INTEGER
    if kind is float:
        return value - value == 0
    if kind is list or kind is tuple:
        return all(_is_json(item, budget, depth + 1) for item in value)
    if kind is dict:
        return all(type(key) is str and _is_json(item, budget, depth + 1) for key, item in value.items())
    return False


def _is_users(file):
    return file.startswith('<cell ') or file.startswith(HOME + '/')


def _describe_error(error, name):
    kind = type(error)
    module = kind.__module__
    label = kind.__qualname__ if module in ('builtins', '__main__') else f'{module}.{kind.__qualname__}'
    try:
        message = str(error)
    except BaseException:
        message = '<the message of this exception cannot be shown>'
    if isinstance(error, MemoryError) and not message:
        message = f"The {_limits['megabytes']} MB that Python has here are used up."
    line = None
    if isinstance(error, SyntaxError) and error.filename and _is_users(error.filename):
        line = error.lineno
        message = error.msg or message
    else:
        for frame, number in traceback.walk_tb(error.__traceback__):
            if frame.f_code.co_filename == name or (line is None and _is_users(frame.f_code.co_filename)):
                line = number
    return {
        'type': str(label)[:200],
        'message': _plain(message[:MAX_MESSAGE]),
        'line': line,
        'traceback': _plain(_traceback(error)),
    }


def _traceback(error):
    try:
        report = traceback.TracebackException.from_exception(error, limit=-60, max_group_width=5, max_group_depth=3)
        _keep_users_frames(report, set())
        text = ''.join(report.format())
    except BaseException:
        return f'{type(error).__qualname__}\n'
    if len(text) > MAX_TRACEBACK:
        half = MAX_TRACEBACK // 2
        text = f'{text[:half]}\n  …\n{text[-half:]}'
    return text


def _keep_users_frames(report, seen):
    if report is None or id(report) in seen:
        return
    seen.add(id(report))
    report.stack[:] = [frame for frame in report.stack if _is_users(frame.filename)]
    _keep_users_frames(report.__cause__, seen)
    _keep_users_frames(report.__context__, seen)
    for inner in report.exceptions or ():
        _keep_users_frames(inner, seen)
