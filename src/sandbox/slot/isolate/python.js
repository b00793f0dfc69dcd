/** The isolate's program: starts Pyodide from the given files and answers requests. Only text crosses its boundary. */

import createPyodideModule from 'pyodide/pyodide.asm.mjs';
import { loadPyodide } from 'pyodide/pyodide.mjs';
import { lockDown } from './lockdown.js';
import { latestOutput, prepare, runTimers } from './prelude.js';

// Index in the snapshot's header of the offset of the memory image.
const IMAGE_OFFSET_WORD = 1;
const MAX_PRINTED_BYTES = 200_000;

/** Returns the functions that the process calls by name; see boot-isolate.ts. */
export function createPython(settings, ...pairs) {
  const { lock, seed, makesSnapshot } = JSON.parse(settings);
  const files = new Map();
  for (let index = 0; index < pairs.length; index += 2) files.set(pairs[index], pairs[index + 1]);
  const snapshot = files.get('snapshot');
  files.delete('snapshot');
  prepare(files, seed);
  let pyodide;
  const printed = { stdout: '', stderr: '' };
  let state = 'starting';
  let failure = '';

  /** Asynchronous work is driven from outside, through `drain`. */
  function watch(work) {
    state = 'starting';
    work.then(
      () => {
        state = 'ready';
      },
      (error) => {
        state = 'failed';
        failure = `${error?.stack ?? error}\n${latestOutput()}`.slice(0, 4000);
      },
    );
  }
  watch(start());

  async function start() {
    pyodide = await loadPyodide({
      indexURL: '/py/',
      lockFileContents: lock,
      packageBaseUrl: '/py/',
      createPyodideModule: snapshot === undefined ? createPyodideModule : withRoomFor(new Uint32Array(snapshot, 0, 4)),
      jsglobals: {},
      env: { HOME: '/home/user', PYTHONHASHSEED: '0', LANG: 'C.UTF-8', TZ: 'UTC' },
      enableRunUntilComplete: false,
      stdin: () => null,
      stdout: () => undefined,
      stderr: () => undefined,
      ...(snapshot === undefined ? { _makeSnapshot: makesSnapshot } : { _loadSnapshot: new Uint8Array(snapshot) }),
    });
    // The default writers buffer lines without limit.
    pyodide.setStdout({ write: (bytes) => keep('stdout', bytes), isatty: false });
    pyodide.setStderr({ write: (bytes) => keep('stderr', bytes), isatty: false });
  }

  /** Stores output as one character per byte, up to the limit. */
  function keep(stream, bytes) {
    const available = MAX_PRINTED_BYTES - printed[stream].length;
    let text = '';
    for (let index = 0; index < bytes.length && index < available; index++) text += String.fromCharCode(bytes[index]);
    printed[stream] += text;
    return bytes.length;
  }

  /** Grows the memory to the size of the snapshot's image, the part of the file after the header. */
  function withRoomFor(head) {
    return async (settings) => {
      const module = await createPyodideModule(settings);
      module.growMemory(snapshot.byteLength - head[IMAGE_OFFSET_WORD]);
      return module;
    };
  }

  async function linkAll(paths) {
    const unpack = pyodide.runPython('import _sandbox\n_sandbox.unpack');
    for (const library of JSON.parse(unpack(paths))) await pyodide._api.loadDynlib(library);
    unpack.destroy();
  }

  return {
    drain: () => {
      runTimers();
      return state === 'failed' ? failure : state;
    },
    /** Writes files that are listed in the snapshot but not contained in it. */
    addFile(path, bytes) {
      pyodide.FS.mkdirTree(path.slice(0, path.lastIndexOf('/')));
      pyodide.FS.writeFile(path, new Uint8Array(bytes), { canOwn: true });
    },
    /** Unpacks archives with native modules and links them, which is impossible after the lockdown. */
    link(paths) {
      watch(linkAll(paths));
    },
    runPython(source, name) {
      pyodide.runPython(source, { filename: name });
    },
    snapshot: () => pyodide.makeMemorySnapshot().buffer,
    /** What the current call has written so far, as JSON; readable after a call was ended by force. */
    printed: () => JSON.stringify(printed),
    lock(settings) {
      const begin = pyodide.runPython('import _sandbox\n_sandbox.begin');
      // Created before untrusted code runs, so that it uses nothing that the code may replace.
      const answer = begin(settings);
      begin.destroy();
      lockDown();
      return (request) => {
        printed.stdout = '';
        printed.stderr = '';
        const reply = answer(request);
        return typeof reply === 'string' ? reply : '';
      };
    },
  };
}
