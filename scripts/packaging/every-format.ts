import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import type { Client } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { readableTypes } from '../../src/ingest/readers/file-types.ts';
import { makeCab, makeRar, makeSevenZip } from '../../test/ingest/make-packed.ts';
import { makeBmp, makeExif, makeHeic, makeJpeg, makePng, makeTiff } from '../../test/ingest/make-pictures.ts';
import { recordings } from '../../test/ingest/make-recordings.ts';
import { allSamples } from '../../test/ingest/readers/hostile/text-samples.ts';

/** A word that every sample contains. */
const WORD = 'harbour';
/** The text that the (fake) image reader returns for every image. */
export const IMAGE_TEXT = `The ferry leaves the ${WORD} at nine in the morning.`;
const CALL_TIMEOUT_MS = 60_000;

type Samples = Readonly<Record<string, () => Uint8Array | Promise<Uint8Array>>>;

const ofRows = (is: (type: (typeof readableTypes)[number]) => boolean | undefined, make: () => Uint8Array): Samples =>
  Object.fromEntries(readableTypes.filter(is).map(({ extensions: [extension] }) => [`code.${extension}`, make]));

const note = { name: 'note.txt', content: IMAGE_TEXT };

/** A small file of each format that can be read without further settings. */
export const textSamples: Samples = {
  ...ofRows(
    ({ isCode }) => isCode,
    () => Buffer.from(`${IMAGE_TEXT}\n\nleave() { return 9; }\n`),
  ),
  ...allSamples,
  'a.7z': () => makeSevenZip([note]),
  'a.rar': () => makeRar([note]),
  'a.cab': () => makeCab(note),
  'note.txt.bz2': () => makeSevenZip([note], { type: 'bzip2' }),
  'note.txt.xz': () => makeSevenZip([note], { type: 'xz' }),
  'note.txt.zst': () => zstdCompressSync(note.content),
};

/** A small file of each supported image format. */
export const imageSamples: Samples = {
  'a.png': () => makePng(),
  'a.jpg': () => makeJpeg(300, 200, makeExif({})),
  'a.gif': () => Buffer.from('R0lGODlhAQABAAAAACH5BAEAAAAALAAAAAABAAEAAAIBAAA=', 'base64'),
  'a.webp': () => Buffer.from('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==', 'base64'),
  'a.bmp': () => makeBmp([200, 100, 50]),
  'a.tiff': () => makeTiff([90]),
  'a.heic': () => makeHeic(),
};

/** The beginning of a recording in each supported format. */
export const recordingSamples: Samples = Object.fromEntries(
  Object.entries(recordings).map(([type, bytes]) => [`a.${type}`, () => bytes]),
);

const ingested = z.object({ document_id: z.string() });
const found = z.object({ results: z.array(z.object({ document_id: z.string(), text: z.string() })) });

export function formatsWithoutSample(): string[] {
  const names = Object.keys({ ...textSamples, ...imageSamples, ...recordingSamples });
  return readableTypes
    .filter(({ extensions }) => !extensions.some((extension) => names.some((name) => name.endsWith(`.${extension}`))))
    .map(({ type }) => type);
}

/** Ingests each sample and searches for a word; returns the failures by file name. */
export async function ingestSamples(
  client: Client,
  folder: string,
  samples: Samples,
): Promise<Readonly<Record<string, string>>> {
  const failures: Record<string, string> = {};
  const call = async (name: string, args: Record<string, unknown>) => {
    const result = await client.callTool({ name, arguments: args }, { timeout: CALL_TIMEOUT_MS });
    if (result.isError === true) throw new Error(JSON.stringify(result.content).slice(0, 400));
    return result.structuredContent;
  };
  for (const [name, make] of Object.entries(samples)) {
    const path = join(folder, name);
    writeFileSync(path, await make());
    try {
      const { document_id } = ingested.parse(await call('ingest_file', { path }));
      const filters = { document_id: { $eq: document_id } };
      const { results } = found.parse(await call('search_file_knowledge', { query: WORD, filters }));
      if (!results.some(({ text }) => text.includes(WORD))) failures[name] = `"${WORD}" is not found in it`;
    } catch (error) {
      failures[name] = error instanceof Error ? error.message : String(error);
    }
  }
  return failures;
}
