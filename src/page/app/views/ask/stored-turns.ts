import {
  type AnswerState,
  emptyAnswer,
  lineBefore,
  type Mark,
  readVerdict,
  type Source,
  verdicts,
} from './answer-state.ts';
import type { KnownRun } from './known-runs.ts';

/** A message of GET /v3/conversations/{id}. */
export interface StoredMessage {
  readonly id: string;
  readonly message: { readonly role: string; readonly content: string | null };
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

export interface StoredTurn {
  readonly id: string;
  readonly question: string;
  /** The run that the page started to answer the question. */
  readonly run?: { readonly id: string; readonly asOf: string };
  /** Absent if the question was not answered. */
  readonly answer?: AnswerState;
}

/**
 * Groups a conversation's messages into questions with answers. A question that was asked again after its answer had been
 * interrupted counts once, as the page showed it.
 */
export function toTurns(messages: readonly StoredMessage[]): readonly StoredTurn[] {
  const turns: StoredTurn[] = [];
  for (const { id, message, metadata } of messages) {
    const text = message.content ?? '';
    const open = turns.at(-1);
    if (message.role === 'user') {
      if (open?.question === text && (open.answer === undefined || open.answer.phase === 'stopped')) turns.pop();
      turns.push({ id, question: text, ...toRun(metadata ?? {}) });
    }
    if (message.role !== 'assistant') continue;
    else if (open !== undefined && open.answer === undefined) {
      turns[turns.length - 1] = { ...open, answer: toAnswer(text, metadata ?? {}) };
    } else turns.push({ id, question: '', answer: toAnswer(text, metadata ?? {}) });
  }
  return turns;
}

/** Metadata of a question that is being answered by a run. */
export const runMetadata = ({ run, asOf }: Pick<KnownRun, 'run' | 'asOf'>) => ({ run, as_of: asOf });

function toRun({ run, as_of: asOf }: Readonly<Record<string, unknown>>): Pick<StoredTurn, 'run'> {
  return typeof run === 'string' ? { run: { id: run, asOf: typeof asOf === 'string' ? asOf : '' } } : {};
}

interface StoredCitation {
  readonly id?: unknown;
  readonly verdict?: unknown;
  readonly document_id?: unknown;
  readonly chunk_id?: unknown;
  readonly link?: unknown;
  readonly title?: unknown;
}

function toAnswer(text: string, metadata: Readonly<Record<string, unknown>>): AnswerState {
  const stored: readonly unknown[] = Array.isArray(metadata['citations']) ? metadata['citations'] : [];
  const citations = stored.map((each) => Object(each) as StoredCitation);
  const sources = citations.flatMap(toSource);
  const number = (name: string): number => Number(metadata[name] ?? 0);
  const model = metadata['model'];
  const isExtractive = model === 'builtin/extractive';
  const marks = marksIn(text, citations);
  const stopReason = metadata['ended'];
  const support = (['answer', 'closest', 'none'] as const).find((each) => each === metadata['support']);
  return {
    ...emptyAnswer,
    phase: metadata['interrupted'] === true ? 'stopped' : 'done',
    text,
    sources,
    marks: isExtractive ? withStoredQuotes(text, marks, citations) : marks,
    isExtractive,
    usage: { input_tokens: number('input_tokens'), output_tokens: number('output_tokens') },
    ...(typeof model === 'string' && { model }),
    ...(typeof stopReason === 'string' && { stopReason }),
    ...(support !== undefined && { support }),
  };
}

function toSource({ id, document_id: documentId, chunk_id: chunkId, link, title }: StoredCitation): readonly Source[] {
  if (typeof id !== 'string') return [];
  const named = [title, link, documentId].find((each) => typeof each === 'string' && each !== '');
  return [
    {
      id,
      title: typeof named === 'string' ? named : id,
      quotes: [],
      ...(typeof documentId === 'string' && { documentId }),
      ...(typeof chunkId === 'string' && { chunkId }),
      ...(typeof link === 'string' && { link }),
    },
  ];
}

/** Finds the markers of known sources in a stored answer. */
function marksIn(text: string, citations: readonly StoredCitation[]): readonly Mark[] {
  const marks: Mark[] = [];
  for (const match of text.matchAll(/\[(\d{1,3})\]/g)) {
    const citation = citations.find(({ id }) => id === `cit.${match[1]}`);
    if (citation === undefined) continue;
    const verdict = readVerdict(citation.verdict);
    const span = { start: match.index, end: match.index + match[0].length };
    const statement = lineBefore(text, span.start);
    marks.push({ ...span, sourceId: `cit.${match[1]}`, ...(verdict !== undefined && { verdict }), statement });
  }
  return marks;
}

/** A quotation at the end of some text, which begins on a line of its own. */
const LAST_QUOTATION = /(?:^|\n)“([\s\S]+)”\s*$/u;

/** Marks with the words before them: an answer of quotations contains these itself, also when a document was deleted. */
function withStoredQuotes(text: string, marks: readonly Mark[], citations: readonly StoredCitation[]): readonly Mark[] {
  return marks.map((mark, index): Mark => {
    const before = text.slice(marks[index - 1]?.end ?? 0, mark.start);
    // The service puts a word joiner into bracketed numbers, so that they are not read as markers.
    const words = LAST_QUOTATION.exec(before)?.[1]?.replaceAll('[\u2060', '[');
    const { link, title } = citations.find(({ id }) => id === mark.sourceId) ?? {};
    const [, start, end] = /[?&]q=(\d+)-(\d+)/.exec(String(link)) ?? [];
    if (words === undefined || start === undefined || end === undefined) return mark;
    const place = { start: Number(start), end: Number(end), page: null, headings: [] };
    return { ...mark, quote: { text: words, ...place, ...(typeof title === 'string' && { title }) } };
  });
}

/** Metadata stored with an answer, from which its citations are restored. */
export const toMetadata = ({ phase, sources, marks, model, stopReason, support, usage }: AnswerState) => ({
  ...(phase !== 'done' && { interrupted: true }),
  ...(model !== undefined && { model }),
  ...(stopReason !== undefined && { ended: stopReason }),
  ...(support !== undefined && { support }),
  input_tokens: usage?.input_tokens ?? 0,
  output_tokens: usage?.output_tokens ?? 0,
  // Stored by a client, so its origin is unverified.
  read_untrusted: true,
  citations: sources.map(({ id, documentId, chunkId, link, title }) => {
    const own = marks.flatMap(({ sourceId, verdict: each }) => (sourceId === id ? (each ?? []) : []));
    // One verdict is stored for all citations of a source, so that it must not say more than the weakest.
    const verdict = verdicts.findLast((each) => own.includes(each));
    return {
      id,
      ...(verdict !== undefined && { verdict }),
      ...(documentId !== undefined && { document_id: documentId }),
      ...(chunkId !== undefined && { chunk_id: chunkId }),
      ...(link !== undefined && { link, title }),
    };
  }),
});
