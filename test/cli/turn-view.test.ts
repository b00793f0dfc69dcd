import { describe, expect, it } from 'vitest';
import type { AgentReply, ShownEvent } from '../../src/cli/agent-wire.ts';
import type { Output } from '../../src/cli/output.ts';
import { noteOutcome, shortArguments, TurnView, usageLine } from '../../src/cli/turn-view.ts';

/** The output of a terminal that shows both streams; notes are marked with their style. */
function screen(): { readonly output: Output; readonly text: () => string; readonly piped: () => string } {
  let text = '';
  let piped = '';
  const out = (words: string) => {
    text += words;
    piped += words;
  };
  const output: Output = {
    print: (line = '') => out(`${line}\n`),
    write: out,
    note: (line = '') => {
      text += `${line}\n`;
    },
    status: () => {},
    style: (_, words) => words,
    link: (words) => words,
    noteStyle: (style, words) => `<${style}>${words}`,
    isInteractive: true,
    width: 80,
  };
  return { output, text: () => text, piped: () => piped };
}

function show(...events: readonly ShownEvent[]) {
  const { output, text, piped } = screen();
  let time = 0;
  const view = new TurnView(output, () => {
    time += 300;
    return time;
  });
  for (const event of events) view.show(event);
  view.end();
  return { text: text(), piped: piped() };
}

const call = (id: string, given: object = { query: 'fees' }): ShownEvent => ({
  type: 'tool_call',
  id,
  name: 'search_file_knowledge',
  given,
});
const result = (id: string, failure?: string): ShownEvent => ({
  type: 'tool_result',
  id,
  name: 'search_file_knowledge',
  content: failure ?? 'found',
  isError: failure !== undefined,
});

describe('a turn', () => {
  it('shows tools as they run and text as it arrives, on separate lines', () => {
    const { text, piped } = show(
      { type: 'text', text: 'Let me' },
      { type: 'text', text: ' look.' },
      call('a'),
      result('a'),
      call('b'),
      result('b', 'Error [timeout]: too slow.'),
      { type: 'text', text: 'Ten.' },
    );
    expect(text).toBe(
      'Let me look.\n' +
        '<dim>  → search_file_knowledge query="fees"\n' +
        '<dim>  ✓ search_file_knowledge 0.3 s\n' +
        '<dim>  → search_file_knowledge query="fees"\n' +
        '<yellow>  ✗ search_file_knowledge: Error [timeout]: too slow.\n' +
        'Ten.\n',
    );
    expect(piped).toBe('Let me look.\nTen.\n');
  });

  it('shows thinking dimmed and line by line, and flushes the last line before other output', () => {
    const { text } = show(
      { type: 'thinking', text: 'First I se' },
      { type: 'thinking', text: 'arch.\n\nThen' },
      { type: 'thinking', text: ' I read.' },
      { type: 'text', text: 'So.\n' },
    );
    expect(text).toBe('<dim>  First I search.\n<dim>  Then I read.\nSo.\n');
  });

  it('strips terminal control sequences from tool results and text', () => {
    const { text } = show({ type: 'text', text: 'a\u001b[2Jb' }, call('a'), result('a', 'bad\u001b[2J\nnews'));
    expect(text).not.toContain('\u001b');
    expect(text).toContain('bad\ufffd[2J news');
  });
});

describe('arguments', () => {
  it.each([
    [{}, ''],
    [{ query: 'a "b"', limit: 3 }, 'query="a \\"b\\"" limit=3'],
    [{ query: 'x'.repeat(100) }, `query="${'x'.repeat(58)}…`],
  ])('%j are abbreviated', (given, expected) => {
    expect(shortArguments(given)).toBe(expected);
  });
});

const spent = { input: 4210, cachedInput: 1024, output: 312, steps: 3, seconds: 6.14, dollars: 0.0042 };

describe('the cost of a turn', () => {
  it.each([
    [spent, 'm · 3 steps · 4,210 tokens read (1,024 cached), 312 written · $0.0042 · 6.1 s'],
    [
      { ...spent, cachedInput: 0, dollars: 1.5, steps: 1 },
      'm · 1 step · 4,210 tokens read, 312 written · $1.50 · 6.1 s',
    ],
    [{ ...spent, dollars: null }, 'm · 3 steps · 4,210 tokens read (1,024 cached), 312 written · 6.1 s'],
    [{ ...spent, dollars: 0 }, 'm · 3 steps · 4,210 tokens read (1,024 cached), 312 written · 6.1 s'],
    [{ ...spent, input: 0, output: 0, dollars: 0 }, 'm · 3 steps · 6.1 s'],
  ])('is one line', (used, line) => {
    expect(usageLine('m', used)).toBe(line);
  });

  it('follows the warnings', () => {
    const { output, text } = screen();
    const reply: AgentReply = {
      text: 'A. B.',
      mode: 'rag',
      model: 'm',
      citations: [],
      removedMarkers: 0,
      conversationId: 'c',
      stopReason: 'steps',
      unsupported: ['A.', 'B.'],
      spent,
    };
    noteOutcome(reply, output);
    expect(text()).toMatch(
      /^\n<yellow>Ended early: the step limit was reached\.\n<yellow>2 sentences are not supported by any cited passage\.\n<dim>m · 3 steps/,
    );
  });
});
