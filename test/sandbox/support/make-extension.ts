/**
 * A minimal Python extension module in WebAssembly: a side module whose `PyInit_<name>` creates an empty module. Its
 * data begin with a PyModuleDef, in which only the name is set, followed by the name itself.
 */
export function makeExtension(name: string): Uint8Array {
  const definition = 64;
  const nameField = 20;
  const apiVersion = 1013;
  const code = [
    GET_GLOBAL,
    0,
    CONST,
    ...leb(nameField),
    ADD,
    GET_GLOBAL,
    0,
    CONST,
    ...leb(definition),
    ADD,
    STORE,
    2,
    0,
    GET_GLOBAL,
    0,
    CONST,
    ...leb(apiVersion),
    CALL,
    0,
    END,
  ];
  const data = [...new Uint8Array(definition), ...Buffer.from(`${name}\0`)];
  return Uint8Array.from([
    0,
    0x61,
    0x73,
    0x6d,
    1,
    0,
    0,
    0,
    ...section(0, [...text('dylink.0'), 1, 4, ...leb(data.length), 2, 0, 0]),
    // Types: (i32, i32) -> i32 and () -> i32.
    ...section(1, [2, 0x60, 2, I32, I32, 1, I32, 0x60, 0, 1, I32]),
    ...section(2, [
      3,
      ...text('env'),
      ...text('memory'),
      2,
      0,
      0,
      ...text('env'),
      ...text('__memory_base'),
      3,
      I32,
      0,
      ...text('env'),
      ...text('PyModule_Create2'),
      0,
      0,
    ]),
    ...section(3, [1, 1]),
    ...section(7, [1, ...text(`PyInit_${name}`), 0, 1]),
    ...section(10, [1, ...sized([0, ...code])]),
    ...section(11, [1, 0, GET_GLOBAL, 0, END, ...sized(data)]),
  ]);
}

const [I32, GET_GLOBAL, CONST, ADD, STORE, CALL, END] = [0x7f, 0x23, 0x41, 0x6a, 0x36, 0x10, 0x0b];

/** Signed LEB128, which also encodes the small lengths used here correctly. */
function leb(value: number): number[] {
  const bytes: number[] = [];
  for (let left = value; ; left >>= 7) {
    if (left < 64) return [...bytes, left];
    bytes.push((left & 0x7f) | 0x80);
  }
}

const text = (value: string): number[] => sized([...Buffer.from(value)]);
const sized = (bytes: readonly number[]): number[] => [...leb(bytes.length), ...bytes];
const section = (id: number, bytes: readonly number[]): number[] => [id, ...sized(bytes)];
