/** Levels of nesting that are read; real documents and requests stay far below. */
const MAX_DEPTH = 64;

/**
 * Why JSON from outside must not be worked on, in words; undefined when it may. Looks level by level and not by
 * recursion, which hostile input could exhaust.
 */
export function jsonProblem(value: unknown): string | undefined {
  let level: object[] = [value].filter(isObject);
  for (let depth = 0; level.length > 0; depth++) {
    if (depth >= MAX_DEPTH) return `JSON nested deeper than ${MAX_DEPTH} levels is not accepted.`;
    // Schemas leave such a member out without a word, and a filter without its condition lets everything through.
    if (level.some((each) => Object.hasOwn(each, '__proto__'))) return 'A member may not be called "__proto__".';
    level = level.flatMap((each) => Object.values(each).filter(isObject));
  }
  return undefined;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
