import { mapConcurrently } from '../../src/shared/map-concurrently.ts';

const WRITERS = 8;

export const textOf = (number: number, words = 'holds'): string =>
  `# Item ${number}\n\nThe shelf ${number * 7} ${words} ${number + 11} boxes of the series ${(number * 2654435761) % 1_000_003}.\n`;
export const changedText = (number: number): string => textOf(number, 'no longer holds');

/** Consecutive numbers from `first` on. */
export const numbers = (count: number, first = 0): readonly number[] =>
  Array.from({ length: count }, (_, at) => first + at);

export async function writeAll(items: readonly number[], write: (item: number) => Promise<unknown>): Promise<void> {
  async function* each() {
    yield* items;
  }
  for await (const _ of mapConcurrently(each(), WRITERS, write));
}
