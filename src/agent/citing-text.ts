import {
  type CheckedCitation,
  type CitationCheck,
  type ComparableText,
  checkStatement,
  toComparableSource,
  weakestVerdict,
} from '../citations/check-citation.ts';
import type { Source } from '../citations/citation.ts';
import { CitationCollector } from '../citations/citation-collector.ts';
import { findQuote } from '../citations/find-quote.ts';
import type { MarkerScanner, ScannedPart } from '../citations/marker-scanner.ts';
import { quotableOf } from '../citations/quotable-of.ts';
import { statementBefore } from '../citations/statement-before.ts';
import { ServiceError } from '../errors.ts';
import type { AgentEvent } from './agent-event.ts';
import type { AgentRun } from './agent-run.ts';

type MarkerPart = Extract<ScannedPart, { readonly type: 'marker' }>;

/** Converts scanned parts to events and collects and checks the turn's citations. */
export class CitingText {
  readonly #run: AgentRun;
  readonly #scanner: MarkerScanner;
  readonly #collector = new CitationCollector();
  /** Sources are analysed once for all statements of the turn. */
  readonly #comparable = new WeakMap<Source, ComparableText>();
  readonly #checks = new Map<number, CitationCheck[]>();

  constructor(run: AgentRun, scanner: MarkerScanner) {
    this.#run = run;
    this.#scanner = scanner;
  }

  get citations(): readonly CheckedCitation[] {
    return this.#collector.citations.map((citation) => {
      const checks = this.#checks.get(citation.number) ?? [];
      return { ...citation, ...weakestVerdict(checks), checks };
    });
  }

  *take(parts: readonly ScannedPart[]): Generator<AgentEvent> {
    for (const part of parts) {
      if (part.type === 'text') yield { type: 'message', text: part.text };
      else yield this.#cite(part);
    }
  }

  #cite({ number, shown, span }: MarkerPart): AgentEvent {
    const { sources, analyser, question } = this.#run;
    const source = sources.get(number);
    if (source === undefined) throw new ServiceError('internal', `Marker [${number}] refers to an unknown source.`);
    const statement = statementBefore(this.#scanner.text, span.start);
    const quotable = quotableOf(source);
    const quote = quotable && findQuote({ chunk: quotable, statement, question, analyser });
    const { foundIn, ...verdict } = checkStatement({
      statement,
      cited: this.#toComparable(source),
      others: this.#textsOfOtherSources(number),
      analyser,
    });
    const elsewhere = foundIn === undefined ? undefined : sources.get(foundIn);
    const check: CitationCheck = {
      span,
      statement,
      ...verdict,
      ...(elsewhere === undefined ? {} : { foundIn: elsewhere }),
      ...(quote === undefined ? {} : { quote }),
    };
    const checks = [...(this.#checks.get(shown) ?? []), check];
    this.#checks.set(shown, checks);
    const reference = { number: shown, source, span, ...(quote === undefined ? {} : { quote }) };
    const { citation, isNew } = this.#collector.add(reference);
    return { type: 'citation', citation: { ...citation, ...weakestVerdict(checks), checks }, isNew, span };
  }

  *#textsOfOtherSources(cited: number): Generator<readonly [number, ComparableText]> {
    for (const [number, source] of this.#run.sources.numbered()) {
      if (number !== cited) yield [number, this.#toComparable(source)];
    }
  }

  #toComparable(source: Source): ComparableText {
    const known = this.#comparable.get(source) ?? toComparableSource(source, this.#run.analyser);
    this.#comparable.set(source, known);
    return known;
  }
}
