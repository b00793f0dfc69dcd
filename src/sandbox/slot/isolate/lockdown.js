/**
 * The last step before strangers' code: takes out of the isolate what could run JavaScript or WebAssembly, and what
 * gets memory that the isolate's limit does not count. Pyodide calls JavaScript functions by way of the global
 * `Function`, so afterwards Python can reach JavaScript objects but call none of them.
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
  // What patch-pyodide.ts asks for at each of Python's ways to JavaScript.
  seal(globalThis, 'isLockedDown', true);

  for (const name of ['Module', 'Instance', 'Memory', 'Table', 'Global']) {
    const refused = refuse(`WebAssembly.${name}`);
    // What exists already must still be told by `instanceof`.
    refused.prototype = WebAssembly[name].prototype;
    seal(refused.prototype, 'constructor', refused);
    seal(WebAssembly, name, refused);
  }
  for (const name of ['compile', 'instantiate', 'validate']) seal(WebAssembly, name, refuse(`WebAssembly.${name}`));
  Object.freeze(WebAssembly);

  // Memory outside of the isolate's count: measured at more than 700 MB each before the process was ended.
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
  // Nothing runs timers any more, so none is kept.
  seal(globalThis, 'setTimeout', () => 0);
  seal(globalThis, 'clearTimeout', () => undefined);
}

/** An ArrayBuffer that cannot be asked to grow. */
function fixedLength(Original) {
  return new Proxy(Original, {
    construct: (target, [length], newTarget) => Reflect.construct(target, [length], newTarget),
  });
}
