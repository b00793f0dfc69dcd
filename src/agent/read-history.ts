import { renumberMarkers } from '../citations/renumber-markers.ts';
import type { SourceList } from '../citations/source-list.ts';
import type { ScoredChunk } from '../documents/chunk.ts';
import { allOf } from '../documents/filter.ts';
import type { Message } from '../models/message.ts';
import type { StoredMessage } from '../store/records.ts';
import type { ToolContext } from '../toolbox/tool-context.ts';
import { type CompactionSettings, compactContext, OMITTED_NOTE, summaryNote } from './compact-context.ts';
import type { OpenTurn } from './open-turn.ts';

/** The conversation before the current turn. */
export interface History {
  /** Messages for the model. */
  readonly messages: readonly Message[];
  /** Texts the user wrote, including those replaced by a summary. */
  readonly userTexts: readonly string[];
  /** Whether an earlier turn read untrusted text, which may have influenced its answer. */
  readonly hasReadUntrusted: boolean;
}

export interface HistoryParts extends Pick<ToolContext, 'library' | 'visible'> {
  readonly turn: OpenTurn;
  /** Receives the sources cited by earlier answers, as far as the caller may still see them. */
  readonly sources: SourceList;
  readonly compaction: CompactionSettings;
}

/**
 * Reads the conversation for a model: the stored summary of its older part, if any, and the messages since. When these
 * have grown too long, a new summary is written and stored; the messages themselves remain stored.
 */
export async function readHistory(parts: HistoryParts, signal: AbortSignal): Promise<History> {
  const { turn, compaction } = parts;
  const all = await turn.messages();
  const known = await turn.summary();
  const recent = all.slice(all.findIndex(({ id }) => id === known?.throughId) + 1);
  const start = known === undefined ? [] : [summaryNote(known.text)];
  const withoutMarkers = recent.map((message) => toMessage(message, () => undefined));
  const { summary, replaced } = await compactContext([...start, ...withoutMarkers], compaction, signal);

  const lastSummarised = recent[replaced - start.length - 1];
  if (summary !== undefined && lastSummarised !== undefined)
    await turn.saveSummary({ text: summary, throughId: lastSummarised.id });
  const left = replaced === 0 ? recent : recent.slice(Math.max(0, replaced - start.length));
  // Without a new summary, the stored one still describes the part before it.
  const written = summary ?? [...(known === undefined ? [] : [known.text]), OMITTED_NOTE].join('\n\n');
  const note = replaced === 0 ? start : [summaryNote(written)];
  return {
    messages: [...note, ...(await withOwnNumbers(left, parts))],
    userTexts: all.flatMap(({ role, content }) => (role === 'user' ? [content] : [])),
    hasReadUntrusted: all.some(({ metadata }) => metadata['read_untrusted'] === true),
  };
}

/**
 * The messages with the markers of earlier answers renumbered to sources of this run, so that these can be cited again.
 * Markers of deleted or no longer visible sources are removed.
 */
async function withOwnNumbers(stored: readonly StoredMessage[], parts: HistoryParts): Promise<Message[]> {
  const references = stored.map(chunkReferences);
  const chunks = await visibleChunks([...new Set(references.flatMap((numbers) => [...numbers.values()]))], parts);
  return stored.map((message, index) =>
    toMessage(message, (number) => {
      const chunk = chunks.get(references[index]?.get(number) ?? '');
      return chunk && parts.sources.add({ kind: 'chunk', chunk });
    }),
  );
}

// Without this note, a model would take a stopped answer for what it had to say.
const INTERRUPTED_NOTE = '[This answer was interrupted here, before it was complete.]';

/** A stored message for a model; the markers of an answer get new numbers or are removed. */
function toMessage(
  { role, content, metadata }: StoredMessage,
  newNumber: (number: number) => number | undefined,
): Message {
  if (role !== 'assistant') return { role, text: content };
  const text = renumberMarkers(content, newNumber);
  return { role, text: metadata['interrupted'] === true ? `${text}\n\n${INTERRUPTED_NOTE}` : text };
}

/** Marker number → chunk id of a stored answer. */
function chunkReferences({ metadata }: StoredMessage): Map<number, string> {
  const { citations } = metadata;
  const numbers = new Map<number, string>();
  for (const citation of Array.isArray(citations) ? citations : []) {
    const { id, chunk_id } = Object(citation) as { readonly id?: unknown; readonly chunk_id?: unknown };
    const [, digits] = typeof id === 'string' ? (/^cit\.(\d{1,3})$/.exec(id) ?? []) : [];
    if (digits !== undefined && typeof chunk_id === 'string') numbers.set(Number(digits), chunk_id);
  }
  return numbers;
}

async function visibleChunks(
  ids: readonly string[],
  { library, visible }: HistoryParts,
): Promise<ReadonlyMap<string, ScoredChunk>> {
  const chunks = ids.length === 0 ? [] : await library.chunksById(ids);
  const values = [...new Set(chunks.map(({ documentId }) => documentId))];
  if (values.length === 0) return new Map();
  const { items } = await library.list(allOf({ kind: 'in', field: 'id', values }, visible), {
    offset: 0,
    limit: values.length,
  });
  const visibleIds = new Set(items.map(({ id }) => id));
  return new Map(
    chunks.flatMap((chunk) => (visibleIds.has(chunk.documentId) ? [[chunk.id, { ...chunk, score: 0 }] as const] : [])),
  );
}
