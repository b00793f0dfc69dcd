import type { Span } from './citation.ts';
import { LiteralContext } from './literal-context.ts';
import { closesMarker, mayBecomeMarker, opensMarker, readMarker } from './marker.ts';

/** A piece of the answer; a marker's own text, always `[n]`, is part of the text event before it. */
export type ScannedPart =
  | { readonly type: 'text'; readonly text: string }
  /** `number` is the source's, `shown` what stands in the text for it. */
  | { readonly type: 'marker'; readonly number: number; readonly shown: number; readonly span: Span };

/**
 * Finds markers in a stream of tokens, however they are cut. Text passes at once, but for white space and what may
 * become a marker. Lists are written out (`[1, 2]` becomes `[1][2]`); a marker without a source is taken out of the
 * text and counted. Brackets in code, and links such as `[1](http://…)`, are left as they are.
 */
export class MarkerScanner {
  readonly #isKnown: (number: number) => boolean;
  readonly #show: (number: number) => number;
  readonly #context = new LiteralContext();
  #parts: ScannedPart[] = [];
  readonly #ready: string[] = [];
  #length = 0;
  #text = '';
  #last = '';
  /** Spaces that go away if the marker behind them does. */
  #spaces = '';
  #candidate = '';
  #justRemoved = false;
  #removed = 0;

  /** `show` gives the number under which a source appears in the text; its own, if left out. */
  constructor(isKnown: (number: number) => boolean, show: (number: number) => number = (number) => number) {
    this.#isKnown = isKnown;
    this.#show = show;
  }

  /** The answer so far, as given out. */
  get text(): string {
    return this.#text;
  }

  /** How many markers pointed to no source. */
  get removed(): number {
    return this.#removed;
  }

  push(token: string): ScannedPart[] {
    for (let index = 0; index < token.length; index++) this.#step(token.charAt(index));
    return this.#take();
  }

  /** Gives out what was still undecided. */
  end(): ScannedPart[] {
    if (this.#candidate !== '') this.#close('');
    if (!this.#justRemoved) this.#give('');
    return this.#take();
  }

  #step(char: string): void {
    this.#context.step(char);
    if (this.#candidate !== '') {
      if (!isComplete(this.#candidate) && this.#extend(char)) return;
      this.#close(char);
    }
    if (this.#context.isLiteral) this.#give(char);
    else if (opensMarker(char) && (this.#last !== '\\' || this.#spaces !== '')) this.#candidate = char;
    else if (char === ' ' || char === '\t') this.#holdSpace(char);
    else this.#givePlain(char);
  }

  /** The candidate ends here; `next` is the character after it. */
  #close(next: string): void {
    const candidate = this.#candidate;
    this.#candidate = '';
    const isLink = next === '(' && candidate.endsWith(']');
    const numbers = isComplete(candidate) && !isLink ? readMarker(candidate) : undefined;
    // "list[0]" outside of code is still an index: no source is numbered 0.
    const isIndex = numbers?.[0] === 0 && this.#spaces === '' && /[\p{L}\p{N}_]/u.test(this.#last);
    if (numbers === undefined || isIndex) this.#give(candidate);
    else this.#resolve(numbers);
  }

  #extend(char: string): boolean {
    const longer = this.#candidate + char;
    const fits = closesMarker(char) ? readMarker(longer) !== undefined : mayBecomeMarker(longer);
    if (fits) this.#candidate = longer;
    return fits;
  }

  #resolve(numbers: readonly number[]): void {
    const known = numbers.filter((number) => this.#isKnown(number));
    this.#removed += numbers.length - known.length;
    if (known.length === 0) this.#justRemoved = true;
    for (const number of known) this.#giveMarker(number);
  }

  #giveMarker(number: number): void {
    const shown = this.#show(number);
    const marker = `[${shown}]`;
    this.#give(marker);
    const end = this.#length;
    this.#flush();
    this.#parts.push({ type: 'marker', number, shown, span: { start: end - marker.length, end } });
  }

  #holdSpace(char: string): void {
    if (this.#justRemoved) {
      this.#spaces = '';
      if (this.#last === '' || this.#last === '\n') return;
      this.#justRemoved = false;
    }
    this.#spaces += char;
  }

  #givePlain(char: string): void {
    if (this.#justRemoved && /[\s.,;:!?)\]…。，、；：！？）]/.test(char)) this.#spaces = '';
    // What is left on both sides of a removed marker must not become one: "[1" + "]".
    const joins = this.#justRemoved && this.#spaces === '' && /[\d\]]/.test(char) && /[[\d]/.test(this.#last);
    this.#give(joins ? ` ${char}` : char);
  }

  #give(text: string): void {
    const piece = this.#spaces + text;
    this.#spaces = '';
    this.#justRemoved = false;
    this.#last = piece.slice(-1) || this.#last;
    this.#length += piece.length;
    this.#ready.push(piece);
  }

  #flush(): void {
    // Put together here and not piece by piece: a string grown by single characters gets slow to handle.
    const text = this.#ready.join('');
    this.#ready.length = 0;
    this.#text += text;
    if (text !== '') this.#parts.push({ type: 'text', text });
  }

  #take(): ScannedPart[] {
    this.#flush();
    const parts = this.#parts;
    this.#parts = [];
    return parts;
  }
}

const isComplete = (candidate: string): boolean => candidate.length > 1 && closesMarker(candidate.slice(-1));
