import { parentPort } from 'node:worker_threads';
import { errorMessage } from '../shared/error-message.ts';
import { type CommunityGroup, findCommunities } from './find-communities.ts';
import type { ExtractedGraph, GraphExtractor } from './graph.ts';
import { createNounPhraseExtractor } from './noun-phrases/noun-phrase-extractor.ts';

/** Tasks for the thread. */
export type GraphJob =
  | { readonly kind: 'extract'; readonly document: Parameters<GraphExtractor['extract']>[0] }
  | { readonly kind: 'communities'; readonly graph: ExtractedGraph };

/** Replies of the thread. */
export type GraphReply =
  | { readonly kind: 'extracted'; readonly graph: ExtractedGraph }
  | { readonly kind: 'grouped'; readonly groups: readonly CommunityGroup[] }
  | { readonly kind: 'failed'; readonly reason: string };

const extractor = createNounPhraseExtractor();
// The thread is terminated from outside on time-out, so this signal is never aborted.
const neverAborted = new AbortController().signal;

parentPort?.on('message', async (job: GraphJob) => {
  parentPort?.postMessage(await answer(job));
});

async function answer(job: GraphJob): Promise<GraphReply> {
  try {
    if (job.kind === 'communities') return { kind: 'grouped', groups: findCommunities(job.graph) };
    return { kind: 'extracted', graph: await extractor.extract(job.document, neverAborted) };
  } catch (error) {
    return { kind: 'failed', reason: errorMessage(error) };
  }
}
