/**
 * The last step before untrusted code runs: removes everything from the isolate that could run JavaScript or
 * WebAssembly, and everything that allocates memory outside the isolate's limit. Pyodide calls JavaScript functions
 * through the global `Function`, so afterwards Python can reach JavaScript objects but call none of them.
 */
export function lockDown() {
  const refuse = (what) =>
    function refused() {
      throw new EvalError(`${what} is disabled in this sandbox.`);
    };
  const seal = (target, name, value) =>
    Object.defineProperty(target, name, { value, writable: false, configurable: false, enumerable: false });

  const code = refuse('Code from strings');
  Object.setPrototypeOf(code, null);
  seal(code, 'prototype', undefined);
  for (const sample of [() => {}, async () => {}, function* () {}, async function* () {}]) {
    seal(Object.getPrototypeOf(sample), 'constructor', code);
  }
  seal(globalThis, 'eval', code);
  seal(globalThis, 'Function', code);
  // Checked wherever Python can reach JavaScript; see patch-pyodide.ts.
  seal(globalThis, 'isLockedDown', true);

  for (const name of ['Module', 'Instance', 'Memory', 'Table', 'Global']) {
    const refused = refuse(`WebAssembly.${name}`);
    // Existing objects must still pass `instanceof`.
    refused.prototype = WebAssembly[name].prototype;
    seal(refused.prototype, 'constructor', refused);
    seal(WebAssembly, name, refused);
  }
  for (const name of ['compile', 'instantiate', 'validate']) seal(WebAssembly, name, refuse(`WebAssembly.${name}`));
  Object.freeze(WebAssembly);

  // These allocate memory outside the isolate's limit: each reached more than 700 MB before the process was killed.
  seal(ArrayBuffer.prototype, 'resize', refuse('Resizing'));
  seal(SharedArrayBuffer.prototype, 'constructor', refuse('SharedArrayBuffer'));
  delete globalThis.SharedArrayBuffer;
  for (const name of Object.getOwnPropertyNames(Intl)) {
    if (Intl[name]?.prototype?.constructor !== undefined) seal(Intl[name].prototype, 'constructor', refuse('Intl'));
  }
  delete globalThis.Intl;
  seal(ArrayBuffer.prototype, 'constructor', fixedLength(ArrayBuffer));
  seal(globalThis, 'ArrayBuffer', fixedLength(ArrayBuffer));

  for (const name of ['read', 'readbuffer', 'load']) delete globalThis[name];
  // Timers no longer run, so none are stored.
  seal(globalThis, 'setTimeout', () => 0);
  seal(globalThis, 'clearTimeout', () => undefined);
}

/** An ArrayBuffer that cannot be resized. */
function fixedLength(Original) {
  return new Proxy(Original, {
    construct: (target, [length], newTarget) => Reflect.construct(target, [length], newTarget),
  });
}
