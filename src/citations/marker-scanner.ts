import type { Span } from './citation.ts';
import { LiteralContext } from './literal-context.ts';
import { closesMarker, mayBecomeMarker, opensMarker, readMarker } from './marker.ts';

/** A piece of the answer. The text of a marker, always `[n]`, belongs to the text part before it. */
export type ScannedPart =
  | { readonly type: 'text'; readonly text: string }
  /** `number` is the internal number of the source, `shown` the number in the text. */
  | { readonly type: 'marker'; readonly number: number; readonly shown: number; readonly span: Span };

/**
 * Finds markers in a token stream, regardless of token borders. Text is emitted immediately, except white space and
 * possible beginnings of a marker. Lists are expanded (`[1, 2]` becomes `[1][2]`); markers without a source are removed
 * and counted. Brackets in code, and links such as `[1](http://…)`, are left unchanged.
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
  /** Held-back spaces; dropped if the marker after them is removed. */
  #spaces = '';
  #candidate = '';
  #justRemoved = false;
  #removed = 0;

  /** `show` maps a source's number to the number in the text; identity by default. */
  constructor(isKnown: (number: number) => boolean, show: (number: number) => number = (number) => number) {
    this.#isKnown = isKnown;
    this.#show = show;
  }

  /** The answer emitted so far. */
  get text(): string {
    return this.#text;
  }

  /** Number of removed markers. */
  get removed(): number {
    return this.#removed;
  }

  push(token: string): ScannedPart[] {
    for (let index = 0; index < token.length; index++) this.#step(token.charAt(index));
    return this.#take();
  }

  /** Emits the text still held back. */
  end(): ScannedPart[] {
    if (this.#candidate !== '') this.#close('');
    if (!this.#justRemoved) this.#emit('');
    return this.#take();
  }

  #step(char: string): void {
    this.#context.step(char);
    if (this.#candidate !== '') {
      if (!isComplete(this.#candidate) && this.#extend(char)) return;
      this.#close(char);
    }
    if (this.#context.isLiteral) this.#emit(char);
    else if (opensMarker(char) && (this.#last !== '\\' || this.#spaces !== '')) this.#candidate = char;
    else if (char === ' ' || char === '\t') this.#holdSpace(char);
    else this.#emitPlain(char);
  }

  /** Ends the candidate; `next` is the character after it. */
  #close(next: string): void {
    const candidate = this.#candidate;
    this.#candidate = '';
    const isLink = next === '(' && candidate.endsWith(']');
    const numbers = isComplete(candidate) && !isLink ? readMarker(candidate) : undefined;
    // "list[0]" is an array index, also outside of code: no source has the number 0.
    const isIndex = numbers?.[0] === 0 && this.#spaces === '' && /[\p{L}\p{N}_]/u.test(this.#last);
    if (numbers === undefined || isIndex) this.#emit(candidate);
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
    for (const number of known) this.#emitMarker(number);
  }

  #emitMarker(number: number): void {
    const shown = this.#show(number);
    const marker = `[${shown}]`;
    this.#emit(marker);
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

  #emitPlain(char: string): void {
    if (this.#justRemoved && /[\s.,;:!?)\]…。，、；：！？）]/.test(char)) this.#spaces = '';
    // The characters around a removed marker must not join into a new one: "[1" + "]".
    const joins = this.#justRemoved && this.#spaces === '' && /[\d\]]/.test(char) && /[[\d]/.test(this.#last);
    this.#emit(joins ? ` ${char}` : char);
  }

  #emit(text: string): void {
    const piece = this.#spaces + text;
    this.#spaces = '';
    this.#justRemoved = false;
    this.#last = piece.slice(-1) || this.#last;
    this.#length += piece.length;
    this.#ready.push(piece);
  }

  #flush(): void {
    // Joined once: appending single characters builds deep ropes, which are slow to read.
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
