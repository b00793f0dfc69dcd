/** The initial dictionary of compressed RTF (MS-OXRTFCP). */
const KNOWN =
  '{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx';
const PACKED = 0x75465a4c;
const PLAIN = 0x414c454d;
const WINDOW = 4_096;
const MAX_BYTES = 20_000_000;

/** Decompresses the RTF body of an Outlook mail; undefined when it is not compressed RTF or is damaged at the start. */
export function unpackRtf(packed: Buffer): Buffer | undefined {
  if (packed.length < 16) return undefined;
  const kind = packed.readUInt32LE(8);
  if (kind === PLAIN) return packed.subarray(16);
  if (kind !== PACKED) return undefined;
  const size = Math.min(packed.readUInt32LE(4), MAX_BYTES);
  const window = Buffer.alloc(WINDOW, ' ');
  let write = window.write(KNOWN, 'latin1');
  const out = Buffer.alloc(size);
  let length = 0;
  const put = (byte: number) => {
    out[length++] = byte;
    window[write] = byte;
    write = (write + 1) % WINDOW;
  };
  for (let at = 16; at < packed.length && length < size; ) {
    const flags = packed[at++] ?? 0;
    for (let bit = 0; bit < 8 && at < packed.length && length < size; bit++) {
      if (((flags >> bit) & 1) === 0) {
        put(packed[at++] ?? 0);
        continue;
      }
      if (at + 1 >= packed.length) return out.subarray(0, length);
      const reference = packed.readUInt16BE(at);
      at += 2;
      const from = reference >> 4;
      // A reference to the write position marks the end.
      if (from === write) return out.subarray(0, length);
      for (let index = 0; index < (reference & 0xf) + 2 && length < size; index++)
        put(window[(from + index) % WINDOW] ?? 0);
    }
  }
  return out.subarray(0, length);
}
