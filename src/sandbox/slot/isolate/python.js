/**
 * The isolate's own program: starts Pyodide from what it was handed, and answers requests. Text goes in and text comes
 * out; nothing else crosses the isolate's edge.
 */

import createPyodideModule from 'pyodide/pyodide.asm.mjs';
import { loadPyodide } from 'pyodide/pyodide.mjs';
import { lockDown } from './lockdown.js';
import { lastWords, prepare, runTimers } from './prelude.js';

// Words of the snapshot's head that this reads: where the image of the memory begins.
const IMAGE_OFFSET_WORD = 1;
const SWALLOWED = { write: (bytes) => bytes.length, isatty: false };

/** Returns what the process calls by name; see boot-isolate.ts. */
export function createPython(settings, ...pairs) {
  const { lock, seed, makesSnapshot } = JSON.parse(settings);
  const files = new Map();
  for (let index = 0; index < pairs.length; index += 2) files.set(pairs[index], pairs[index + 1]);
  const snapshot = files.get('snapshot');
  files.delete('snapshot');
  prepare(files, seed);
  let pyodide;
  let state = 'starting';
  let failure = '';

  /** What takes its time is watched from outside, by way of `drain`. */
  function watch(work) {
    state = 'starting';
    work.then(
      () => {
        state = 'ready';
      },
      (error) => {
        state = 'failed';
        failure = `${error?.stack ?? error}\n${lastWords()}`.slice(0, 4000);
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
    // The writers that gather lines would gather without bound.
    pyodide.setStdout(SWALLOWED);
    pyodide.setStderr(SWALLOWED);
  }

  /** The memory is as large as the snapshot's file, of which the image is the part after the head. */
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
    /** Writes files that the snapshot knows of but does not hold. */
    addFile(path, bytes) {
      pyodide.FS.mkdirTree(path.slice(0, path.lastIndexOf('/')));
      pyodide.FS.writeFile(path, new Uint8Array(bytes), { canOwn: true });
    },
    /** Unpacks archives with compiled modules and links these, which the lock forbids later. */
    link(paths) {
      watch(linkAll(paths));
    },
    runPython(source, name) {
      pyodide.runPython(source, { filename: name });
    },
    snapshot: () => pyodide.makeMemorySnapshot().buffer,
    lock(settings) {
      const begin = pyodide.runPython('import _sandbox\n_sandbox.begin');
      // Had before strangers' code runs, so that nothing it replaces is ever called.
      const answer = begin(settings);
      begin.destroy();
      lockDown();
      return (request) => {
        const reply = answer(request);
        return typeof reply === 'string' ? reply : '';
      };
    },
  };
}
