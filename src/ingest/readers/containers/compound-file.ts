import { ServiceError } from '../../../errors.ts';

/** A compound file (OLE), the container format of Office documents before 2007 and of Outlook messages. */
export interface CompoundFile {
  /** Names of the streams in the root, and of those in storages as `storage/stream`. */
  readonly names: readonly string[];
  /** The bytes of a stream by its name, case-insensitive; undefined when there is none. Throws `invalid_request`. */
  stream(name: string): Buffer | undefined;
}

const SIGNATURE = 'd0cf11e0a1b11ae1';
const LAST_SECTOR = 0xfffffffa;
const NONE = 0xffffffff;
const MAX_ENTRIES = 20_000;

export const isCompoundFile = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(8, bytes.byteLength)).toString('hex') === SIGNATURE;

interface DirectoryEntry {
  readonly name: string;
  readonly kind: number;
  readonly left: number;
  readonly right: number;
  readonly child: number;
  readonly start: number;
  readonly size: number;
}

/** Opens a compound file. Throws `invalid_request` when its tables are inconsistent. */
export function openCompoundFile(bytes: Uint8Array, fileName: string): CompoundFile {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const damaged = () =>
    new ServiceError('invalid_request', `${fileName} is damaged or was cut off: its directory cannot be read.`);
  if (!isCompoundFile(bytes) || buffer.length < 512) throw damaged();
  const sectorSize = 1 << buffer.readUInt16LE(30);
  if (sectorSize !== 512 && sectorSize !== 4096) throw damaged();
  const sectorCount = Math.floor(buffer.length / sectorSize);

  const sector = (number: number): Buffer => {
    const start = (number + 1) * sectorSize;
    if (number >= LAST_SECTOR || start >= buffer.length) throw damaged();
    return buffer.subarray(start, start + sectorSize);
  };
  const table = readAllocationTable(buffer, { sector, sectorSize, sectorCount, damaged });
  const chain = (start: number): Buffer => {
    const sectors: Buffer[] = [];
    for (let number = start; number < LAST_SECTOR; number = table[number] ?? NONE) {
      // A chain longer than the file is a cycle.
      if (sectors.length > sectorCount) throw damaged();
      sectors.push(sector(number));
    }
    return Buffer.concat(sectors);
  };

  const entries = readDirectory(chain(buffer.readUInt32LE(48)));
  const [root] = entries;
  if (root === undefined) throw damaged();
  const smallLimit = buffer.readUInt32LE(56);
  const smallTable = buffer.readUInt32LE(60) < LAST_SECTOR ? chain(buffer.readUInt32LE(60)) : Buffer.alloc(0);
  const small = root.start < LAST_SECTOR ? chain(root.start) : Buffer.alloc(0);
  const smallChain = (start: number): Buffer => {
    const sectors: Buffer[] = [];
    for (let number = start; number < LAST_SECTOR; ) {
      if (sectors.length * 64 > small.length || (number + 1) * 4 > smallTable.length) throw damaged();
      sectors.push(small.subarray(number * 64, (number + 1) * 64));
      number = smallTable.readUInt32LE(number * 4);
    }
    return Buffer.concat(sectors);
  };

  const streams = nameStreams(entries);
  return {
    names: [...streams.keys()],
    stream(name) {
      const wanted = name.toLowerCase();
      const found = [...streams].find(([key]) => key.toLowerCase() === wanted)?.[1];
      if (found === undefined) return undefined;
      const content = found.size < smallLimit ? smallChain(found.start) : chain(found.start);
      return content.subarray(0, found.size);
    },
  };
}

interface Sectors {
  readonly sector: (number: number) => Buffer;
  readonly sectorSize: number;
  readonly sectorCount: number;
  readonly damaged: () => ServiceError;
}

/** The sector allocation table; its own sectors are listed in the header and in a chain of further lists. */
function readAllocationTable(buffer: Buffer, { sector, sectorSize, sectorCount, damaged }: Sectors): Uint32Array {
  const numbers: number[] = [];
  for (let at = 76; at < 512; at += 4) numbers.push(buffer.readUInt32LE(at));
  let lists = 0;
  for (let next = buffer.readUInt32LE(68); next < LAST_SECTOR; ) {
    if (++lists > sectorCount) throw damaged();
    const list = sector(next);
    if (list.length < sectorSize) throw damaged();
    for (let at = 0; at < sectorSize - 4; at += 4) numbers.push(list.readUInt32LE(at));
    next = list.readUInt32LE(sectorSize - 4);
  }
  const used = numbers.filter((number) => number < LAST_SECTOR).slice(0, sectorCount);
  const table = new Uint32Array((used.length * sectorSize) / 4).fill(NONE);
  for (const [index, number] of used.entries()) {
    const part = sector(number);
    for (let at = 0; at + 4 <= part.length; at += 4) table[(index * sectorSize + at) / 4] = part.readUInt32LE(at);
  }
  return table;
}

function readDirectory(directory: Buffer): DirectoryEntry[] {
  const entries: DirectoryEntry[] = [];
  for (let at = 0; at + 128 <= directory.length && entries.length < MAX_ENTRIES; at += 128) {
    const nameLength = Math.min(64, directory.readUInt16LE(at + 64));
    entries.push({
      name: directory.toString('utf16le', at, at + Math.max(0, nameLength - 2)),
      kind: directory.readUInt8(at + 66),
      left: directory.readUInt32LE(at + 68),
      right: directory.readUInt32LE(at + 72),
      child: directory.readUInt32LE(at + 76),
      start: directory.readUInt32LE(at + 116),
      size: directory.readUInt32LE(at + 120),
    });
  }
  return entries;
}

const STORAGE = 1;
const STREAM = 2;

/** Entries form a tree per storage; each is visited once, which ends cycles. */
function nameStreams(entries: readonly DirectoryEntry[]): Map<string, DirectoryEntry> {
  const streams = new Map<string, DirectoryEntry>();
  const visited = new Set<number>();
  const open: { readonly index: number; readonly folder: string }[] = [
    { index: entries[0]?.child ?? NONE, folder: '' },
  ];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const { index, folder } = place;
    const entry = entries[index];
    if (entry === undefined || visited.has(index)) continue;
    visited.add(index);
    if (entry.kind === STREAM) streams.set(folder + entry.name, entry);
    if (entry.kind === STORAGE) open.push({ index: entry.child, folder: `${folder}${entry.name}/` });
    open.push({ index: entry.left, folder }, { index: entry.right, folder });
  }
  return streams;
}
