import { pathToFileURL } from 'node:url';
import { hashFile } from '../shared/hash-file.ts';
import type { FileSource, IngestSource } from './find-sources.ts';
import type { IngestItem } from './folders/folder-target.ts';
import { refuseLarge } from './folders/supported-files.ts';
import type { UnchangedContent } from './unchanged-contents.ts';

const FILES_PER_REQUEST = 100;

/** With the identifier of the document of an unchanged file, which need not be sent. */
export type CheckedSource = readonly [source: IngestSource, unchangedId?: string | undefined];

export interface UnchangedOptions {
  /** See the function of that name in unchanged-contents.ts. */
  readonly unchangedContents: (
    sources: readonly string[],
    fields: Pick<IngestItem, 'metadata' | 'collections'>,
  ) => Promise<readonly (UnchangedContent | undefined)[]>;
  readonly metadata: IngestItem['metadata'];
  readonly collections: IngestItem['collections'];
  readonly maxBytes?: number | undefined;
  readonly stop: AbortSignal;
}

/**
 * Finds the unchanged files among the sources: those with the size and the hash of their documents, if nothing else of
 * these would change either. Files come in their order, and before the pages that follow them.
 */
export async function* withUnchanged(
  found: AsyncIterable<IngestSource>,
  { unchangedContents, metadata, collections, maxBytes, stop }: UnchangedOptions,
): AsyncGenerator<CheckedSource, void> {
  const batch: FileSource[] = [];
  const checked = async function* () {
    const files = batch.splice(0);
    if (files.length === 0 || stop.aborted) return;
    const contents = await unchangedContents(files.map(sourceOf), { metadata, collections });
    for (const [index, file] of files.entries()) {
      if (stop.aborted) return;
      yield [file, await documentIfUnchanged(file, contents[index], maxBytes)] as const;
    }
  };
  try {
    for await (const source of found) {
      if (source.kind === 'file') batch.push(source);
      // Fetching the next page takes long.
      const isPage = source.kind === 'page' || source.kind === 'url';
      if (isPage || batch.length === FILES_PER_REQUEST) yield* checked();
      if (source.kind !== 'file') yield [source];
    }
  } catch (error) {
    // What was found before is still ingested.
    yield* checked();
    throw error;
  }
  yield* checked();
}

const sourceOf = ({ name }: FileSource): string => pathToFileURL(name).href;

async function documentIfUnchanged(
  { name, sizeInBytes }: FileSource,
  content: UnchangedContent | undefined,
  maxBytes: number | undefined,
): Promise<string | undefined> {
  if (content === undefined || content.sizeInBytes !== sizeInBytes) return undefined;
  try {
    await refuseLarge(name, sizeInBytes, maxBytes);
    return (await hashFile(name)) === content.contentHash ? content.documentId : undefined;
  } catch {
    // Its ingestion reports what is wrong.
    return undefined;
  }
}
