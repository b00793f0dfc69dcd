import type { Client } from '@modelcontextprotocol/client';
import { estimateTokens } from '../../src/documents/estimate-tokens.ts';
import { splitSentences } from '../../src/documents/sentences.ts';
import { analyse, analyseQuery } from '../../src/store/full-text/analyse.ts';

export interface Passage {
  readonly marker: string;
  readonly title: string;
  readonly text: string;
  readonly missing_chars?: number;
}

export interface Work {
  /** The passages of the first result. */
  readonly first: readonly Passage[];
  /** The draft answer: the sentence that shares most words with the question, with its citation. */
  readonly draft: string;
  /** Whether check_citations found the draft supported. */
  readonly isSupported: boolean;
  /** Estimated tokens of all tool results. */
  readonly tokens: number;
  readonly calls: number;
}

/** Below this coverage, a search result itself says that it hardly answers the query. */
const LOW_COVERAGE = 0.5;

/**
 * An assistant without a model. It searches with the question. If coverage is low and the result names words that no
 * passage contains, it searches once more without them. If its best sentence comes from an excerpt, it reads the whole
 * passage. Finally it has its draft checked.
 */
export async function work(client: Client, question: string): Promise<Work> {
  let tokens = 0;
  let calls = 0;
  const call = async <Data>(name: string, given: Record<string, unknown>): Promise<Data> => {
    const result = await client.callTool({ name, arguments: given });
    const text = result.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
    if (result.isError) throw new Error(`${name}: ${text}`);
    tokens += estimateTokens(text);
    calls++;
    return result.structuredContent as Data;
  };
  const search = (query: string) => call<SearchResult>('search_file_knowledge', { query });

  const { results: first, coverage } = await search(question);
  const missing = coverage?.missing_words ?? [];
  let passages = first;
  if (missing.length > 0 && (coverage?.score ?? 1) < LOW_COVERAGE) {
    const left = question.split(/\s+/).filter((word) => !missing.includes(word.replace(/\W+$/, '').toLowerCase()));
    passages = [...first, ...(await search(left.join(' '))).results];
  }
  let best = bestSentence(question, passages);
  if ((best?.passage.missing_chars ?? 0) > 0) {
    const around = { around_chunk_id: best?.passage.marker, before: 0, after: 0 };
    const { chunks } = await call<{ readonly chunks: readonly Passage[] }>('content', around);
    best = bestSentence(question, chunks);
  }
  const draft = best === undefined ? '' : `“${best.sentence}” ${best.passage.marker}`;
  const { supported, total } = await call<{ supported: number; total: number }>('check_citations', { answer: draft });
  return { first, draft, isSupported: total > 0 && supported === total, tokens, calls };
}

interface SearchResult {
  readonly results: readonly Passage[];
  readonly coverage?: { readonly score: number; readonly missing_words: readonly string[] };
}

/** The sentence with the most terms of the question; a tie goes to the better-ranked passage. */
function bestSentence(question: string, passages: readonly Passage[]) {
  const terms = new Set(analyseQuery(question));
  let best: { readonly sentence: string; readonly passage: Passage; readonly score: number } | undefined;
  for (const passage of passages) {
    for (const { start, end } of splitSentences(passage.text)) {
      const sentence = passage.text.slice(start, end);
      const score = new Set(analyse(sentence).filter((term) => terms.has(term))).size;
      if (score > (best?.score ?? 0)) best = { sentence, passage, score };
    }
  }
  return best;
}
