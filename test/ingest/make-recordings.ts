const padded = (...parts: readonly (string | readonly number[])[]): Buffer =>
  Buffer.concat([
    ...parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))),
    Buffer.alloc(600),
  ]);

/** The beginning of a recording of each format, by which it is recognised; there is no sound in them. */
export const recordings: Readonly<Record<string, Buffer>> = {
  mp3: padded('ID3\u0003'),
  wav: padded('RIFF', [36, 2, 0, 0], 'WAVEfmt '),
  m4a: padded([0, 0, 0, 24], 'ftypM4A ', [0, 0, 0, 0], 'M4A mp42'),
  ogg: padded('OggS', [0, 2, ...Array.from({ length: 20 }, () => 0), 1, 30], '\u0001vorbis'),
  flac: padded('fLaC', [0, 0, 0, 34]),
  webm: padded([0x1a, 0x45, 0xdf, 0xa3, 0x87, 0x42, 0x82, 0x84], 'webm'),
  mp4: padded([0, 0, 0, 24], 'ftypisom', [0, 0, 2, 0], 'isommp42'),
  mpeg: padded([0, 0, 1, 0xba, 0x44]),
};
