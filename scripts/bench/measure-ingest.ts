import { Buffer } from 'node:buffer';
import type { ChromaClient } from 'chromadb';
import { defaultAdmin } from '../../src/access/principal.ts';
import type { EmbeddingModel } from '../../src/embeddings/embedding-model.ts';
import type { Ingestor } from '../../src/ingest/ingestor.ts';
import type { PseudoText } from './pseudo-text.ts';
import { timed } from './timing.ts';

export interface IngestBench {
  readonly ingestor: Ingestor;
  /** Writes to the index what it lacks of the records. */
  updateIndex(): Promise<void>;
  readonly embedder: EmbeddingModel;
  readonly text: PseudoText;
  /** A separate collection of the same Chroma server. */
  readonly chroma: ReturnType<ChromaClient['collection']>;
  readonly documents: number;
}

/** Chunks per second. */
export interface IngestRates {
  readonly chunks: number;
  readonly ours: number;
  /** The same chunks embedded and inserted into a Chroma collection, document by document. */
  readonly bare: number;
}

const DOCUMENTS_PER_TURN = 20;
const CONCURRENCY = 4;
/** Above all numbers of documents that are loaded later. */
const FIRST_NUMBER = 10_000_000;

/**
 * Ingests files through the real ingestor, until the index has them, alternating with a bare embedder and Chroma. The
 * embedder is loaded before, and each side comes first in every second turn, since the embedder remembers the words of
 * the texts: those that embed a text again are faster.
 */
export async function measureIngest(bench: IngestBench): Promise<IngestRates> {
  const { text } = bench;
  const spent = { ours: 0, bare: 0 };
  let chunks = 0;
  await bench.embedder.embed(['load the embedder'], 'passage');
  for (let done = 0; done < bench.documents; done += DOCUMENTS_PER_TURN) {
    const { documents, files, chunks: own } = pseudoFiles(text, done, DOCUMENTS_PER_TURN);
    chunks += own;
    const sides = {
      ours: async () => {
        await ingestAll(bench.ingestor, files);
        await bench.updateIndex();
      },
      bare: async () => {
        for (const [index, { paragraphs }] of documents.entries()) {
          const vectors = await bench.embedder.embed(paragraphs, 'passage');
          await bench.chroma.upsert({
            ids: paragraphs.map((_, order) => `${done + index}-${order}`),
            embeddings: vectors.map((vector) => Array.from(vector)),
          });
        }
      },
    };
    const order = (done / DOCUMENTS_PER_TURN) % 2 === 0 ? (['ours', 'bare'] as const) : (['bare', 'ours'] as const);
    for (const side of order) {
      const took = await timed(sides[side]);
      spent[side] += took;
    }
  }
  return { chunks, ours: (1000 * chunks) / spent.ours, bare: (1000 * chunks) / spent.bare };
}

/** Files of generated documents, starting at `first`, that differ from all loaded ones. */
export function pseudoFiles(text: PseudoText, first: number, length: number) {
  const documents = Array.from({ length }, (_, index) => text.document(FIRST_NUMBER + first + index));
  const files = documents.map(({ title, paragraphs }, index) => ({
    fileName: `${title} ${first + index}.txt`,
    bytes: Buffer.from(paragraphs.join('\n\n')),
  }));
  return { documents, files, chunks: documents.reduce((sum, { paragraphs }) => sum + paragraphs.length, 0) };
}

export async function ingestAll(
  ingestor: Ingestor,
  files: readonly { readonly fileName: string; readonly bytes: Uint8Array }[],
): Promise<void> {
  const waiting = [...files];
  const never = new AbortController().signal;
  const worker = async () => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      const { document } = await ingestor.submit({
        content: { kind: 'file', ...file },
        ownerId: defaultAdmin.userId,
        metadata: {},
        collectionIds: [],
        settings: {},
      });
      for await (const event of ingestor.run(document.id, never)) if (event.type === 'failed') throw event.error;
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}
