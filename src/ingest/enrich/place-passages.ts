import { createHash } from 'node:crypto';
import pLimit from 'p-limit';
import { estimateTokens } from '../../documents/estimate-tokens.ts';
import { ServiceError } from '../../errors.ts';
import type { GenerationConfig } from '../../models/generation-config.ts';
import type { Model } from '../../models/model.ts';
import { costOf, type Price } from '../../models/prices.ts';
import { fillTemplate } from '../../prompts/template.ts';
import type { ChunkContextRecords } from '../../store/chunk-context-records.ts';
import type { Passage } from '../split-text.ts';
import { withinTags, writeText } from './write-text.ts';

export interface PassagesToPlace {
  readonly documentId: string;
  readonly title: string;
  /** What the document is about, as far as is known. */
  readonly summary: string | null;
  readonly passages: readonly Passage[];
}

export interface PlacingParts {
  readonly model: Model;
  readonly records: ChunkContextRecords;
  /** The prompt, with its placeholders. */
  readonly template: string;
  readonly generation: GenerationConfig;
  /** Passages before and after that the model reads along. */
  readonly neighbours: number;
}

export interface PlacingEstimate {
  readonly model: string;
  readonly passages: number;
  /** Those that were placed before and cost nothing now. */
  readonly known: number;
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars; null when nobody said what the model costs. */
  readonly cost: number | null;
}

const CALLS_AT_ONCE = 4;
const NEIGHBOUR_CHARACTERS = 2_000;
const SUMMARY_CHARACTERS = 1_500;
const LONGEST = 800;
// A sentence or two; what a model thinks before counts as well.
const USUAL = { temperature: 0, maxTokens: 1_000 } as const;
const TAGS = ['document-summary', 'before', 'passage', 'after'] as const;

/**
 * Has a model write for each passage what it needs to be understood alone. What it wrote for the same passage before is
 * taken again: that depends on the model, the prompt, the title, the headings and the passage, and not on the neighbours,
 * so that an edit costs one call and not one for all. Each is kept when it comes; interrupted, this goes on where it was.
 */
export async function* placePassages(
  placed: PassagesToPlace,
  parts: PlacingParts,
  signal: AbortSignal,
): AsyncGenerator<{ readonly done: number; readonly total: number }, readonly Passage[]> {
  const { documentId, passages } = placed;
  const { records } = parts;
  const hashes = passages.map((passage) => hashOf(passage, placed, parts));
  const contexts = new Map(await records.known(documentId, [...new Set(hashes)]));
  const asked = new Set(contexts.keys());
  const missing = passages.flatMap((passage, place) => {
    const hash = hashes[place] ?? '';
    if (asked.has(hash)) return [];
    asked.add(hash);
    return [{ passage, hash }];
  });
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  const limit = pLimit(CALLS_AT_ONCE);
  let done = passages.length - missing.length;
  if (missing.length > 0) yield { done, total: passages.length };
  const writing = missing.map(({ passage, hash }) =>
    limit(async () => {
      either.throwIfAborted();
      const context = await writeContext(promptFor(passage, placed, parts), parts, either);
      await records.keep(documentId, hash, context);
      contexts.set(hash, context);
      done++;
    }),
  );
  // A failure is heard below, whichever it is; until then none may count as unheard.
  for (const each of writing) each.catch((error: unknown) => failed.abort(error));
  for (const [place, each] of writing.entries()) {
    await each.catch((error: unknown) => {
      throw signal.aborted ? error : (failed.signal.reason ?? error);
    });
    if ((place + 1) % CALLS_AT_ONCE === 0) yield { done, total: passages.length };
  }
  if (missing.length > 0) yield { done: passages.length, total: passages.length };
  await records.forgetOthers(documentId, [...new Set(hashes)]);
  return passages.map((passage, place) => {
    const context = contexts.get(hashes[place] ?? '') ?? '';
    return context === '' ? passage : { ...passage, context };
  });
}

/** What it would come to, without asking anybody. */
export async function estimatePlacing(
  placed: PassagesToPlace,
  parts: PlacingParts,
  price: Price | undefined,
): Promise<PlacingEstimate> {
  const hashes = placed.passages.map((passage) => hashOf(passage, placed, parts));
  const known = await parts.records.known(placed.documentId, [...new Set(hashes)]);
  const asked = placed.passages.filter((_, place) => !known.has(hashes[place] ?? ''));
  let inputTokens = 0;
  let cost = 0;
  for (const passage of asked) {
    const input = estimateTokens(promptFor(passage, placed, parts));
    inputTokens += input;
    if (price) cost += costOf({ input, cachedInput: 0, output: OUTPUT_TOKENS, reasoning: 0 }, price);
  }
  return {
    model: parts.model.name,
    passages: placed.passages.length,
    known: placed.passages.length - asked.length,
    calls: asked.length,
    inputTokens,
    outputTokens: asked.length * OUTPUT_TOKENS,
    cost: price ? cost : null,
  };
}

/** Of one reply: a sentence or two. */
const OUTPUT_TOKENS = 80;

async function writeContext(prompt: string, { model, generation }: PlacingParts, signal: AbortSignal): Promise<string> {
  const { text, reason } = await writeText(model, prompt, { ...USUAL, ...generation }, signal);
  // One passage that a model will not talk about is found by its own words, as all were before.
  if (reason === 'refusal') return '';
  if (text === '' && reason === 'length') {
    throw new ServiceError(
      'invalid_request',
      `${model.name} used all its tokens without an answer. Raise max_tokens in the generation_config of chunk_enrichment_settings.`,
    );
  }
  return text.replace(/\s+/g, ' ').slice(0, LONGEST).toWellFormed();
}

function hashOf(passage: Passage, { title }: PassagesToPlace, { model, template, generation }: PlacingParts): string {
  const all = [model.name, template, generation, title, passage.headingPath, passage.text];
  return createHash('sha256').update(JSON.stringify(all)).digest('hex').slice(0, 32);
}

function promptFor(passage: Passage, placed: PassagesToPlace, { template, neighbours }: PlacingParts): string {
  const { title, summary, passages } = placed;
  const { order } = passage;
  const before = passages.slice(Math.max(0, order - neighbours), order).map(({ text }) => text);
  const after = passages.slice(order + 1, order + 1 + neighbours).map(({ text }) => text);
  const inside = (text: string) => withinTags(text, ...TAGS);
  return fillTemplate(template, {
    document_title: inside([title, ...passage.headingPath].join(' > ')),
    document_summary: inside((summary ?? '').slice(0, SUMMARY_CHARACTERS)),
    preceding_chunks: inside(before.join('\n').slice(-NEIGHBOUR_CHARACTERS).toWellFormed()),
    succeeding_chunks: inside(after.join('\n').slice(0, NEIGHBOUR_CHARACTERS).toWellFormed()),
    chunk: inside(passage.text),
    chunk_size: String(passage.text.length),
  });
}
