import { type Random, seededRandom } from '../seeded-random.ts';

/** Distribution of repeated measurements, in milliseconds. */
export interface Timing {
  readonly p50: number;
  readonly p95: number;
  readonly runs: number;
  /** All measurements, in the order of the inputs. */
  readonly each: readonly number[];
}

export function timingOf(milliseconds: readonly number[]): Timing {
  const sorted = [...milliseconds].sort((one, two) => one - two);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { p50: at(0.5), p95: at(0.95), runs: sorted.length, each: milliseconds };
}

export async function timed(work: () => unknown): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** Something measured repeatedly with different inputs. */
export interface Variant<Name extends string> {
  readonly name: Name;
  /** Done before each measurement, and not measured. */
  prepare?(): unknown;
  run(input: string): unknown;
}

/** Measures all variants alternately on each input, so that other load affects all alike. The first rounds warm up. */
export async function interleaved<Name extends string>(
  variants: readonly Variant<Name>[],
  inputs: readonly string[],
  warmUps: number,
): Promise<Record<Name, Timing>> {
  const samples = new Map<Name, number[]>(variants.map(({ name }) => [name, []]));
  const random = seededRandom(variants.length);
  for (const [round, input] of [...inputs.slice(0, warmUps), ...inputs].entries()) {
    // In random order, so that no variant always follows the same one.
    for (const { name, prepare, run } of shuffled(variants, random)) {
      await prepare?.();
      const took = await timed(() => run(input));
      if (round >= warmUps) samples.get(name)?.push(took);
    }
  }
  return Object.fromEntries([...samples].map(([name, took]) => [name, timingOf(took)])) as Record<Name, Timing>;
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  return items
    .map((item) => ({ item, place: random.next() }))
    .sort((one, two) => one.place - two.place)
    .map(({ item }) => item);
}
