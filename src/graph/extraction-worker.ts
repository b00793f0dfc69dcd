import { parentPort } from 'node:worker_threads';
import type { ExtractedGraph, GraphExtractor } from './graph.ts';
import { createNounPhraseExtractor } from './noun-phrases/noun-phrase-extractor.ts';

/** What the thread answers to a document. */
export type ExtractionReply =
  | { readonly kind: 'extracted'; readonly graph: ExtractedGraph }
  | { readonly kind: 'failed'; readonly reason: string };

const extractor = createNounPhraseExtractor();
// The thread is ended from outside when time is up, so nothing in here needs to be asked to stop.
const endless = new AbortController().signal;

parentPort?.on('message', async (document: Parameters<GraphExtractor['extract']>[0]) => {
  parentPort?.postMessage(await answer(document));
});

async function answer(document: Parameters<GraphExtractor['extract']>[0]): Promise<ExtractionReply> {
  try {
    return { kind: 'extracted', graph: await extractor.extract(document, endless) };
  } catch (error) {
    return { kind: 'failed', reason: error instanceof Error ? error.message : String(error) };
  }
}
