import { jsonOrUndefined } from '../shared/text.ts';
/** Info string of a fenced block of calls. */
export const TOOL_BLOCK = 'tool_calls';

// Includes formats that models were trained on and use regardless of instructions.
const OPENINGS: readonly (readonly [opening: string, closing: string, isSure: boolean])[] = [
  ['```tool_calls', '```', true],
  ['```tool_call', '```', true],
  ['```json', '```', false],
  ['<tool_call>', '</tool_call>', true],
];

export interface ToolBlocks {
  /** Text that is certainly not part of a block. */
  push(text: string): string;
  end(): string;
  /** Contents of the blocks, in order. */
  readonly bodies: readonly string[];
}

/**
 * Extracts blocks of calls from a text stream. Text is emitted immediately, except possible beginnings of a block.
 * Everything after a block is discarded, because models that continue invent results. `isCalls` decides whether an
 * unmarked JSON block consists of calls.
 */
export function toolBlocks(isCalls: (body: string) => boolean): ToolBlocks {
  const bodies: string[] = [];
  let held = '';
  let open: (typeof OPENINGS)[number] | undefined;
  let startsLine = true;

  /** Processes `held` as far as it is decidable; `isEnd` when no more text follows. */
  function read(isEnd: boolean): string {
    let passed = '';
    const pass = (length: number) => {
      if (bodies.length === 0) passed += held.slice(0, length);
      if (length > 0) startsLine = held.charAt(length - 1) === '\n';
      held = held.slice(length);
    };
    for (;;) {
      if (open === undefined) {
        const { at, opening } = nextOpening(held, startsLine);
        pass(at);
        if (opening === undefined) {
          if (isEnd) pass(held.length);
          return passed;
        }
        open = opening;
      }
      const [start, closing, isCertain] = open;
      const close = held.indexOf(closing, start.length);
      if (close === -1 && !isEnd) return passed;
      const body = held.slice(start.length, close === -1 ? undefined : close);
      const length = close === -1 ? held.length : close + closing.length;
      if (isCertain || isCalls(body)) {
        bodies.push(body);
        held = held.slice(length);
      } else pass(length);
      open = undefined;
    }
  }

  return {
    bodies,
    push(text) {
      held += text;
      return read(false);
    },
    end: () => read(true),
  };
}

/** Index where a block begins or may begin with more text; the text's length when there is none. */
function nextOpening(
  text: string,
  startsLine: boolean,
): { readonly at: number; readonly opening?: (typeof OPENINGS)[number] } {
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (char !== '`' && char !== '<') continue;
    // A fence in the middle of a line is not a block.
    if (char === '`' && !(at === 0 ? startsLine : /\n[ \t]*$/.test(text.slice(Math.max(0, at - 20), at)))) continue;
    const rest = text.slice(at);
    const opening = OPENINGS.find(([start]) => rest.startsWith(start));
    // `tool_call` may still become `tool_calls`.
    const isOpen = OPENINGS.some(([start]) => start.length > rest.length && start.startsWith(rest));
    if (isOpen) return { at };
    if (opening !== undefined) return { at, opening };
  }
  return { at: text.length };
}

interface Call {
  readonly name: string;
  readonly arguments: unknown;
}

/** Whether unmarked JSON consists only of calls of known tools. */
export function isToolBlock(body: string, known: ReadonlySet<string>): boolean {
  const calls = parsedLines(body.trim())?.flatMap(callsIn) ?? [];
  return calls.length > 0 && calls.every(({ name, arguments: given }) => known.has(name) && given !== undefined);
}

/**
 * Parses the calls of a block. An unparsable call is returned with its text as arguments, so that the model gets an
 * error message.
 */
export function readToolBlock(body: string): Call[] {
  const text = body.trim();
  const values = parsedLines(text);
  if (values !== undefined) {
    return values.flatMap(callsIn).map(({ name, arguments: given }) => ({ name, arguments: given ?? {} }));
  }
  const [, name] = /"(?:name|tool)"\s*:\s*"([^"]{1,100})"/.exec(text) ?? [];
  return name === undefined ? [] : [{ name, arguments: text }];
}

/** One JSON value, or one per line. */
function parsedLines(text: string): unknown[] | undefined {
  const whole = jsonOrUndefined(text);
  if (whole !== undefined) return [whole];
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const values = lines.map(jsonOrUndefined);
  return lines.length > 0 && values.every((value) => value !== undefined) ? values : undefined;
}

function callsIn(value: unknown): Call[] {
  if (Array.isArray(value)) return value.flatMap(callsIn);
  if (typeof value !== 'object' || value === null) return [];
  const member = value as Readonly<Record<string, unknown>>;
  if (Array.isArray(member['tool_calls'])) return callsIn(member['tool_calls']);
  if (typeof member['function'] === 'object') return callsIn(member['function']);
  const name = member['name'] ?? member['tool'];
  if (typeof name !== 'string') return [];
  return [{ name, arguments: member['arguments'] ?? member['parameters'] ?? member['args'] }];
}
