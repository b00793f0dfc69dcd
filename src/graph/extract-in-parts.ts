import type { DocumentGraphRecords, ExtractionTask } from '../store/graph-records.ts';
import type { ExtractedGraph, GraphExtractor } from './graph.ts';
import { mergeGraphs } from './merge-graphs.ts';

/** Number of chunks after which a model's result is saved, i.e. the maximum loss on interruption. */
const CHUNKS_PER_PART = 16;

export interface ExtractInPartsOptions {
  readonly extractor: GraphExtractor;
  readonly records: Pick<DocumentGraphRecords, 'parts' | 'keepPart'>;
  readonly signal: AbortSignal;
}

/**
 * Extracts the graph of a document. An extraction that costs money runs in parts, each saved on completion, so that it
 * can resume after an interruption; a free one runs in a single pass.
 */
export async function extractInParts(
  task: ExtractionTask,
  { extractor, records, signal }: ExtractInPartsOptions,
): Promise<ExtractedGraph> {
  const { title, chunks } = task;
  if (extractor.name.startsWith('builtin/') || chunks.length <= CHUNKS_PER_PART) {
    return extractor.extract({ title, chunks }, signal);
  }
  const kept = await records.parts(task, extractor.name);
  const graphs: ExtractedGraph[] = [];
  for (let part = 0; part * CHUNKS_PER_PART < chunks.length; part++) {
    signal.throwIfAborted();
    const known = kept.get(part);
    if (known !== undefined) {
      graphs.push(known);
      continue;
    }
    const some = chunks.slice(part * CHUNKS_PER_PART, (part + 1) * CHUNKS_PER_PART);
    const graph = await extractor.extract({ title, chunks: some }, signal);
    await records.keepPart(task, extractor.name, part, graph);
    graphs.push(graph);
  }
  return mergeGraphs(graphs);
}
