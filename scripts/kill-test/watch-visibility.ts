import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../seeded-random.ts';
import type { Api, Texts } from './api.ts';
import { type Draft, distinctiveWords, shownOf } from './draft.ts';
import { type Entry, type ExpectedState, requestedDraft } from './expected-state.ts';

export interface Watch {
  readonly api: Api;
  readonly expected: ExpectedState;
  readonly random: Random;
  readonly stop: AbortSignal;
}

/** Observations while documents change and the service is killed and recovers. */
export interface Sightings {
  polls: number;
  readonly violations: string[];
}

const VIEWS = ['full_text', 'semantic', 'chunks'] as const;

/**
 * Reads documents repeatedly in every way a client can: each must be visible as a whole, in one version, or not at all,
 * and an unchanged one must equal what was acknowledged.
 */
export async function watchVisibility({ api, expected, random, stop }: Watch): Promise<Sightings> {
  const sightings: Sightings = { polls: 0, violations: [] };
  while (!stop.aborted) {
    await sleep(random.integer(0, 20));
    const [first, ...others] = expected.entries.values();
    if (first === undefined) continue;
    const entry = random.pick([first, ...others]);
    const before = { ...entry };
    const drafts = draftsOf(entry);
    const view = random.pick(VIEWS);
    let seen: Texts;
    try {
      seen = await readView(api, view, entry.id, drafts);
    } catch {
      // No connection: the service is down.
      continue;
    }
    sightings.polls++;
    // A new version may have been sent in the meantime; the older versions are checked nevertheless.
    const problem = problemWith(seen, { entry, before, drafts });
    if (problem !== undefined) sightings.violations.push(`Document ${entry.id} by ${view}: ${problem}`);
  }
  return sightings;
}

/** All versions that may be visible now. */
function draftsOf({ draft, pending }: Entry): Draft[] {
  return [draft, requestedDraft(pending)].filter((each) => each !== null);
}

const LIMIT = 1_000;

async function readView(api: Api, view: (typeof VIEWS)[number], id: string, drafts: readonly Draft[]): Promise<Texts> {
  if (view === 'chunks') {
    const seen = await api.chunks(id);
    return seen.status === 404 ? { status: 200, texts: [] } : seen;
  }
  const query = drafts.length === 0 ? 'harbour' : drafts.map(({ word }) => word).join(' ');
  return api.search(query, { leg: view, id, limit: LIMIT });
}

interface Expected {
  readonly entry: Entry;
  readonly before: Entry;
  readonly drafts: readonly Draft[];
}

function problemWith({ status, texts }: Texts, { entry, before, drafts }: Expected): string | undefined {
  if (status !== 200) return `the service answered ${status}.`;
  const shown = drafts.map((draft) => ({ draft, extent: shownOf(draft, texts) }));
  const visible = shown.filter(({ extent }) => extent === 'all');
  // An edited version shares words with the previous one, which then contains a part of it but none of its own words.
  const part = shown.find(
    ({ draft, extent }) => extent === 'part' && !visible.some((other) => isHiddenBehind(draft, other.draft, texts)),
  );
  if (part !== undefined) return `only a part of version ${part.draft.version} was shown (${texts.length} passages).`;
  if (visible.length > 1) return 'two versions were shown at the same time.';
  // The following checks need a document that did not change during the request.
  if (entry.changes !== before.changes) return undefined;
  const { draft, pending } = before;
  if (draft === null && pending === null && texts.length > 0) return 'it is deleted, and was shown.';
  if (draft !== null && visible.length === 0 && pending?.kind !== 'delete')
    return 'it is acknowledged, and was not shown.';
  return undefined;
}

const isHiddenBehind = (draft: Draft, whole: Draft, texts: readonly string[]): boolean =>
  draft.word === whole.word &&
  !distinctiveWords(draft, whole).some((mark) => texts.some((text) => text.includes(mark)));
