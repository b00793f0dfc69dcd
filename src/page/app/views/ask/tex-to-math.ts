import {
  accents,
  functions,
  inAlphabet,
  isAlphabet,
  letters,
  limits,
  matrices,
  operators,
  spaces,
  sums,
} from './tex-symbols.ts';

/** An element of MathML. */
export interface MathNode {
  readonly tag: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly children: readonly (MathNode | string)[];
}

/** Part of a formula that is not supported. */
class Unsupported extends Error {}

/** Maximum number of brackets and braces within each other. */
const MAX_DEPTH = 50;
const TOKEN = /\\(?:[A-Za-z]+|[^A-Za-z])|\d+(?:\.\d+)?|\s+|[\s\S]/gu;

/** The MathML of a formula in TeX; undefined if it uses more than this understands. */
export function texToMath(source: string): readonly MathNode[] | undefined {
  const parser = new Parser([...source.matchAll(TOKEN)].map(([token]) => token));
  try {
    return parser.all();
  } catch (error) {
    if (error instanceof Unsupported) return undefined;
    throw error;
  }
}

const element = (tag: string, ...children: readonly (MathNode | string)[]): MathNode => ({ tag, children });
const row = (nodes: readonly MathNode[]): MathNode =>
  nodes.length === 1 && nodes[0] !== undefined ? nodes[0] : element('mrow', ...nodes);
const bracket = (sign: string, isStretchy = true): MathNode => ({
  tag: 'mo',
  attributes: { stretchy: String(isStretchy), fence: 'true' },
  children: [sign],
});

class Parser {
  readonly #tokens: string[];
  #at = 0;
  #depth = 0;

  constructor(tokens: string[]) {
    this.#tokens = tokens;
  }

  all(): readonly MathNode[] {
    const nodes = this.#row([]);
    if (this.#at < this.#tokens.length) throw new Unsupported();
    return nodes;
  }

  /** Everything up to one of these tokens, which is left, or to the end. */
  #row(ends: readonly string[]): readonly MathNode[] {
    if (++this.#depth > MAX_DEPTH) throw new Unsupported();
    const nodes: MathNode[] = [];
    for (;;) {
      this.#skipSpace();
      const token = this.#tokens[this.#at];
      if (token === undefined || ends.includes(token)) {
        this.#depth--;
        return nodes;
      }
      if (['}', '&', '\\\\', '\\right', '\\end'].includes(token)) throw new Unsupported();
      nodes.push(this.#scripted());
    }
  }

  /** An atom with its subscript and superscript. */
  #scripted(): MathNode {
    const token = this.#tokens[this.#at] ?? '';
    const name = token.startsWith('\\') ? token.slice(1) : '';
    const isSum = sums.has(name) || limits.has(name);
    const base = token === '^' || token === '_' ? element('mrow') : this.#atom();
    let below: MathNode | undefined;
    let above: MathNode | undefined;
    for (;;) {
      this.#skipSpace();
      const sign = this.#tokens[this.#at];
      if (sign === '_' && below === undefined) {
        this.#at++;
        below = this.#argument();
      } else if (sign === '^' && above === undefined) {
        this.#at++;
        above = this.#argument();
      } else if (sign === "'" && above === undefined) {
        let primes = '';
        for (; this.#tokens[this.#at] === "'"; this.#at++) primes += '′';
        above = element('mo', primes);
      } else break;
    }
    if (below !== undefined && above !== undefined)
      return element(isSum ? 'munderover' : 'msubsup', base, below, above);
    if (below !== undefined) return element(isSum ? 'munder' : 'msub', base, below);
    return above === undefined ? base : element(isSum ? 'mover' : 'msup', base, above);
  }

  #atom(): MathNode {
    const token = this.#take();
    if (token.startsWith('\\')) return this.#command(token.slice(1));
    if (token === '{') return this.#group();
    if (/^\d/.test(token)) return element('mn', token);
    if (/^\p{L}$/u.test(token)) return element('mi', token);
    if (token === '~') return { tag: 'mspace', attributes: { width: '0.3em' }, children: [] };
    if ('()[]|'.includes(token)) return bracket(token, false);
    if (token === '%' || token === '#') throw new Unsupported();
    return element('mo', token === '-' ? '−' : token === '*' ? '∗' : token);
  }

  #command(name: string): MathNode {
    const letter = letters.get(name);
    if (letter !== undefined) return element('mi', letter);
    const operator = operators.get(name) ?? sums.get(name);
    if (operator !== undefined) return element('mo', operator);
    if (functions.has(name) || limits.has(name)) return element('mi', name);
    const width = spaces.get(name);
    if (width !== undefined) return { tag: 'mspace', attributes: { width }, children: [] };
    const accent = accents.get(name);
    if (accent !== undefined) {
      return { tag: 'mover', attributes: { accent: 'true' }, children: [this.#argument(), element('mo', accent)] };
    }
    if (isAlphabet(name)) return element('mi', [...this.#text()].map((each) => inAlphabet(name, each)).join(''));
    if (/^[{}]$/.test(name)) return bracket(name, false);
    if (/^[$%&#_|]$/.test(name)) return element('mo', name === '|' ? '‖' : name);
    switch (name) {
      case 'frac':
      case 'dfrac':
      case 'tfrac':
        return element('mfrac', this.#argument(), this.#argument());
      case 'binom': {
        const parts = [this.#argument(), this.#argument()];
        const over: MathNode = { tag: 'mfrac', attributes: { linethickness: '0' }, children: parts };
        return element('mrow', bracket('('), over, bracket(')'));
      }
      case 'sqrt':
        return this.#root();
      case 'text':
      case 'textit':
      case 'textbf':
      case 'textrm':
      case 'mbox':
        return element('mtext', this.#text());
      case 'mathrm':
      case 'operatorname':
        return { tag: 'mi', attributes: { mathvariant: 'normal' }, children: [this.#text()] };
      case 'mathit':
      case 'displaystyle':
      case 'textstyle':
      case 'limits':
      case 'nolimits':
        return element('mrow');
      case 'underline':
        return element('munder', this.#argument(), element('mo', '_'));
      case 'left':
        return this.#fenced();
      case 'begin':
        return this.#table();
      default:
        throw new Unsupported();
    }
  }

  #argument(): MathNode {
    this.#skipSpace();
    const token = this.#tokens[this.#at] ?? '';
    if (/^\d./.test(token)) {
      // Without braces, an argument is a single digit.
      this.#tokens[this.#at] = token.slice(1);
      return element('mn', token.slice(0, 1));
    }
    return this.#atom();
  }

  #group(): MathNode {
    const nodes = this.#row(['}']);
    this.#expect('}');
    return row(nodes);
  }

  #root(): MathNode {
    this.#skipSpace();
    if (this.#tokens[this.#at] !== '[') return element('msqrt', this.#argument());
    this.#at++;
    const degree = row(this.#row([']']));
    this.#expect(']');
    return element('mroot', this.#argument(), degree);
  }

  #fenced(): MathNode {
    const open = this.#delimiter();
    const nodes = this.#row(['\\right']);
    this.#expect('\\right');
    return element('mrow', bracket(open), ...nodes, bracket(this.#delimiter()));
  }

  #delimiter(): string {
    this.#skipSpace();
    const token = this.#take();
    if (token === '.') return '';
    if (!token.startsWith('\\')) return token;
    const name = token.slice(1);
    const sign = name === '|' ? '‖' : (operators.get(name) ?? name);
    if (/^[A-Za-z]/.test(sign)) throw new Unsupported();
    return sign;
  }

  #table(): MathNode {
    const name = this.#text();
    const brackets = matrices.get(name);
    if (brackets === undefined) throw new Unsupported();
    this.#skipSpace();
    if (name === 'array' && this.#tokens[this.#at] === '{') this.#text();
    const rows: MathNode[] = [];
    let cells: MathNode[] = [];
    for (;;) {
      cells.push(element('mtd', ...this.#row(['&', '\\\\', '\\end'])));
      const end = this.#take();
      if (end === '&') continue;
      const isEmpty = cells.length === 1 && cells[0]?.children.length === 0;
      if (!isEmpty) rows.push(element('mtr', ...cells));
      cells = [];
      if (end === '\\end') break;
    }
    if (this.#text() !== name) throw new Unsupported();
    const [open, close] = brackets;
    const outer = (sign: string) => (sign === '' ? [] : [bracket(sign)]);
    return element('mrow', ...outer(open), element('mtable', ...rows), ...outer(close));
  }

  /** The words in the following braces, or the following character. */
  #text(): string {
    this.#skipSpace();
    if (this.#tokens[this.#at] !== '{') return this.#take();
    this.#at++;
    let text = '';
    for (let token = this.#take(); token !== '}'; token = this.#take()) {
      if (token === '{' || (token.length > 2 && token.startsWith('\\'))) throw new Unsupported();
      text += token.replace(/^\\/, '');
    }
    return text;
  }

  #take(): string {
    const token = this.#tokens[this.#at++];
    if (token === undefined) throw new Unsupported();
    return token;
  }

  #expect(token: string): void {
    this.#skipSpace();
    if (this.#take() !== token) throw new Unsupported();
  }

  #skipSpace(): void {
    while (/^\s/.test(this.#tokens[this.#at] ?? '')) this.#at++;
  }
}
