import { ServiceError } from '../errors.ts';
import { errorMessage } from '../shared/error-message.ts';

const MAX_SHOWN = 20;

/** Collects the errors of an input, to report all of them at once. */
export class Problems {
  readonly #input: string;
  readonly #found: { readonly line: number; readonly problem: string }[] = [];

  /** `input` names what is parsed, such as a file. */
  constructor(input: string) {
    this.#input = input;
  }

  add(line: number, problem: string): void {
    this.#found.push({ line, problem });
  }

  get isEmpty(): boolean {
    return this.#found.length === 0;
  }

  /** Throws `invalid_request` listing all errors, if there are any. */
  throwIfAny(): void {
    if (this.isEmpty) return;
    const sorted = this.#found.toSorted((one, two) => one.line - two.line);
    const shown = sorted.slice(0, MAX_SHOWN).map(({ line, problem }) => `  line ${line}: ${problem}`);
    const more = this.#found.length - shown.length;
    const rest = more > 0 ? [`  and ${more} more`] : [];
    throw new ServiceError(
      'invalid_request',
      [`${this.#input} cannot be used; nothing was run:`, ...shown, ...rest].join('\n'),
    );
  }
}

/** Parses a line as JSON, or explains why it is invalid. */
export function parseLine(text: string): { readonly value: unknown } | { readonly problem: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { problem: `This is not JSON (${errorMessage(error)}).` };
  }
}
