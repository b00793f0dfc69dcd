/** The word behind the fence of a block of calls. */
export const TOOL_BLOCK = 'tool_calls';

// Also the forms that models were trained on and fall into whatever they are told.
const OPENINGS: readonly (readonly [opening: string, closing: string, isSure: boolean])[] = [
  ['```tool_calls', '```', true],
  ['```tool_call', '```', true],
  ['```json', '```', false],
  ['<tool_call>', '</tool_call>', true],
];

export interface ToolBlocks {
  /** The part of the text so far that is sure to be no block. */
  push(text: string): string;
  end(): string;
  /** What stood in the blocks, in order. */
  readonly bodies: readonly string[];
}

/**
 * Takes blocks of calls out of a stream of text. Text passes at once, but for what may become the opening of a block;
 * blocks themselves are kept back. After a block nothing passes any more: models that go on make results up.
 * `isCalls` says whether a block of JSON that is not marked as calls is one.
 */
export function toolBlocks(isCalls: (body: string) => boolean): ToolBlocks {
  const bodies: string[] = [];
  let held = '';
  let open: (typeof OPENINGS)[number] | undefined;
  let startsLine = true;

  /** Reads on as far as `held` decides; `isEnd` when nothing will follow. */
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
      const [start, closing, isSure] = open;
      const close = held.indexOf(closing, start.length);
      if (close === -1 && !isEnd) return passed;
      const body = held.slice(start.length, close === -1 ? undefined : close);
      const length = close === -1 ? held.length : close + closing.length;
      if (isSure || isCalls(body)) {
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

/** Where a block begins, or may begin once more text is there; the whole text when nothing in it can. */
function nextOpening(
  text: string,
  startsLine: boolean,
): { readonly at: number; readonly opening?: (typeof OPENINGS)[number] } {
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (char !== '`' && char !== '<') continue;
    // A fence in the middle of a line is code that speaks of fences.
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

/** Whether JSON that is not marked as calls is nothing but calls of tools there are. */
export function isToolBlock(body: string, known: ReadonlySet<string>): boolean {
  const calls = parsedLines(body.trim())?.flatMap(callsIn) ?? [];
  return calls.length > 0 && calls.every(({ name, arguments: given }) => known.has(name) && given !== undefined);
}

/**
 * The calls in a block. What is meant as a call and cannot be read is one with its text as arguments, so that the model
 * is told.
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
  const whole = parsed(text);
  if (whole !== undefined) return [whole];
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const values = lines.map(parsed);
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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
