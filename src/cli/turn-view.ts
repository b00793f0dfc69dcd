import type { AgentReply, ShownEvent, TurnSpend } from './agent-wire.ts';
import { visible, visibleLine } from './layout.ts';
import type { Output } from './output.ts';
import { count, counted } from './progress-line.ts';

/** Maximum number of columns shown of a tool's argument. */
const ARGUMENT_WIDTH = 60;

/**
 * Shows a turn as it happens: the text on stdout; tool calls and thinking on stderr, so that a pipe receives only the
 * answer.
 */
export class TurnView {
  readonly #output: Output;
  readonly #now: () => number;
  readonly #startedAt = new Map<string, number>();
  #isLineOpen = false;
  #thought = '';

  constructor(output: Output, now: () => number = () => performance.now()) {
    this.#output = output;
    this.#now = now;
  }

  show(event: ShownEvent): void {
    if (event.type !== 'thinking') this.#endThought();
    switch (event.type) {
      case 'thinking':
        this.#think(event.text);
        return;
      case 'text':
        if (event.text === '') return;
        this.#output.write(visible(event.text));
        this.#isLineOpen = !event.text.endsWith('\n');
        return;
      case 'tool_call':
        this.#startedAt.set(event.id, this.#now());
        this.#note('dim', `→ ${event.name} ${shortArguments(event.given)}`);
        return;
      case 'tool_result': {
        const seconds = (this.#now() - (this.#startedAt.get(event.id) ?? this.#now())) / 1000;
        if (event.isError) this.#note('yellow', `✗ ${event.name}: ${event.content}`);
        else this.#note('dim', `✓ ${event.name} ${seconds.toFixed(1)} s`);
        return;
      }
      case 'answer':
        this.end();
    }
  }

  /** Ends the line the turn has begun, if any. */
  end(): void {
    this.#endThought();
    if (this.#isLineOpen) this.#output.print();
    this.#isLineOpen = false;
  }

  // Buffered until a line is complete, because notes are whole lines.
  #think(text: string): void {
    const lines = (this.#thought + text).split('\n');
    this.#thought = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') this.#note('dim', line);
  }

  #endThought(): void {
    const rest = this.#thought;
    this.#thought = '';
    if (rest.trim() !== '') this.#note('dim', rest);
  }

  #note(style: 'dim' | 'yellow', text: string): void {
    if (this.#isLineOpen) this.#output.print();
    this.#isLineOpen = false;
    this.#output.note(
      this.#output.noteStyle(style, `  ${cut(visibleLine(text), Math.max(40, this.#output.width - 3))}`),
    );
  }
}

/** `query="harbour fees" limit=5` */
export function shortArguments(given: object): string {
  return Object.entries(given)
    .map(([name, value]) => `${name}=${cut(JSON.stringify(value) ?? 'null', ARGUMENT_WIDTH)}`)
    .join(' ');
}

const cut = (text: string, width: number): string => (text.length <= width ? text : `${text.slice(0, width - 1)}…`);

const stopWords: Readonly<Record<string, string>> = {
  steps: 'the step limit was reached',
  tokens: 'the token limit was reached',
  time: 'the time limit was reached',
  money: 'the cost limit was reached',
  length: 'the model reached its output limit',
  refusal: 'the model declined',
};

/** Notes warnings and the cost of the turn, below its sources. */
export function noteOutcome({ mode, stopReason, unsupported, spent, model }: AgentReply, output: Output): void {
  output.note();
  if (stopReason !== 'end')
    output.note(output.noteStyle('yellow', `Ended early: ${stopWords[stopReason] ?? stopReason}.`));
  // In an extractive answer, the only sentences that are not quoted are those that frame the quotations.
  if (unsupported.length > 0 && mode !== 'extractive') {
    const which = unsupported.length === 1 ? 'One sentence is' : `${unsupported.length} sentences are`;
    output.note(output.noteStyle('yellow', `${which} not supported by any cited passage.`));
  }
  output.note(output.noteStyle('dim', usageLine(model, spent)));
}

/** `openai/gpt-6-luna · 3 steps · 4,210 tokens read (1,024 cached), 312 written · $0.0042 · 6.1 s` */
export function usageLine(model: string, spent: TurnSpend): string {
  const { input, cachedInput, output, steps, seconds, dollars } = spent;
  return [
    model,
    counted(steps, 'step'),
    ...(input + output === 0
      ? []
      : [
          `${count(input)} tokens read${cachedInput === 0 ? '' : ` (${count(cachedInput)} cached)`}, ${count(output)} written`,
        ]),
    ...(dollars === null || dollars === 0 ? [] : [`$${dollars.toFixed(dollars < 0.1 ? 4 : 2)}`]),
    `${seconds.toFixed(1)} s`,
  ].join(' · ');
}
