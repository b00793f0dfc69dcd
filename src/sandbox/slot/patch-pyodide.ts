/**
 * Adapts Pyodide's program to the isolate: removes `import.meta`, and makes the few places through which Python calls or
 * changes JavaScript objects check the lockdown. Throws for a Pyodide version that was not audited.
 */
export function patchPyodide(source: string): string {
  let text = source.replaceAll('import.meta.url', '"file:///pyodide.asm.mjs"');
  for (const { call, times, unless = 'false' } of GUARDED) {
    const places = text.split(call).length - 1;
    if (places !== times)
      throw new Error(`Unsupported Pyodide version: expected "${call}" ${times} times, found ${places}.`);
    text = text.replaceAll(
      call,
      `try{if(globalThis.isLockedDown&&!(${unless}))throw new EvalError("JavaScript is out of reach in this sandbox.");${call.slice('try{'.length)}`,
    );
  }
  return text;
}

interface GuardedCall {
  readonly call: string;
  readonly times: number;
  /** Condition (JavaScript) under which the access is allowed despite the lockdown. */
  readonly unless?: string;
}

const GUARDED: readonly GuardedCall[] = [
  // Every JavaScript value passed to Python goes through this call. Errors are let through, as refusals are errors.
  { call: 'try{let type_flags=0;if(API.isPyProxy(obj)', times: 1, unless: 'obj instanceof Error' },
  { call: 'try{const jskey=normalizeReservedWords(UTF8ToString(ptrkey));const result=jsobj[jskey]', times: 1 },
  { call: 'try{return Function.prototype.apply.apply(func,[this_,args])', times: 1 },
  { call: 'try{return func(arg)', times: 1 },
  { call: 'try{return Reflect.construct(func,args)', times: 1 },
  { call: 'try{let jskey=normalizeReservedWords(UTF8ToString(ptrkey));jsobj[jskey]=jsval', times: 1 },
  { call: 'try{let jskey=normalizeReservedWords(UTF8ToString(ptrkey));delete jsobj[jskey]', times: 1 },
  { call: 'try{if(!Object.prototype.hasOwnProperty.call(obj,key)){return Module.error}return obj[key]', times: 1 },
  { call: 'try{if(value===Module.error){if(!Object.prototype.hasOwnProperty.call(obj,key)){return-1}', times: 1 },
  { call: 'try{arr[idx]=val}', times: 1 },
];
