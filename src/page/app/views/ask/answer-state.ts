import type { CitationPayload, FinalAnswer, MarkerSpan, StreamEvent } from '../../../../client/stream-events.ts';

export type Verdict = 'verbatim' | 'close' | 'elsewhere' | 'not_found';

/** A character range of a source. */
export interface Quote {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Format of the quoted document, which decides whether `page` is a slide. */
  readonly documentType?: string | undefined;
  readonly page: number | null;
  readonly headings: readonly string[];
}

/** A cited source. */
export interface Source {
  /** `cit.N`. */
  readonly id: string;
  readonly title: string;
  readonly documentId?: string;
  readonly version?: string;
  readonly chunkId?: string;
  /** URL of a web page. */
  readonly link?: string;
  readonly quotes: readonly Quote[];
}

/** A marker in the answer: its range (UTF-16, end exclusive), source and verdict. */
export interface Mark extends MarkerSpan {
  readonly sourceId: string;
  readonly verdict?: Verdict;
  readonly statement?: string;
  /** The quote for this statement, if the check found one. */
  readonly quote?: Quote & { readonly documentId?: string; readonly title?: string };
}

/** A file made by a tool call. */
export type MadeFile = NonNullable<Extract<StreamEvent, { readonly event: 'tool_result' }>['data']['files']>[number];

/** A tool call of the agent. */
export interface Step {
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly result?: string;
  readonly isError: boolean;
  /** Files made by the call, which the server stores for a limited time. */
  readonly files?: readonly MadeFile[];
  /** Text the model wrote before the tool call. */
  readonly remark?: string;
}

export interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly seconds?: number;
  readonly cost_usd?: number | null;
}

export interface AnswerState {
  readonly phase: 'waiting' | 'streaming' | 'done' | 'stopped' | 'failed';
  readonly text: string;
  readonly sources: readonly Source[];
  /** In text order. */
  readonly marks: readonly Mark[];
  readonly unsupported: readonly MarkerSpan[];
  /** When the model's provider is asked again, in milliseconds since the epoch. */
  readonly waitsUntil?: number;
  /** How many passages the first search found; undefined while it runs. */
  readonly found?: number;
  readonly steps: readonly Step[];
  readonly thinking: string;
  /** Whether the answer was composed without a language model. */
  readonly isExtractive: boolean;
  /** For extractive answers: whether the quotes answer the question, are only the closest passages, or are missing. */
  readonly support?: 'answer' | 'closest' | 'none';
  /** Whether the citations have been checked. */
  readonly isChecked: boolean;
  /** Whether some citations were not checked, because the answer exceeds what one check covers. */
  readonly isPartlyChecked?: boolean;
  readonly model?: string;
  readonly usage?: Usage;
  readonly stopReason?: string;
  readonly conversationId?: string;
  readonly failure?: { readonly code: string; readonly message: string };
}

export const emptyAnswer: AnswerState = {
  phase: 'waiting',
  text: '',
  sources: [],
  marks: [],
  unsupported: [],
  steps: [],
  thinking: '',
  isExtractive: false,
  isChecked: false,
};

/** Reducer: the answer after one more event of its stream. */
export function applyEvent(state: AnswerState, event: StreamEvent): AnswerState {
  switch (event.event) {
    case 'search_results': {
      const { chunk_search_results: passages } = event.data.data;
      return { ...state, found: Array.isArray(passages) ? passages.length : 0 };
    }
    case 'waiting':
      return { ...state, waitsUntil: Date.now() + event.data.seconds * 1_000 };
    case 'thinking':
      return { ...state, thinking: state.thinking + deltaText(event.data) };
    case 'message':
      return { ...state, phase: 'streaming', text: state.text + deltaText(event.data) };
    case 'citation': {
      const { id, span, payload } = event.data;
      const isKnown = state.sources.some((source) => source.id === id);
      const verdict = readVerdict(event.data['verdict']);
      const mark: Mark = { ...span, sourceId: id, ...(verdict !== undefined && { verdict }) };
      return {
        ...state,
        sources: isKnown || payload === null ? state.sources : [...state.sources, toSource(id, payload)],
        marks: [...state.marks, mark],
      };
    }
    case 'tool_call': {
      const { tool_call_id: id, name, arguments: given } = event.data;
      // Text before a tool call is a remark and not part of the answer.
      const remark = state.text.trim();
      const step: Step = { id, name, arguments: given, isError: false, ...(remark !== '' && { remark }) };
      return { ...state, phase: 'waiting', text: '', marks: [], steps: [...state.steps, step] };
    }
    case 'tool_result': {
      const { tool_call_id: id, content, is_error: isError = false, files } = event.data;
      const result = { result: content, isError, ...(files && { files }) };
      const steps = state.steps.map((step) => (step.id === id ? { ...step, ...result } : step));
      const usage = readUsage(Object(event.data)['usage']);
      return { ...state, steps, ...(usage !== undefined && { usage }) };
    }
    case 'final_answer':
      return applyFinal(state, event.data);
  }
}

/** Text of the line before a marker; without a check, it selects among several quotes of a source. */
export const lineBefore = (text: string, marker: number): string =>
  text.slice(text.lastIndexOf('\n', marker - 1) + 1, marker);

function applyFinal(state: AnswerState, answer: FinalAnswer): AnswerState {
  const { generated_answer: text, citations, conversation_id: conversationId, model, mode } = answer;
  const marks = citations.flatMap(({ id, spans, verdict, checks }): readonly Mark[] => {
    const byStart = new Map(readChecks(checks).map((check) => [check.span.start, check]));
    return spans.map((span) => {
      const check = byStart.get(span.start);
      const checkedVerdict = check?.verdict ?? verdict;
      return {
        ...span,
        sourceId: id,
        ...(checkedVerdict !== undefined && { verdict: checkedVerdict }),
        statement: check?.statement ?? lineBefore(text, span.start),
      };
    });
  });
  const usage = readUsage(answer['usage']) ?? state.usage;
  const stopReason = answer['stop_reason'];
  const unsupported = answer['unsupported_sentences'];
  return {
    ...state,
    phase: 'done',
    text,
    sources: citations.flatMap(({ id, payload }) => (payload === null ? [] : [toSource(id, payload)])),
    marks: marks.toSorted((one, two) => one.start - two.start),
    unsupported: Array.isArray(unsupported) ? unsupported.filter(isSpan) : [],
    isExtractive: mode === 'extractive',
    isChecked: Array.isArray(unsupported) || mode === 'extractive',
    ...(conversationId !== undefined && { conversationId }),
    ...(model !== undefined && { model }),
    ...(usage !== undefined && { usage }),
    ...(typeof stopReason === 'string' && { stopReason }),
    ...(answer.support !== undefined && { support: answer.support }),
  };
}

/** The source of a citation payload: a chunk, a document, a graph element or a web page. */
function toSource(id: string, payload: CitationPayload): Source {
  const text = (name: string): string | undefined => {
    const value = payload[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const { document_id: documentId, quotes = [], metadata = {} } = payload;
  const given = text('document_type') ?? metadata['document_type'];
  const documentType = typeof given === 'string' ? given : undefined;
  const link = text('link') ?? text('url');
  // A document record has no `document_id`; its `id` is the document's.
  const document = documentId ?? (text('document_type') === undefined ? undefined : payload.id);
  const named = metadata['title'] ?? graphTitle(metadata, document);
  const title = text('title') ?? (typeof named === 'string' && named !== '' ? named : (link ?? document ?? id));
  const version = text('version');
  // The `id` of a graph element is its own; the chunk of its sentence is named separately.
  const isGraph = text('result_type') !== undefined;
  const chunkId = isGraph || documentId === undefined ? text('chunk_id') : payload.id;
  return {
    id,
    title,
    ...(document !== undefined && { documentId: document }),
    ...(version !== undefined && { version }),
    ...(chunkId !== undefined && { chunkId }),
    ...(link !== undefined && { link }),
    quotes: quotes.map(({ text, start, end, page, heading_path: headings }) => {
      return { text, start, end, documentType, page, headings };
    }),
  };
}

/** Title of the document with the sentence of a graph element. */
function graphTitle(metadata: Readonly<Record<string, unknown>>, document: string | undefined): unknown {
  const documents: readonly unknown[] = Array.isArray(metadata['documents']) ? metadata['documents'] : [];
  const found = documents.find((each) => Object(each)['document_id'] === document);
  return Object(found)['title'];
}

/** The quote that supports the statement before a marker: the one sharing most words with it. */
export function quoteOf(mark: Mark, source: Source | undefined): Mark['quote'] | undefined {
  if (mark.quote !== undefined) return mark.quote;
  const quotes = source?.quotes ?? [];
  const wanted = new Set(words(mark.statement ?? ''));
  const shared = (quote: Quote) => words(quote.text).filter((word) => wanted.has(word)).length;
  return quotes.toSorted((one, two) => shared(two) - shared(one))[0];
}

const words = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** The statement before a marker: the text on its line since the previous marker, or since the one before in `[1][2]`. */
export function statementBefore({ text }: AnswerState, marker: number): string {
  const parts = lineBefore(text, marker).split(/\[\d{1,3}\]/);
  const statement = parts.findLast((part) => /[\p{L}\p{N}]/u.test(part)) ?? '';
  return statement.replace(/^[\s.,;:!?>*#-]+/, '').trim();
}

/** Ranges to underline, including their markers, except where another source supports the statement. */
export function sentencesWithoutSupport({ text, marks, unsupported }: AnswerState): readonly MarkerSpan[] {
  return unsupported.flatMap(({ start, end }) => {
    let reach = end;
    for (const mark of marks) {
      const isBehind = mark.start >= reach && text.slice(reach, mark.start).trim() === '';
      if (isBehind) reach = mark.end;
    }
    const isElsewhere = marks.some((mark) => mark.verdict === 'elsewhere' && mark.start >= start && mark.end <= reach);
    return isElsewhere ? [] : [{ start, end: reach }];
  });
}

/** `3` of `cit.3`. */
export const numberOf = (sourceId: string): string => sourceId.replace(/^cit\./, '');

const deltaText = ({ delta }: Extract<StreamEvent, { readonly event: 'message' }>['data']): string =>
  delta.content.map(({ payload }) => payload.value).join('');

/** From the strongest to the weakest. */
export const verdicts: readonly Verdict[] = ['verbatim', 'close', 'elsewhere', 'not_found'];
export const isVerdict = (value: unknown): value is Verdict => verdicts.some((each) => each === value);
export const readVerdict = (value: unknown): Verdict | undefined => (isVerdict(value) ? value : undefined);

const isSpan = (value: unknown): value is MarkerSpan => {
  const { start, end } = Object(value) as { readonly start?: unknown; readonly end?: unknown };
  return typeof start === 'number' && typeof end === 'number';
};

interface Check {
  readonly span: MarkerSpan;
  readonly statement: string;
  readonly verdict: Verdict;
}

const readChecks = (value: unknown): readonly Check[] =>
  Array.isArray(value)
    ? value.filter((each): each is Check => {
        const { span, verdict, statement } = Object(each) as Partial<Check>;
        return isSpan(span) && isVerdict(verdict) && typeof statement === 'string';
      })
    : [];

function readUsage(value: unknown): Usage | undefined {
  const { input_tokens: input } = Object(value) as { readonly input_tokens?: unknown };
  return typeof input === 'number' ? (value as Usage) : undefined;
}
