const LOCAL = 'PK\x03\x04';
const DIRECTORY = 'PK\x01\x02';
const END = 'PK\x05\x06';
/** All offsets are multiples of this, so that removing a prefix does not affect parsing the rest. */
const STEP = 64;
const NAME = 'a.zip';

/**
 * A zip quine: an archive whose only entry is the archive itself, from its second step on, so that unpacking continues
 * as long as there are steps. With `copies`, a directory that lists one stored file that many times instead.
 */
export function makeSelfContainingZip({ copies = 0, content }: { copies?: number; content?: Buffer } = {}): Uint8Array {
  if (content !== undefined) return overlapping(copies, content);
  const steps = 200;
  const body = Buffer.alloc(steps * STEP * 2);
  for (let step = 0; step < steps; step++) {
    localHeader(STEP - 30 - NAME.length, 0xfffffff).copy(body, step * STEP);
    entry({ size: 0xfffffff, offset: 0 }).copy(body, (steps + step) * STEP);
  }
  return new Uint8Array(Buffer.concat([body, end(1, steps * STEP)]));
}

function overlapping(copies: number, content: Buffer): Uint8Array {
  const file = Buffer.concat([localHeader(0, content.length), content]);
  const list = Array.from({ length: copies }, () => entry({ size: content.length, offset: 0, name: 'a.txt' }));
  return new Uint8Array(Buffer.concat([file, ...list, end(copies, file.length)]));
}

function localHeader(extra: number, size: number): Buffer {
  const header = Buffer.alloc(30 + NAME.length + extra);
  header.write(LOCAL, 0, 'latin1');
  header.writeUInt32LE(size, 18);
  header.writeUInt32LE(size, 22);
  header.writeUInt16LE(NAME.length, 26);
  header.writeUInt16LE(extra, 28);
  header.write(NAME, 30);
  return header;
}

function entry({ size, offset, name = NAME }: { size: number; offset: number; name?: string }): Buffer {
  const bytes = Buffer.alloc(46 + name.length);
  bytes.write(DIRECTORY, 0, 'latin1');
  bytes.writeUInt32LE(size, 20);
  bytes.writeUInt32LE(size, 24);
  bytes.writeUInt16LE(name.length, 28);
  bytes.writeUInt32LE(offset, 42);
  bytes.write(name, 46);
  return bytes;
}

function end(count: number, offset: number): Buffer {
  const bytes = Buffer.alloc(22);
  bytes.write(END, 0, 'latin1');
  bytes.writeUInt16LE(count, 8);
  bytes.writeUInt16LE(count, 10);
  bytes.writeUInt32LE(offset, 16);
  return bytes;
}
