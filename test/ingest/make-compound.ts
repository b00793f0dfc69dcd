const SECTOR = 512;
const SMALL = 64;
const SMALL_LIMIT = 4_096;
const END = 0xfffffffe;
const FREE = 0xffffffff;

/**
 * A compound file with these streams, `storage/stream` in a storage; small ones in the mini stream, as Office writes
 * them.
 */
export function makeCompoundFile(streams: Readonly<Record<string, Uint8Array>>): Uint8Array {
  const sectors: Buffer[] = [];
  const table: number[] = [];
  const addChain = (content: Uint8Array): number => {
    if (content.length === 0) return END;
    const start = sectors.length;
    for (let at = 0; at < content.length; at += SECTOR) {
      const sector = Buffer.alloc(SECTOR);
      sector.set(content.subarray(at, at + SECTOR));
      sectors.push(sector);
      table.push(at + SECTOR < content.length ? sectors.length : END);
    }
    return start;
  };

  const small: Buffer[] = [];
  const smallTable: number[] = [];
  const places = Object.entries(streams).map(([name, content]) => {
    if (content.length >= SMALL_LIMIT) return { name, size: content.length, start: addChain(content) };
    const start = smallTable.length;
    for (let at = 0; at < content.length; at += SMALL) {
      const part = Buffer.alloc(SMALL);
      part.set(content.subarray(at, at + SMALL));
      small.push(part);
      smallTable.push(at + SMALL < content.length ? smallTable.length + 1 : END);
    }
    return { name, size: content.length, start };
  });
  const smallContent = Buffer.concat(small);
  const smallStart = addChain(smallContent);
  const smallTableStart = addChain(longs(smallTable, FREE));
  const root: Node = { name: 'Root Entry', kind: 5, start: smallStart, size: smallContent.length, children: [] };
  for (const { name, start, size } of places) {
    const names = name.split('/');
    const folder = names.slice(0, -1).reduce(within, root);
    folder.children.push({ name: names.at(-1) ?? '', kind: 2, start, size, children: [] });
  }
  const directory = Buffer.concat(directoryOf(root));
  const directoryStart = addChain(directory);

  let tableSectors = 1;
  while (tableSectors * (SECTOR / 4) < table.length + tableSectors) tableSectors++;
  const tableStart = sectors.length;
  for (let index = 0; index < tableSectors; index++) table.push(0xfffffffd);
  const header = Buffer.alloc(SECTOR);
  header.write('d0cf11e0a1b11ae1', 0, 'hex');
  header.writeUInt16LE(0x3e, 24);
  header.writeUInt16LE(3, 26);
  header.writeUInt16LE(0xfffe, 28);
  header.writeUInt16LE(9, 30);
  header.writeUInt16LE(6, 32);
  header.writeUInt32LE(tableSectors, 44);
  header.writeUInt32LE(directoryStart, 48);
  header.writeUInt32LE(SMALL_LIMIT, 56);
  header.writeUInt32LE(smallTableStart, 60);
  header.writeUInt32LE(END, 68);
  header.fill(0xff, 76);
  for (let index = 0; index < tableSectors; index++) header.writeUInt32LE(tableStart + index, 76 + index * 4);
  return new Uint8Array(Buffer.concat([header, ...sectors, longs(table, FREE)]));
}

function longs(values: readonly number[], padding: number): Buffer {
  const length = Math.ceil(Math.max(1, values.length) / (SECTOR / 4)) * (SECTOR / 4);
  const buffer = Buffer.alloc(length * 4);
  for (let index = 0; index < length; index++) buffer.writeUInt32LE(values[index] ?? padding, index * 4);
  return buffer;
}

interface Entry {
  readonly kind: number;
  readonly start: number;
  readonly size: number;
  readonly child: number;
  readonly right: number;
}

function entry(name: string, { kind, start, size, child, right }: Entry): Buffer {
  const buffer = Buffer.alloc(128);
  buffer.write(name, 0, 'utf16le');
  buffer.writeUInt16LE((name.length + 1) * 2, 64);
  buffer.writeUInt8(kind, 66);
  buffer.writeUInt32LE(FREE, 68);
  buffer.writeUInt32LE(right, 72);
  buffer.writeUInt32LE(child, 76);
  buffer.writeUInt32LE(start, 116);
  buffer.writeUInt32LE(size, 120);
  return buffer;
}

interface Node {
  readonly name: string;
  readonly kind: number;
  readonly start: number;
  readonly size: number;
  readonly children: Node[];
}

function within(folder: Node, name: string): Node {
  const known = folder.children.find((child) => child.kind === 1 && child.name === name);
  if (known !== undefined) return known;
  const storage: Node = { name, kind: 1, start: 0, size: 0, children: [] };
  folder.children.push(storage);
  return storage;
}

/** The directory entries in order; the children of an entry are chained as right siblings. */
function directoryOf(root: Node): Buffer[] {
  const nodes: Node[] = [root];
  const links = new Map<Node, { child: number; right: number }>([[root, { child: FREE, right: FREE }]]);
  for (const node of nodes) {
    const first = nodes.length;
    for (const [index, child] of node.children.entries()) {
      nodes.push(child);
      links.set(child, { child: FREE, right: index + 1 < node.children.length ? first + index + 1 : FREE });
    }
    if (node.children.length > 0) links.set(node, { child: first, right: links.get(node)?.right ?? FREE });
  }
  return nodes.map((node) => entry(node.name, { ...node, ...(links.get(node) ?? { child: FREE, right: FREE }) }));
}
