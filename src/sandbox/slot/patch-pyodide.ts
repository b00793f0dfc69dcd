/**
 * Adapts Pyodide's program to the isolate: removes `import.meta`, and makes the few places through which Python calls or
 * changes JavaScript objects check the lockdown. Throws for a Pyodide version that was not audited.
 */
export function patchPyodide(source: string): string {
  let text = source.replaceAll('import.meta.url', '"file:///pyodide.asm.mjs"');
  for (const { call, times } of GUARDED) {
    const places = text.split(call).length - 1;
    if (places !== times)
      throw new Error(`This Pyodide is not the one that was examined: "${call}" stands in it ${places} times.`);
    text = text.replaceAll(
      call,
      `try{if(globalThis.isLockedDown)throw new EvalError("JavaScript is out of reach in this sandbox.");${call.slice('try{'.length)}`,
    );
  }
  return text;
}

const GUARDED = [
  { call: 'try{const jskey=normalizeReservedWords(UTF8ToString(ptrkey));const result=jsobj[jskey]', times: 1 },
  { call: 'try{return Function.prototype.apply.apply(func,[this_,args])', times: 1 },
  { call: 'try{return func(arg)', times: 1 },
  { call: 'try{return Reflect.construct(func,args)', times: 1 },
  { call: 'try{let jskey=normalizeReservedWords(UTF8ToString(ptrkey));jsobj[jskey]=jsval', times: 1 },
  { call: 'try{let jskey=normalizeReservedWords(UTF8ToString(ptrkey));delete jsobj[jskey]', times: 1 },
] as const;
