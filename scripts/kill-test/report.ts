/** One invariant and its violations. */
export interface Check {
  readonly title: string;
  readonly violations: readonly string[];
}

/** Counts over all rounds. */
export interface Totals {
  passed: number;
  failed: number;
}

const VIOLATIONS_SHOWN = 8;

/** Adds the checks to the totals; returns lines that describe the failures. */
export function tally(checks: readonly Check[], totals: Totals): string[] {
  const lines: string[] = [];
  for (const { title, violations } of checks) {
    if (violations.length === 0) {
      totals.passed++;
      continue;
    }
    totals.failed++;
    lines.push(`  FAILED: ${title}`);
    for (const violation of violations.slice(0, VIOLATIONS_SHOWN)) lines.push(`    ${violation}`);
    if (violations.length > VIOLATIONS_SHOWN) lines.push(`    and ${violations.length - VIOLATIONS_SHOWN} more`);
  }
  return lines;
}
