/** One of `count` parts of a list. */
export interface Part {
  /** From 1. */
  readonly number: number;
  readonly count: number;
}

/** Null if the text is not a part such as `2/5`. */
export function readPart(text: string): Part | null {
  const [number = 0, count = 0] = (/^(\d{1,3})\/(\d{1,3})$/.exec(text) ?? []).slice(1).map(Number);
  return number >= 1 && number <= count ? { number, count } : null;
}

/**
 * The named suites and, with a part, that part of the others. Without both, all of them. The order stays, and each of
 * the others is in one part, so that none is left out when all parts are run.
 */
export function chooseSuites<Suite extends { readonly name: string }>(
  suites: readonly Suite[],
  names: readonly string[],
  part?: Part,
): Suite[] {
  const others = suites.filter(({ name }) => !names.includes(name));
  const isInPart = (place: number) =>
    part === undefined ? names.length === 0 : place % part.count === part.number - 1;
  return suites.filter((suite) => !others.includes(suite) || isInPart(others.indexOf(suite)));
}
