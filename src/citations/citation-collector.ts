import type { Citation, Quote, Source, Span } from './citation.ts';

export interface Reference {
  readonly number: number;
  readonly source: Source;
  /** Of the marker in the answer. */
  readonly span: Span;
  /** Undefined for sources without a text of their own. */
  readonly quote?: Quote;
}

/** Gathers an answer's references into one citation per source, in order of first appearance. */
export class CitationCollector {
  readonly #citations = new Map<number, Citation>();

  get citations(): readonly Citation[] {
    return [...this.#citations.values()];
  }

  /** The source's citation with this reference in it. */
  add({ number, source, span, quote }: Reference): { readonly citation: Citation; readonly isNew: boolean } {
    const known = this.#citations.get(number);
    const quotes = known?.quotes ?? [];
    const isRepeated =
      quote === undefined || quotes.some(({ start, end }) => start === quote.start && end === quote.end);
    const citation: Citation = {
      id: `cit.${number}`,
      number,
      source,
      spans: [...(known?.spans ?? []), span],
      quotes: isRepeated ? quotes : [...quotes, quote],
    };
    this.#citations.set(number, citation);
    return { citation, isNew: known === undefined };
  }
}
