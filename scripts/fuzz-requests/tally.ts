import { type FuzzedRequest, toCurl } from './request.ts';
import type { Outcome } from './send.ts';

/** Counts responses and collects violations: each kind once, with a command that reproduces it. */
export interface Tally {
  count(route: string, status: number | string): void;
  addComplaint(
    sentence: string,
    about?: { readonly fuzzed: FuzzedRequest; readonly outcome?: Outcome; readonly url: string },
  ): void;
  readonly violations: number;
  /** The route among these with the fewest requests. */
  fewest(routes: readonly string[]): { readonly route: string; readonly count: number };
  lines(): readonly string[];
}

const SHOWN = 60;

export function createTally(): Tally {
  const byStatus = new Map<string, number>();
  const byRoute = new Map<string, Map<string, number>>();
  const faults = new Map<string, { count: number; lines: readonly string[] }>();
  let violations = 0;
  const countOf = (route: string) => [...(byRoute.get(route)?.values() ?? [])].reduce((sum, each) => sum + each, 0);
  return {
    count(route, status) {
      add(byStatus, String(status));
      const ofRoute = byRoute.get(route) ?? new Map<string, number>();
      byRoute.set(route, ofRoute);
      add(ofRoute, String(status));
    },
    addComplaint(sentence, about) {
      violations++;
      const key = `${about?.fuzzed.route ?? ''} ${sentence.replace(/[0-9a-f-]{8,}|\d+/g, '#').slice(0, 160)}`;
      const known = faults.get(key);
      if (known !== undefined) known.count++;
      else faults.set(key, { count: 1, lines: [sentence, ...(about === undefined ? [] : describeRequest(about))] });
    },
    get violations() {
      return violations;
    },
    fewest(routes) {
      const counted = routes.map((route) => ({ route, count: countOf(route) }));
      return counted.reduce(
        (min, each) => (each.count < min.count ? each : min),
        counted[0] ?? { route: '', count: 0 },
      );
    },
    lines() {
      const shown = [...faults.values()].slice(0, SHOWN);
      return [
        'requests by status:',
        ...sorted(byStatus).map(([status, count]) => `  ${status.padEnd(9)} ${count}`),
        'requests by route:',
        ...[...byRoute].map(([route, counts]) => {
          const each = sorted(counts).map(([status, count]) => `${status}×${count}`);
          return `  ${String(countOf(route)).padStart(5)}  ${route}  ${each.join(' ')}`;
        }),
        ...shown.flatMap(({ count, lines: [first = '', ...others] }) => [
          `FAILED (${count}×): ${first}`,
          ...others.map((line) => `  ${line}`),
        ]),
        ...(faults.size > SHOWN ? [`and ${faults.size - SHOWN} more`] : []),
      ];
    },
  };
}

function describeRequest({
  fuzzed,
  outcome,
  url,
}: {
  fuzzed: FuzzedRequest;
  outcome?: Outcome;
  url: string;
}): string[] {
  const answer =
    outcome === undefined
      ? []
      : [`request ${fuzzed.number} (${fuzzed.route}): ${outcome.status} ${outcome.text.slice(0, 300)}`];
  return [...answer, toCurl(fuzzed, url).slice(0, 2_500)];
}

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

const sorted = (counts: ReadonlyMap<string, number>) => [...counts].sort(([one], [other]) => (one < other ? -1 : 1));
