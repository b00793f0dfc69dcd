import iconv from 'iconv-lite';
import type { CompoundFile } from '../containers/compound-file.ts';
import { cleanText } from '../encoding/clean-text.ts';
import type { DocumentProperties } from '../office/office-properties.ts';

/** Property numbers in a summary stream. */
const FIELDS: Readonly<Record<number, string>> = {
  2: 'title',
  3: 'subject',
  4: 'author',
  5: 'keywords',
  12: 'created',
  13: 'modified',
};
const CODE_PAGE = 1;
const MAX_PROPERTIES = 200;

/** Document properties of an old Office file; empty when the stream is missing or damaged. */
export function readSummaryStream(file: CompoundFile): DocumentProperties {
  try {
    const stream = file.stream('\u0005SummaryInformation');
    return stream === undefined ? {} : readProperties(stream);
  } catch {
    // Missing properties do not prevent reading the document.
    return {};
  }
}

function readProperties(stream: Buffer): DocumentProperties {
  const set = stream.subarray(stream.readUInt32LE(44));
  const offsets = new Map<number, number>();
  for (let index = 0; index < Math.min(MAX_PROPERTIES, set.readUInt32LE(4)); index++)
    offsets.set(set.readUInt32LE(8 + index * 8), set.readUInt32LE(12 + index * 8));
  const codePagePlace = offsets.get(CODE_PAGE);
  const codePage = codePagePlace === undefined ? 1252 : set.readUInt16LE(codePagePlace + 4);
  const properties: Record<string, string> = {};
  for (const [number, name] of Object.entries(FIELDS)) {
    const offset = offsets.get(Number(number));
    const value = offset === undefined ? '' : readValue(set, offset, codePage);
    if (value !== '') properties[name] = value;
  }
  return properties;
}

function readValue(set: Buffer, offset: number, codePage: number): string {
  const type = set.readUInt32LE(offset);
  if (type === 30)
    return decode(set.subarray(offset + 8, offset + 8 + Math.min(2_000, set.readUInt32LE(offset + 4))), codePage);
  if (type === 31)
    return clean(set.toString('utf16le', offset + 8, offset + 8 + Math.min(4_000, set.readUInt32LE(offset + 4) * 2)));
  if (type !== 64) return '';
  // In units of 100 ns since 1601 (FILETIME).
  const milliseconds = Number(set.readBigUInt64LE(offset + 4) / 10_000n) - 11_644_473_600_000;
  return milliseconds > 0 && milliseconds < 4e12 ? new Date(milliseconds).toISOString() : '';
}

function decode(bytes: Buffer, codePage: number): string {
  if (codePage === 65_001) return clean(bytes.toString('utf8'));
  if (codePage === 1_200) return clean(bytes.toString('utf16le'));
  const name = `cp${codePage}`;
  return clean(iconv.decode(bytes, iconv.encodingExists(name) ? name : 'cp1252'));
}

const clean = (text: string): string => cleanText(text.replace(/\0[\s\S]*$/, '')).trim();
