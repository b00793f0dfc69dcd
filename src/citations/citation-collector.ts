import type { Citation, Quote, Source, Span } from './citation.ts';

export interface Reference {
  readonly number: number;
  readonly source: Source;
  /** Position of the marker in the answer. */
  readonly span: Span;
  /** Undefined for sources without text. */
  readonly quote?: Quote;
}

/** Merges the references of an answer into one citation per source, in order of first appearance. */
export class CitationCollector {
  readonly #citations = new Map<number, Citation>();

  get citations(): readonly Citation[] {
    return [...this.#citations.values()];
  }

  /** Adds a reference and returns the citation of its source. */
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
