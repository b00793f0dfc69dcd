import { type Attack, alone } from './attack.ts';

const importBuiltin = `
import importlib.machinery as machinery, importlib.util
def builtin(name):
    spec = machinery.BuiltinImporter.find_spec(name)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
`;

/** Access to files, processes, network and environment of the host. */
export const hostAccess: readonly Attack[] = [
  { name: 'reading the password file', code: 'open("/etc/passwd").read()', shows: /FileNotFoundError/ },
  { name: 'reading a file of the host by its path', code: 'open(canary_file).read()', shows: /FileNotFoundError/ },
  {
    name: 'reading a file of the host by an address',
    code: 'import urllib.request\nurllib.request.urlopen("file://" + canary_file).read()',
    shows: /Error/,
  },
  {
    name: 'climbing out of the working folder',
    code: 'open("../../../../.." + canary_file).read()',
    shows: /FileNotFoundError/,
  },
  {
    name: 'linking to a file of the host',
    code: 'import os\nos.symlink(canary_file, "link")\nopen("link").read()',
    shows: /FileNotFoundError/,
  },
  {
    name: 'walking over all files',
    code: 'import os\n[os.path.join(a, n) for a, _, names in os.walk("/") for n in names if "node" in n or "passwd" in n or "citewell" in a]',
    shows: /^\[\]/,
  },
  {
    name: 'reading its own process in /proc',
    code: 'import os\n[open(f"/proc/{p}/environ").read() for p in ("self", 1, host_pid)]',
    shows: /FileNotFoundError/,
  },
  {
    name: 'listing /proc',
    code: 'import os\nsorted(os.listdir("/proc"))',
    shows: /self/,
    hides: /cmdline|meminfo|\d{3}/,
  },
  { name: 'reading the environment', code: 'import os\ndict(os.environ)', shows: /HOME/, hides: /canary|CITEWELL|npm/ },
  {
    name: 'learning where the host keeps things',
    code: 'import sys, os\n[sys.executable, sys.prefix, sys.argv, sys.path, os.getcwd(), __file__ if "__file__" in globals() else None]',
    hides: /work|usr\/bin|node/,
  },
  {
    name: 'learning the name of the host',
    code: 'import os, platform, socket\n[os.uname(), platform.node(), socket.gethostname()]',
    hides: /debian/,
  },
  {
    name: 'devices of the host',
    code: 'import os\n[name for name in os.listdir("/dev") if name not in ("null","zero","random","urandom","stdin","stdout","stderr","tty","tty1","shm","full","fd")]',
    shows: /^\[/,
  },
  {
    name: 'writing outside of the working folder',
    code: 'import os\nos.makedirs("/etc/cron.d", exist_ok=True)\nopen("/etc/cron.d/evil", "w").write("x")',
    ends: ['finished', 'exception'],
  },
  { name: 'mounting', code: 'import os\nos.mount("/", "/mnt")', shows: /AttributeError/ },
  { name: 'chroot', code: 'import os\nos.chroot("/")', shows: /Error/ },
  { name: 'a shell', code: 'import os\nos.system("id > /tmp/id; cat /etc/passwd")', shows: /-1|Error/ },
  { name: 'a shell that multiplies', code: 'import os\nos.system(":(){ :|:& };:")', shows: /-1|Error/ },
  { name: 'a pipe to a program', code: 'import os\nos.popen("id").read()', shows: /Error/ },
  { name: 'subprocess', code: 'import subprocess\nsubprocess.run(["id"], capture_output=True).stdout', shows: /Error/ },
  { name: 'fork', code: 'import os\nos.fork()', shows: /Error/ },
  {
    name: 'forkpty and spawn',
    code: 'import os\nfor name in ("forkpty", "posix_spawn", "execv", "spawnv"):\n    try:\n        print(name, getattr(os, name)(*([] if name == "forkpty" else ["/bin/id", ["id"], {}] if name == "posix_spawn" else ["/bin/id", ["id"]] if name == "execv" else [0, "/bin/id", ["id"]])))\n    except BaseException as error:\n        print(name, type(error).__name__)',
    hides: /uid=/,
  },
  {
    name: 'the low-level fork behind subprocess',
    code: `${importBuiltin}\nbuiltin("_posixsubprocess").fork_exec`,
    hides: /uid=/,
  },
  {
    name: 'multiprocessing',
    code: 'import multiprocessing\nmultiprocessing.Process(target=print).start()',
    shows: /Error/,
  },
  {
    name: 'a process pool',
    code: 'from concurrent.futures import ProcessPoolExecutor\nwith ProcessPoolExecutor() as pool:\n    print(list(pool.map(str, [1])))',
    shows: /Error/,
  },
  {
    name: 'threads',
    code: 'import threading\nthreading.Thread(target=print).start()',
    shows: /can't start new thread/,
  },
  {
    name: 'a thousand threads',
    code: 'import _thread\nfor _ in range(1000):\n    _thread.start_new_thread(print, ())',
    shows: /can't start new thread/,
  },
  { name: 'signals to the host', code: 'import os, signal\nos.kill(host_pid, signal.SIGKILL)', shows: /Error|None/ },
  { name: 'signals to process 1', code: 'import os, signal\nos.kill(1, signal.SIGTERM)', shows: /Error|None/ },
  { name: 'a signal to a group', code: 'import os, signal\nos.killpg(host_pid, signal.SIGTERM)', shows: /Error|None/ },
  { name: 'raised priorities', code: 'import os\nos.setpriority(os.PRIO_PROCESS, 0, -20)', shows: /Error|None/ },
  {
    name: 'lifted resource limits',
    code: 'import resource\nresource.setrlimit(resource.RLIMIT_AS, (-1, -1))',
    shows: /Error|No module/,
  },
  {
    name: 'a connection to the host',
    code: 'import socket\ns = socket.socket()\ns.settimeout(0.5)\ns.connect(("127.0.0.1", port))\ns.send(b"hello")',
    shows: /Error|unreachable/,
  },
  {
    name: 'a listening socket',
    code: 'import socket\ns = socket.socket()\ns.bind(("0.0.0.0", 8099))\ns.listen()\n"listening"',
    ends: ['finished', 'exception'],
  },
  {
    name: 'a raw socket',
    code: 'import socket\nsocket.socket(socket.AF_INET, socket.SOCK_RAW, 1).sendto(b"x", ("127.0.0.1", 0))',
    shows: /Error/,
  },
  {
    name: 'a datagram',
    code: 'import socket\nsocket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", port))',
    shows: /Error/,
  },
  {
    name: 'a local socket',
    code: 'import socket\nsocket.socket(socket.AF_UNIX).connect("/var/run/docker.sock")',
    shows: /Error/,
  },
  {
    name: 'looking up a name',
    code: 'import socket\nsocket.getaddrinfo("localhost", port)',
    ends: ['finished', 'exception'],
  },
  {
    name: 'urllib',
    code: 'import urllib.request\nurllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=0.5).read()',
    shows: /Error/,
  },
  {
    name: 'http.client',
    code: 'import http.client\nconnection = http.client.HTTPConnection("127.0.0.1", port, timeout=0.5)\nconnection.request("GET", "/")\nconnection.getresponse()',
    shows: /Error/,
  },
  {
    name: 'asyncio connections',
    code: 'import asyncio\nawait asyncio.open_connection("127.0.0.1", port)',
    shows: /Error/,
  },
  {
    name: 'the address of cloud metadata',
    code: 'import urllib.request\nurllib.request.urlopen("http://169.254.169.254/", timeout=0.5).read()',
    shows: /Error/,
  },
  {
    name: 'ftp and smtp',
    code: 'import ftplib, smtplib\ntry:\n    ftplib.FTP("127.0.0.1", timeout=0.5)\nexcept OSError as error:\n    print("refused")\nsmtplib.SMTP("127.0.0.1", port, timeout=0.5)',
    shows: /Error/,
  },
  { name: 'installing packages', code: 'import micropip', shows: /No module named 'micropip'/ },
  { name: 'pip', code: 'import pip', shows: /No module named 'pip'/ },
  {
    name: 'the browser of the host',
    code: 'import webbrowser\nwebbrowser.open("http://127.0.0.1:%d/" % port)',
    ends: ['finished', 'exception'],
    hides: /True/,
  },
  { name: 'asking the user', code: 'input("password: ")', shows: /EOFError/ },
  {
    name: 'reading the standard input of the process',
    code: 'import os\nos.read(0, 100)',
    ends: ['finished', 'exception', 'crash'],
  },
  {
    name: 'writing to the channel of the slot',
    code: 'import os\nfor descriptor in range(0, 64):\n    try:\n        os.write(descriptor, b"\\x08\\x00\\x00\\x00{\\"a\\":1}\\x00")\n    except OSError:\n        pass\n"done"',
    shows: /done/,
  },
  {
    name: 'the debugger of another process',
    code: 'import sys\nsys.remote_exec(host_pid, canary_file)',
    shows: /Error/,
  },
  {
    name: 'reading the memory of another process',
    code: `${importBuiltin}\nbuiltin("_remote_debugging").RemoteUnwinder(host_pid).get_stack_trace()`,
    shows: /Error/,
  },
  {
    name: 'mapping a file of the host',
    code: 'import mmap\nmmap.mmap(open(canary_file).fileno(), 0)',
    shows: /FileNotFoundError/,
  },
  alone({
    name: 'sqlite extensions',
    code: 'import sqlite3\nc = sqlite3.connect(":memory:")\nc.enable_load_extension(True)\nc.load_extension("/lib/x86_64-linux-gnu/libc.so.6")',
    shows: /Error/,
  }),
  {
    name: 'sqlite files of the host',
    code: 'import sqlite3\nsqlite3.connect(f"file:{canary_file}?mode=ro", uri=True).execute("select 1").fetchall()',
    shows: /unable to open/,
  },
  {
    name: 'time zones as a way to files',
    code: 'from zoneinfo import ZoneInfo\nZoneInfo("../../../../etc/passwd")',
    shows: /Error/,
  },
  {
    name: 'external entities',
    code: 'import xml.sax, io\nfrom xml.sax.handler import ContentHandler, feature_external_ges\nclass H(ContentHandler):\n    def characters(self, text): print(text)\nparser = xml.sax.make_parser()\nparser.setFeature(feature_external_ges, True)\nparser.setContentHandler(H())\nparser.parse(io.StringIO(\'<!DOCTYPE a [<!ENTITY b SYSTEM "file://%s">]><a>&b;</a>\' % canary_file))',
    shows: /Error/,
  },
];
