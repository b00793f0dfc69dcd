/** A piece of generated text. */
export interface TextDelta {
  readonly id: string;
  readonly object: 'agent.message.delta' | 'agent.thinking.delta';
  readonly delta: {
    readonly content: readonly {
      readonly type: 'text';
      readonly payload: { readonly value: string; readonly annotations: readonly unknown[] };
    }[];
  };
}

/** UTF-16 offsets into the answer, end exclusive, brackets included. */
export interface MarkerSpan {
  readonly start: number;
  readonly end: number;
}

/** The source record (docs/contract.md 4.5) with the passages that support the answer. */
export interface CitationPayload {
  readonly id?: string;
  readonly document_id?: string;
  readonly text?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly quotes?: readonly {
    readonly start: number;
    readonly end: number;
    readonly text: string;
    readonly page: number | null;
    readonly heading_path: readonly string[];
  }[];
  readonly [member: string]: unknown;
}

/** A cited source in the final answer; `verdict` if the answer was checked. */
export interface FinalCitation {
  /** `cit.N` for the marker `[N]`. */
  readonly id: string;
  readonly object: 'citation';
  readonly spans: readonly MarkerSpan[];
  readonly source_type: 'chunk' | 'graph' | 'doc' | 'web';
  readonly payload: CitationPayload | null;
  readonly verdict?: 'verbatim' | 'close' | 'elsewhere' | 'not_found';
  readonly [member: string]: unknown;
}

/** A mention of a source, sent after the text that completed its marker. */
export interface CitationMention {
  readonly id: string;
  readonly object: 'citation';
  readonly is_new: boolean;
  readonly span: MarkerSpan;
  /** Only sent with the first mention; null otherwise. */
  readonly payload: CitationPayload | null;
  readonly [member: string]: unknown;
}

export interface FinalAnswer {
  readonly id: string;
  readonly object: 'rag.final_answer' | 'agent.final_answer';
  readonly generated_answer: string;
  readonly citations: readonly FinalCitation[];
  /** Agent only. */
  readonly conversation_id?: string;
  readonly model?: string;
  /** `extractive` if no language model wrote the answer. */
  readonly mode?: string;
  /** Extractive answers only: `closest` if the quotes are the nearest passages but may not answer the question. */
  readonly support?: 'answer' | 'closest' | 'none';
  readonly [member: string]: unknown;
}

interface Shapes {
  readonly search_results: {
    readonly id: string;
    readonly object: string;
    readonly data: Readonly<Record<string, unknown>>;
  };
  readonly thinking: TextDelta;
  readonly message: TextDelta;
  /** The model's provider asked to wait, and is asked again after that time. Only with `resumable`. */
  readonly waiting: { readonly seconds: number };
  readonly citation: CitationMention;
  readonly tool_call: {
    readonly tool_call_id: string;
    readonly name: string;
    readonly arguments: Readonly<Record<string, unknown>>;
  };
  readonly tool_result: {
    readonly tool_call_id: string;
    readonly role: 'tool';
    readonly content: string;
    readonly name?: string;
    readonly is_error?: boolean;
    /** Files made by the call; `link` is a path on the server. */
    readonly files?: readonly {
      readonly name: string;
      readonly mime_type: string;
      readonly size: number;
      readonly link: string;
    }[];
  };
  readonly final_answer: FinalAnswer;
}

/** One event of an answer (docs/contract.md 5.5). `id` is the resumption point; empty if the server sent none. */
export type StreamEvent = {
  readonly [Name in keyof Shapes]: { readonly event: Name; readonly data: Shapes[Name]; readonly id: string };
}[keyof Shapes];
