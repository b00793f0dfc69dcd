import type { Block } from '../reader.ts';
import { maskCode } from './code-mask.ts';
import type { Syntax } from './code-syntax.ts';

/** Longer lines are data or minified code. */
const MAX_LINE = 1_000;
const MAX_NESTING = 5;

interface Line {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly masked: string;
}

interface Declaration {
  readonly name: string;
  readonly level: number;
  /** First line of its leading comments, and its own line. */
  readonly first: number;
  readonly line: number;
}

/**
 * The functions and classes of source code as headings, each named after the declaration and including the comments
 * above it. Undefined when there are none, as in settings and linear scripts.
 */
export function outlineBlocks(text: string, syntax: Syntax): Block[] | undefined {
  const lines = linesOf(text, maskCode(text, syntax));
  const declarations = [...(syntax.nests === 'braces' ? withinBraces(lines, syntax) : withinIndents(lines, syntax))];
  if (declarations.length === 0) return undefined;
  const blocks: Block[] = [];
  let from = 0;
  for (const { name, level, first, line } of declarations) {
    addCode(blocks, lines, from, first);
    const start = lines[first]?.start;
    const end = lines[line]?.end;
    if (start !== undefined && end !== undefined) blocks.push({ kind: 'heading', start, end, level, label: name });
    from = line + 1;
  }
  addCode(blocks, lines, from, lines.length);
  return blocks;
}

function linesOf(text: string, masked: string): Line[] {
  const lines: Line[] = [];
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    const line = text.slice(start, end);
    lines.push({ start, end: start + line.trimEnd().length, text: line, masked: masked.slice(start, end) });
    start = end + 1;
  }
  return lines;
}

/** Groups lines of code at blank lines, so that a long function is cut there. */
function addCode(blocks: Block[], lines: readonly Line[], from: number, to: number): void {
  let start: number | undefined;
  let end = 0;
  for (let index = from; index <= to; index++) {
    const line = index < to ? lines[index] : undefined;
    if (line !== undefined && line.text.trim() !== '') {
      start ??= line.start;
      end = line.end;
    } else if (start !== undefined) {
      blocks.push({ kind: 'code', start, end });
      start = undefined;
    }
  }
}

/** Declarations at the outermost level, and directly within containers such as classes. */
function* withinBraces(lines: readonly Line[], syntax: Syntax): Generator<Declaration, void> {
  /** Bracket depth of each open container. */
  const open: number[] = [];
  let depth = 0;
  let pending: boolean | undefined;
  let free = 0;
  for (const [index, { text, masked }] of lines.entries()) {
    while (open.length > 0 && depth < (open.at(-1) ?? 0)) open.pop();
    const isPlace = depth === (open.at(-1) ?? 0) && pending === undefined;
    const found =
      isPlace && text.length <= MAX_LINE
        ? declarationIn(masked, text, { syntax, isWithin: open.length > 0 })
        : undefined;
    if (found !== undefined) {
      const first = leadStart(lines, index, { syntax, free });
      yield { name: found.name, level: Math.min(6, open.length + 1), first, line: index };
      free = index + 1;
      pending = found.opens;
    }
    for (const letter of masked.match(/[{}();]/g) ?? []) {
      if (letter === '{' || letter === '(') {
        depth++;
        if (letter === '{' && pending === true && open.length < MAX_NESTING) open.push(depth);
        if (letter === '{') pending = undefined;
      } else if (letter === '}' || letter === ')') depth = Math.max(0, depth - 1);
      // A declaration without a body.
      else if (depth === (open.at(-1) ?? 0)) pending = undefined;
    }
    // A declaration that opened no bracket by the end of its line, such as a one-line type, ends here unless its list
    // continues.
    if (pending === false && depth === (open.at(-1) ?? 0) && !/[,=(]\s*$|\)\s*(?:->.*|:.*)?$/.test(masked))
      pending = undefined;
  }
}

/** A declaration contains the lines with deeper indentation. */
function* withinIndents(lines: readonly Line[], syntax: Syntax): Generator<Declaration, void> {
  const open: { indent: number; opens: boolean }[] = [];
  let free = 0;
  for (const [index, { text, masked }] of lines.entries()) {
    if (masked.trim() === '' || text.length > MAX_LINE) continue;
    const found = declarationIn(masked, text, { syntax, isWithin: open.length > 0 });
    if (found === undefined) continue;
    const indent = /^\s*/.exec(text)?.[0].length ?? 0;
    while ((open.at(-1)?.indent ?? -1) >= indent) open.pop();
    // Functions nested in functions are not listed.
    if (open.some(({ opens }) => !opens) || open.length >= MAX_NESTING) continue;
    const first = leadStart(lines, index, { syntax, free });
    yield { name: found.name, level: Math.min(6, open.length + 1), first, line: index };
    free = index + 1;
    open.push({ indent, opens: found.opens && !/^\s*(?:async\s+)?def\b/.test(masked) });
  }
}

function declarationIn(
  masked: string,
  text: string,
  { syntax, isWithin }: { readonly syntax: Syntax; readonly isWithin: boolean },
): { readonly name: string; readonly opens: boolean } | undefined {
  if (masked.trim() === '') return undefined;
  for (const { pattern, opens, onlyWithin = false } of syntax.declarations) {
    if (onlyWithin && !isWithin) continue;
    const name = pattern.exec(masked)?.[1];
    // A name within quotes is masked; it is then read from the unmasked line.
    if (name !== undefined) return { name: name.trim() === '' ? text.trim() : name, opens };
  }
  return undefined;
}

/** Comments and decorators directly above a declaration belong to it. */
function leadStart(lines: readonly Line[], index: number, { syntax, free }: { syntax: Syntax; free: number }): number {
  let first = index;
  while (first > free) {
    const above = lines[first - 1];
    if (above === undefined || above.text.trim() === '') break;
    // Lines within a block comment may begin with anything.
    if (!syntax.leads.test(above.text) && above.masked.trim() !== '') break;
    first--;
  }
  return first;
}
