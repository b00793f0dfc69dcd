/** Maximum nesting depth; real documents and requests stay far below. */
const MAX_DEPTH = 64;

/** Why untrusted JSON must be rejected; the message is for the caller. */
export interface JsonProblem {
  readonly kind: 'too_deep' | 'forbidden_member';
  readonly message: string;
}

/**
 * Checks untrusted JSON; undefined if it is acceptable. Iterates by level, because hostile nesting could exhaust the
 * stack.
 */
export function jsonProblem(value: unknown): JsonProblem | undefined {
  let level: object[] = [value].filter(isObject);
  for (let depth = 0; level.length > 0; depth++) {
    if (depth >= MAX_DEPTH) {
      return { kind: 'too_deep', message: `JSON nested deeper than ${MAX_DEPTH} levels is not accepted.` };
    }
    // Schemas silently drop this member, and a filter that lost its condition would match everything.
    if (level.some((each) => Object.hasOwn(each, '__proto__'))) {
      return { kind: 'forbidden_member', message: 'A member may not be called "__proto__".' };
    }
    level = level.flatMap((each) => Object.values(each).filter(isObject));
  }
  return undefined;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
