import { createCipheriv } from 'node:crypto';
import { detectType } from '../../../src/ingest/readers/detect-type.ts';
import { readDocument } from '../../../src/ingest/readers/index.ts';
import type { ReadDocument } from '../../../src/ingest/readers/reader.ts';

const asBytes = (content: string | Uint8Array): Uint8Array =>
  typeof content === 'string' ? new TextEncoder().encode(content) : content;

/** Reads a file as ingestion does: detects its type, then calls that reader. */
export async function readFile(
  fileName: string,
  content: string | Uint8Array,
): Promise<ReadDocument & { type: string }> {
  const bytes = asBytes(content);
  const { type } = await detectType({ bytes, fileName });
  return { ...(await readDocument(type, { bytes, fileName, signal: new AbortController().signal })), type };
}

export const typeOf = async (fileName: string, content: string | Uint8Array, mediaType?: string): Promise<string> =>
  (await detectType({ bytes: asBytes(content), fileName, ...(mediaType === undefined ? {} : { mediaType }) })).type;

/** Kind and text of each block. */
export const blocksOf = ({ text, blocks }: ReadDocument): [string, string][] =>
  blocks.map(({ kind, level, start, end }) => [
    level === undefined ? kind : `${kind} ${level}`,
    text.slice(start, end),
  ]);

/** Bytes without any pattern, the same in every run: of random strings of 64 bytes, one in a hundred looks like text. */
export const noise = (size: number): Buffer =>
  createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16)).update(Buffer.alloc(size));
