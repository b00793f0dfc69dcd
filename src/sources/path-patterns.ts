/**
 * Whether a path matches a glob pattern: `*` and `?` match within one path segment, `**` any number of folders. A
 * pattern without a slash matches names at any depth; one that ends with a slash matches everything below. Patterns are
 * untrusted, so the time is bounded by the product of both lengths.
 */
export function matchesPattern(path: string, pattern: string): boolean {
  const whole = pattern.replace(/^\//, '') + (pattern.endsWith('/') ? '**' : '');
  const parts = pattern.includes('/') ? whole.split('/') : ['**', pattern];
  return matchesWildcards(path.split('/'), parts, { isMany: (part) => part === '**', isOne: matchesName });
}

const matchesName = (name: string, pattern: string): boolean =>
  matchesWildcards([...name], [...pattern], {
    isMany: (sign) => sign === '*',
    isOne: (one, sign) => sign === '?' || sign === one,
  });

interface Rules {
  /** Whether this pattern element matches any number of parts. */
  isMany(sign: string): boolean;
  isOne(part: string, sign: string): boolean;
}

/** Greedy wildcard matching: backtracking to the last wildcard suffices, because earlier ones never need to grow. */
function matchesWildcards(parts: readonly string[], signs: readonly string[], { isMany, isOne }: Rules): boolean {
  let at = 0;
  let sign = 0;
  let many = -1;
  let resumed = 0;
  while (at < parts.length) {
    const current = signs[sign];
    if (current !== undefined && isMany(current)) {
      many = sign++;
      resumed = at;
    } else if (current !== undefined && isOne(parts[at] ?? '', current)) {
      at++;
      sign++;
    } else if (many >= 0) {
      sign = many + 1;
      at = ++resumed;
    } else return false;
  }
  return signs.slice(sign).every(isMany);
}
