import { createHash } from 'node:crypto';
import type { ScoredChunk } from '../../../src/documents/chunk.ts';
import { defaultCollectionId, documentId } from '../../../src/documents/ids.ts';
import type { EmbeddingModel } from '../../../src/embeddings/embedding-model.ts';
import { ServiceError } from '../../../src/errors.ts';
import type { Ingestor, Submission } from '../../../src/ingest/ingestor.ts';
import type { Answerer } from '../../../src/rag/rag-event.ts';
import type { Retriever } from '../../../src/retrieval/retriever.ts';
import type { Corpus } from '../../../src/store/corpus.ts';
import type { VectorSpaces } from '../../../src/store/vector-spaces.ts';

const DIMENSIONS = 16;

/** Vectors of hashed words. */
export const wordEmbeddings: EmbeddingModel = {
  name: 'test/words',
  isLexical: true,
  space: async () => ({ embedder: 'test/words', version: '1', dimensions: DIMENSIONS }),
  embed: async (texts) => texts.map(embedWords),
};

function embedWords(text: string): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  for (const word of wordsOf(text)) {
    const slot = createHash('sha1').update(word).digest().readUInt8(0) % DIMENSIONS;
    vector[slot] = (vector[slot] ?? 0) + 1;
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/\p{L}+|\d+/gu) ?? [];

/** An ingestor of plain text and JSON, one chunk per paragraph; over the real corpus. */
export function paragraphIngestor(corpus: Corpus, spaces: VectorSpaces): Ingestor {
  return {
    async submit(submission) {
      const bytes = bytesOf(submission);
      const { content, ownerId, title, metadata, settings } = submission;
      const name = content.kind === 'file' ? content.fileName : undefined;
      const type = name?.split('.').at(-1) ?? 'txt';
      if (!['txt', 'md', 'json', 'html'].includes(type)) {
        throw new ServiceError('unsupported_type', `Files of type "${type}" cannot be read.`);
      }
      const same = await corpus.findByContent(ownerId, createHash('sha256').update(bytes).digest('hex'));
      if (same !== undefined && submission.id === undefined) return { kind: 'duplicate', document: same };
      const document = await corpus.begin(
        {
          id: submission.id ?? documentId(title ?? name ?? Buffer.from(bytes).toString(), ownerId),
          ownerId,
          collectionIds:
            submission.collectionIds.length > 0 ? submission.collectionIds : [defaultCollectionId(ownerId)],
          type,
          title: title ?? name ?? 'N/A',
          metadata,
          source: submission.source ?? null,
          fileName: name ?? `${title ?? 'N/A'}.txt`,
          mediaType: type === 'html' ? 'text/html' : type === 'json' ? 'application/json' : 'text/plain',
          bytes,
          settings: { ...settings },
        },
        { replace: submission.replace ?? false },
      );
      return { kind: 'accepted', document };
    },
    async *run(id) {
      const text = Buffer.from((await corpus.bytesOf(id)) ?? []).toString();
      await corpus.setStatus(id, 'parsing');
      const begun = await corpus.get(id);
      if (begun?.type === 'json') {
        try {
          JSON.parse(text);
        } catch {
          const error = new ServiceError('invalid_request', 'The file is not valid JSON.');
          await corpus.fail(id, error.message);
          yield { type: 'failed', document: (await corpus.get(id)) ?? begun, error };
          return;
        }
      }
      await spaces.claim(await wordEmbeddings.space());
      const pieces = [...text.matchAll(/[^\n]+/g)];
      const vectors = await wordEmbeddings.embed(
        pieces.map(([piece]) => piece),
        'passage',
      );
      await corpus.stage(
        id,
        pieces.map(([piece, ...rest], order) => ({
          text: piece,
          order,
          start: pieces[order]?.index ?? rest.length,
          end: (pieces[order]?.index ?? 0) + piece.length,
          page: null,
          headingPath: [],
          vector: vectors[order] ?? new Float32Array(DIMENSIONS),
        })),
      );
      const document = await corpus.publish(id, { text, pages: [], summary: null, totalTokens: 1 });
      yield { type: 'done', document };
    },
    resume: async () => ({ finished: 0, failed: 0 }),
  };
}

function bytesOf({ content }: Submission): Uint8Array {
  switch (content.kind) {
    case 'file':
      return content.bytes;
    case 'text':
      return Buffer.from(content.text);
    case 'chunks':
      return Buffer.from(content.chunks.join('\n'));
  }
}

/** A retriever by shared words. */
export function wordRetriever(corpus: Corpus): Retriever {
  return {
    async search(query, settings) {
      const words = wordsOf(query);
      const found: ScoredChunk[] = [];
      for (const document of (await corpus.list(settings.filter, { offset: 0, limit: 1000 })).items) {
        for (const chunk of (await corpus.chunksOf(document.id, { offset: 0, limit: 1000 })).items) {
          const shared = words.filter((word) => wordsOf(chunk.text).includes(word)).length;
          if (shared > 0) found.push({ ...chunk, score: shared / words.length });
        }
      }
      found.sort((one, two) => two.score - one.score);
      return {
        chunks: found.slice(settings.offset, settings.offset + settings.limit),
        explanation: {
          kind: settings.kind ?? 'hybrid',
          strategy: settings.strategy,
          embedder: wordEmbeddings.name,
          hybrid: null,
          semanticHits: null,
          fullTextHits: found.length,
          terms: words,
          milliseconds: { embed: 0, semantic: 0, fullText: 0 },
          notes: [],
        },
      };
    },
  };
}

/** An answerer that quotes the best passage. */
export function quotingAnswerer(retriever: Retriever): Answerer {
  return {
    async *answer({ query, search }, signal) {
      const outcome = await retriever.search(query, search, signal);
      yield { type: 'search_results', outcome };
      const [chunk] = outcome.chunks;
      const text = chunk === undefined ? 'Nothing found.' : `${chunk.text} [1]`;
      yield { type: 'message', text };
      const span = { start: text.length - 3, end: text.length };
      const citations =
        chunk === undefined
          ? []
          : [{ id: 'cit.1', number: 1, source: { kind: 'chunk', chunk }, spans: [span], quotes: [chunk] } as const];
      for (const citation of citations) yield { type: 'citation', citation, isNew: true, span };
      yield {
        type: 'final_answer',
        answer: {
          text,
          citations,
          search: outcome,
          model: 'builtin/extractive',
          mode: 'extractive',
          stopReason: 'end',
          usage: { input: 0, cachedInput: 0, output: 0, reasoning: 0 },
        },
      };
    },
  };
}
