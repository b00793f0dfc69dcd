import { documentTypeOf, type ScoredChunk } from '../documents/chunk.ts';
import { estimateTokens } from '../documents/estimate-tokens.ts';
import type { GraphHit } from '../documents/graph-hit.ts';
import { pagesOf } from '../documents/places.ts';
import type { Message } from '../models/message.ts';
import { builtInPrompts, type PromptTexts } from '../prompts/prompt-texts.ts';
import { withinTags } from '../shared/within-tags.ts';
import { fence } from '../toolbox/fence.ts';
import { novelHits } from '../toolbox/novel-hits.ts';
import { graphBlock, limitInformative } from '../toolbox/render-graph.ts';
import type { WebResult } from '../web/web-search.ts';

export interface RagPromptParts {
  readonly query: string;
  /** Best first; the n-th gets the marker `[n]`. */
  readonly chunks: readonly ScoredChunk[];
  /** Web results, numbered after the chunks. */
  readonly results?: readonly WebResult[];
  /** Graph hits, numbered after the web results; those that repeat a chunk are left out. */
  readonly graph?: readonly GraphHit[];
  /** Replaces the user prompt. Values for `{query}` and `{context}` that it does not contain are appended. */
  readonly taskPrompt: string | undefined;
  readonly includeTitle: boolean;
  /** Maximum context length in estimated tokens. */
  readonly contextTokens: number;
  readonly prompts?: PromptTexts | undefined;
}

export interface RagPrompt {
  readonly messages: readonly Message[];
  /** Sources that fitted into the context; only these can be cited. */
  readonly shown: { readonly chunks: number; readonly results: number; readonly graph: readonly GraphHit[] };
}

/** Builds the messages: rules, numbered sources, question. */
export function ragPrompt(parts: RagPromptParts): RagPrompt {
  const {
    query,
    chunks,
    results = [],
    graph = [],
    taskPrompt,
    includeTitle,
    contextTokens,
    prompts = builtInPrompts,
  } = parts;
  // Reserve a share for web results, so that neither side can displace the other.
  const webTokens = results.length === 0 ? 0 : Math.floor(contextTokens * WEB_SHARE);
  const graphTokens = graph.length === 0 ? 0 : Math.floor(contextTokens * GRAPH_SHARE);
  const ofChunks = fitChunks(chunks, { includeTitle, contextTokens: contextTokens - webTokens - graphTokens });
  const firstResult = ofChunks.length + 1;
  const ofWeb = fitting(
    results.map((result, index) => renderResult(firstResult + index, result)),
    webTokens,
  );
  const firstFact = firstResult + ofWeb.length;
  const texts = chunks.slice(0, ofChunks.length).map(({ text }) => text);
  const facts = limitInformative(novelHits(graph, texts));
  const ofGraph = fitting(
    facts.map((hit, index) => renderFact(firstFact + index, hit)),
    graphTokens,
  );
  const blocks = [...ofChunks, ...ofWeb, ...ofGraph];
  const values = { query, context: blocks.join('\n\n') };
  return {
    messages: [
      { role: 'system', text: prompts.fill('system') },
      {
        role: 'user',
        text: taskPrompt === undefined ? prompts.fill('rag', values) : fill(completeTask(taskPrompt), values),
      },
    ],
    shown: { chunks: ofChunks.length, results: ofWeb.length, graph: facts.slice(0, ofGraph.length) },
  };
}

const WEB_SHARE = 0.25;
const GRAPH_SHARE = 0.1;

/** The first blocks that fit whole. */
function fitting(blocks: readonly string[], contextTokens: number): readonly string[] {
  let left = contextTokens;
  const firstTooMany = blocks.findIndex((block) => {
    left -= estimateTokens(block);
    return left < 0;
  });
  return firstTooMany === -1 ? blocks : blocks.slice(0, firstTooMany);
}

function renderFact(number: number, hit: GraphHit): string {
  const { label, text } = graphBlock(hit);
  return `[${number}] ${fenceSafe(label)}\n<passage>\n${fenceSafe(text)}\n</passage>`;
}

function renderResult(number: number, { title, url, date, snippet }: WebResult): string {
  const label = [title, ...(date === null ? [] : [date]), url].join(' › ').replace(/\s+/g, ' ');
  const body = fence(fenceSafe(`${title}\n${snippet}`), 'untrusted');
  return `[${number}] Web page: ${fenceSafe(label)}\n<passage>\n${body}\n</passage>`;
}

function completeTask(task: string): string {
  const context = task.includes('{context}') ? '' : '\n\nPassages:\n\n{context}';
  const query = task.includes('{query}') ? '' : '\n\nQuestion: {query}';
  return task + context + query;
}

// Single pass, so that placeholders inside a chunk or the question are not expanded.
const fill = (task: string, values: { readonly query: string; readonly context: string }): string =>
  task.replace(/\{(query|context)\}/g, (_, name: 'query' | 'context') => values[name]);

interface FitParts {
  readonly includeTitle: boolean;
  readonly contextTokens: number;
}

/** Whole chunks in order, as many as fit; if the first chunk alone is too long, it is cut. */
function fitChunks(chunks: readonly ScoredChunk[], { includeTitle, contextTokens }: FitParts): string[] {
  const blocks: string[] = [];
  let left = contextTokens;
  for (const [index, chunk] of chunks.entries()) {
    const block = renderChunk(index + 1, chunk, includeTitle);
    left -= estimateTokens(block);
    if (left < 0 && index > 0) break;
    blocks.push(left < 0 ? renderChunk(1, { ...chunk, text: cutTo(chunk.text, contextTokens) }, includeTitle) : block);
    if (left < 0) break;
  }
  return blocks;
}

/** Longest prefix of about this many tokens, by bisection. */
function cutTo(text: string, tokens: number): string {
  let longest = 0;
  let tooLong = text.length;
  while (tooLong - longest > 1) {
    const middle = (longest + tooLong) >> 1;
    if (estimateTokens(text.slice(0, middle)) <= tokens) longest = middle;
    else tooLong = middle;
  }
  return text.slice(0, longest).toWellFormed();
}

function renderChunk(number: number, chunk: ScoredChunk, includeTitle: boolean): string {
  const title = chunk.metadata['title'];
  const pages = pagesOf(chunk, documentTypeOf(chunk));
  const labels = [
    ...(includeTitle && typeof title === 'string' && title !== '' ? [title] : []),
    ...(includeTitle ? chunk.headingPath.filter((heading) => heading !== title) : []),
    ...(pages === undefined ? [] : [pages]),
  ];
  const label = labels.length === 0 ? '' : ` ${labels.join(' › ').replace(/\s+/g, ' ')}`;
  return `[${number}]${label}\n<passage>\n${fenceSafe(chunk.text)}\n</passage>`;
}

// A document must not be able to close its fence and inject text outside of it.
const fenceSafe = (text: string): string => withinTags(text, 'passage');
