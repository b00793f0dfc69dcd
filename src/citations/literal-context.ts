/** Markdown context relevant to markers. */
type Place =
  | { readonly kind: 'prose' | 'link_target' }
  | { readonly kind: 'code_span'; readonly ticks: number }
  /** `opening` is true until the end of the line that opened the fence. */
  | { readonly kind: 'fence'; readonly char: string; readonly length: number; readonly opening: boolean };

const PROSE: Place = { kind: 'prose' };

// Allowed before a fence: indentation, block quote signs, a list item's bullet.
const BEFORE_FENCE = /^[\s>]*(?:(?:[-*+]|\d{1,3}[.)])\s+)?$/;
const MAX_BEFORE_FENCE = 40;

/**
 * Character-by-character Markdown state: whether the position is inside code or a link target, where brackets are
 * literal. A code span ends at the end of the line at the latest, so a stray backtick cannot hide the rest of an
 * answer.
 */
export class LiteralContext {
  #place: Place = PROSE;
  #line = '';
  #run = { char: '', length: 0 };
  #previous = '';

  get isLiteral(): boolean {
    return this.#place.kind !== 'prose';
  }

  step(char: string): void {
    if (this.#run.length > 0 && char !== this.#run.char) this.#endRun(char);
    if (char === '`' || char === '~') this.#run = { char, length: this.#run.length + 1 };
    else this.#stepPlain(char);
    this.#previous = char;
  }

  #stepPlain(char: string): void {
    if (char === '\n') {
      this.#line = '';
      this.#place = this.#place.kind === 'fence' ? { ...this.#place, opening: false } : PROSE;
      return;
    }
    if (this.#line.length <= MAX_BEFORE_FENCE) this.#line += char;
    if (this.#place.kind === 'prose' && char === '(' && this.#previous === ']') this.#place = { kind: 'link_target' };
    else if (this.#place.kind === 'link_target' && /[\s)]/.test(char)) this.#place = PROSE;
  }

  /** Handles the end of a run of backticks or tildes; `next` is the character after it. */
  #endRun(next: string): void {
    const { char, length } = this.#run;
    this.#run = { char: '', length: 0 };
    const startsLine = BEFORE_FENCE.test(this.#line);
    if (this.#line.length <= MAX_BEFORE_FENCE) this.#line += char;
    this.#place = afterRun(this.#place, { char, length, startsLine, next });
  }
}

interface Run {
  readonly char: string;
  readonly length: number;
  readonly startsLine: boolean;
  readonly next: string;
}

function afterRun(place: Place, { char, length, startsLine, next }: Run): Place {
  switch (place.kind) {
    case 'fence':
      // An opening fence line contains no backticks: "```x``` and more" is a code span.
      if (place.opening && char === '`')
        return length === place.length ? PROSE : { kind: 'code_span', ticks: place.length };
      return startsLine && char === place.char && length >= place.length && /\s/.test(next) ? PROSE : place;
    case 'code_span':
      return char === '`' && length === place.ticks ? PROSE : place;
    case 'prose':
    case 'link_target':
      if (startsLine && length >= 3) return { kind: 'fence', char, length, opening: true };
      return char === '`' ? { kind: 'code_span', ticks: length } : place;
  }
}
