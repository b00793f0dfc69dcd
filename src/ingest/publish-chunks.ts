import { setTimeout as sleep } from 'node:timers/promises';
import type { Document, Metadata } from '../documents/document.ts';
import { embedInBatches } from '../embeddings/embed-in-batches.ts';
import type { EmbeddingModel } from '../embeddings/embedding-model.ts';
import { ServiceError } from '../errors.ts';
import type { Corpus, NewChunk, Publication } from '../store/corpus.ts';
import type { Attempt } from '../store/taken-over.ts';
import type { VectorSpaceName } from '../store/vector-index.ts';
import type { VectorSpaces } from '../store/vector-spaces.ts';
import { embeddingText } from './embedding-text.ts';
import type { IngestEvent } from './ingestor.ts';
import type { PreparedDocument } from './preparation-job.ts';
import type { SplitChunk } from './split-text.ts';

export interface ChunksToPublish {
  readonly corpus: Corpus;
  readonly spaces: Pick<VectorSpaces, 'claim'>;
  readonly embeddings: EmbeddingModel;
  readonly document: Document;
  /** The attempt that the writes belong to. */
  readonly held: Attempt;
  readonly settings: Metadata;
  readonly prepared: PreparedDocument;
  /** The model that summarises the document after it is published. */
  readonly summaryModel: string | undefined;
  readonly signal: AbortSignal;
}

/** Chunks embedded and staged per batch: enough to use the embedder well, few enough to show progress. */
const BATCH = 256;

/**
 * Embeds the chunks of a document, then makes all of them visible together. Visible chunks with the same text and the
 * same embedded text are reused.
 */
export async function* publishChunks(parts: ChunksToPublish): AsyncGenerator<IngestEvent, Document> {
  const { corpus, embeddings, document, held, signal } = parts;
  for (;;) {
    const space = await embeddings.space(signal);
    try {
      return yield* publishIn(space, parts);
    } catch (error) {
      // The corpus has switched to another embedder meanwhile; the document is embedded again in the new vector space.
      if (!(error instanceof ServiceError) || error.code !== 'embedding_mismatch') throw error;
      if (!(await waitForSpaceSwitch(embeddings, space, signal))) throw error;
      await corpus.setStatus(document.id, 'parsing', held);
    }
  }
}

/**
 * Waits until the embedder of this process has left a vector space: the records switch first, the embedder a moment
 * later. Returns false on timeout.
 */
async function waitForSpaceSwitch(
  embeddings: EmbeddingModel,
  from: VectorSpaceName,
  signal: AbortSignal,
): Promise<boolean> {
  const deadline = performance.now() + SPACE_SWITCH_TIMEOUT_MS;
  for (;;) {
    const { embedder, version, dimensions } = await embeddings.space(signal);
    if (embedder !== from.embedder || version !== from.version || dimensions !== from.dimensions) return true;
    if (performance.now() > deadline) return false;
    await sleep(SPACE_SWITCH_TIMEOUT_MS / 20, undefined, { signal });
  }
}

const SPACE_SWITCH_TIMEOUT_MS = 1_000;

async function* publishIn(space: VectorSpaceName, parts: ChunksToPublish): AsyncGenerator<IngestEvent, Document> {
  const { corpus, spaces, embeddings, document, settings, prepared, signal } = parts;
  const { chunks } = prepared;
  const attempt = parts.held;
  await spaces.claim(space);
  const publication = toPublication(parts);
  const title = titleFor(document, settings, prepared);

  const described = chunks.map((chunk) => withEmbeddedText(chunk, title));
  const kept = await corpus.keep(document.id, { title, chunks: described }, { attempt, status: 'embedding' });
  yield { type: 'status', status: 'embedding' };
  const changed = described.filter(({ order }) => !kept.has(order));
  if (changed.length === 0) await corpus.setStatus(document.id, 'storing', attempt);
  // A single batch is stored when it is published, in one transaction instead of two.
  let unstaged: NewChunk[] = [];
  for (let done = 0; done < changed.length; ) {
    const batch = changed.slice(done, done + BATCH);
    const texts = batch.map(({ embeddedText }) => embeddedText);
    const vectors = await embedInBatches(embeddings, texts, { kind: 'passage', signal });
    signal.throwIfAborted();
    done += batch.length;
    const embedded = batch.flatMap((chunk, index) => withVector(chunk, vectors[index]));
    if (changed.length <= BATCH) unstaged = embedded;
    else {
      const status = done === changed.length ? 'storing' : undefined;
      await corpus.stage(document.id, embedded, { embeddedIn: space, attempt, status });
    }
    yield { type: 'progress', stage: 'embedding', done: kept.size + done, total: chunks.length };
  }

  yield { type: 'status', status: 'storing' };
  signal.throwIfAborted();
  return corpus.publish(document.id, {
    ...publication,
    attempt,
    chunkCount: chunks.length,
    ...(unstaged.length > 0 && { chunks: unstaged, embeddedIn: space }),
  });
}

function withEmbeddedText(chunk: SplitChunk, title: string) {
  const { text, order, start, end, page, headingPath, context } = chunk;
  const placed = context === undefined ? {} : { context };
  return { text, order, start, end, page, headingPath, ...placed, embeddedText: embeddingText({ ...chunk, title }) };
}

const withVector = (chunk: ReturnType<typeof withEmbeddedText>, vector: Float32Array | undefined): NewChunk[] =>
  vector === undefined ? [] : [{ ...chunk, vector }];

function toPublication({ document, settings, prepared, summaryModel }: ChunksToPublish): Publication {
  const { text, pages, headings, summary, totalTokens } = prepared;
  const given = settings['given_metadata'];
  const fromCaller = new Set<unknown>(Array.isArray(given) ? given : []);
  // Metadata given by the caller overrides the document's own.
  const metadata = Object.fromEntries(Object.entries(prepared.metadata).filter(([name]) => !fromCaller.has(name)));
  const title = ownTitle(document, settings, prepared);
  return {
    text,
    pages,
    headings,
    summary,
    totalTokens,
    metadata,
    ...(title === undefined ? {} : { title }),
    ...(summaryModel === undefined ? {} : { summaryModel }),
  };
}

/** The title of the published document. */
export const titleFor = (document: Document, settings: Metadata, prepared: PreparedDocument): string =>
  ownTitle(document, settings, prepared) ?? document.title;

/**
 * By contract a document's title is the caller's title or its file name (docs/contract.md 6.2). A title from the
 * author's metadata counts as given; a web page has no meaningful file name, so its own title is used.
 */
function ownTitle(document: Document, settings: Metadata, { title, metadata }: PreparedDocument): string | undefined {
  if (settings['given_title'] === true || title === undefined) return undefined;
  return metadata['title'] === title || /^https?:/.test(document.source ?? '') ? title : undefined;
}
