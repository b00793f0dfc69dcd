import type { Random } from '../seeded-random.ts';
import type { Api, Leg, Texts } from './api.ts';
import { type Draft, distinctiveWords, shownOf, textOf } from './draft.ts';
import type { Entry, ExpectedState } from './expected-state.ts';
import type { FoundDocument, FoundIndex, FoundRecords } from './inspect.ts';
import type { Check } from './report.ts';

export interface Inspection {
  readonly expected: ExpectedState;
  readonly records: FoundRecords;
  readonly index: FoundIndex;
  readonly api: Api;
  readonly random: Random;
  /** Documents that are searched for over HTTP; in SQLite all are compared. */
  readonly searched: readonly Entry[];
}

/** Checks all invariants after a recovery. */
export async function checkAll(inspection: Inspection): Promise<Check[]> {
  const { expected, records, index } = inspection;
  const there = [...expected.entries.values()].flatMap((entry) =>
    entry.draft === null ? [] : [{ entry, draft: entry.draft, found: records.documents.get(entry.id) }],
  );
  const visible = [...records.documents.values()].flatMap(({ chunks }) => chunks.map(({ key }) => key));
  return [
    {
      title: 'every acknowledged document is stored and ingested in its last version',
      violations: there.flatMap(({ entry, draft, found }) => name(entry, missingPartsOf(draft, entry, found))),
    },
    {
      title: 'every document is complete, and its passages have correct offsets',
      violations: there.flatMap(({ entry, draft, found }) =>
        name(entry, found === undefined ? [] : chunkProblemsOf(draft, found)),
      ),
    },
    { title: 'nothing is stored that was not uploaded', violations: unexpectedDocumentsOf(inspection) },
    {
      title: 'the full-text index has exactly the visible passages',
      violations: fullTextOf(inspection, visible),
    },
    {
      title: 'earlier versions are unchanged, and nothing else is left of them',
      violations: [
        ...records.versionProblems,
        ...there.flatMap(({ entry, found }) => name(entry, versionProblemsOf(entry, found))),
      ],
    },
    { title: 'exactly the visible passages have vectors', violations: vectorsOf(records, visible) },
    {
      title: 'Chroma has exactly the visible passages',
      violations: compare('Chroma', index.keys, new Set(visible)),
    },
    {
      title: 'Chroma has the recorded vectors',
      violations: await nearestNeighbourProblems(inspection, visible),
    },
    {
      title: 'documents are found by full-text search',
      violations: await searchEach(inspection, 'full_text'),
    },
    {
      title: 'documents are found by semantic search',
      violations: await searchEach(inspection, 'semantic'),
    },
    { title: 'deleted and replaced text is found nowhere', violations: await deletedButFound(inspection) },
    {
      title: 'the database is intact and has no pending index changes',
      violations: [...records.damage, ...(records.pending === 0 ? [] : [`The outbox has ${records.pending} entries.`])],
    },
  ];
}

function missingPartsOf(draft: Draft, { tag }: Entry, found: FoundDocument | undefined): string[] {
  if (found === undefined) return ['it is lost.'];
  const missingParts: string[] = [];
  if (found.status !== 'success')
    missingParts.push(`its status is ${found.status} (${found.failure ?? 'no failure'}).`);
  if (found.bytes !== textOf(draft)) missingParts.push('its bytes are not those that were sent.');
  if (found.metadata['version_sent'] !== draft.version)
    missingParts.push(`its metadata is of version ${found.metadata['version_sent']}.`);
  if (tag !== null && found.metadata['tag'] !== tag)
    missingParts.push(`its tag is ${found.metadata['tag']} instead of ${tag}.`);
  return missingParts;
}

function chunkProblemsOf(draft: Draft, { chunks, chunkCount, text }: FoundDocument): string[] {
  const problems: string[] = [];
  const texts = chunks.map((chunk) => chunk.text);
  if (shownOf(draft, texts) !== 'all')
    problems.push(`its passages show ${shownOf(draft, texts)} of version ${draft.version}.`);
  if (chunks.length !== chunkCount) problems.push(`it has ${chunks.length} passages and says ${chunkCount}.`);
  const [misplaced] = chunks.filter(({ start, end, text: chunk }) => text.slice(start, end) !== chunk);
  if (misplaced !== undefined) problems.push(`passage ${misplaced.ordinal} is not at ${misplaced.start} of its text.`);
  const ordinals = chunks.map(({ ordinal }) => ordinal).sort((one, two) => one - two);
  if (ordinals.some((ordinal, index) => ordinal !== index)) problems.push('its passages are not numbered from 0 on.');
  if (texts.some((chunk) => !chunk.includes(draft.word))) problems.push('a passage is of another version.');
  if (draft.form === 'chunks' && texts.join('\n\n') !== textOf(draft))
    problems.push('its passages are not the chunks that were sent.');
  return problems;
}

/** The default number of stored versions. */
const VERSIONS_KEPT = 10;

function versionProblemsOf({ versions }: Entry, found: FoundDocument | undefined): string[] {
  if (found === undefined) return [];
  const problems: string[] = [];
  const kept = versions.map((draft, index) => ({ draft, label: `v${index}` })).slice(-VERSIONS_KEPT);
  for (const { draft, label } of kept) {
    const bytes = found.versions.get(label);
    if (bytes === undefined) problems.push(`its version ${label} is not kept.`);
    else if (bytes !== textOf(draft)) problems.push(`its version ${label} is another text.`);
  }
  if (found.versions.size > kept.length)
    problems.push(`it has ${found.versions.size} versions instead of ${kept.length}.`);
  return problems;
}

function unexpectedDocumentsOf({ expected, records }: Inspection): string[] {
  const unexpected = [...records.documents.keys()].filter((id) => expected.entries.get(id)?.draft == null);
  const violations = unexpected.map((id) => `Document ${id} is there (${records.documents.get(id)?.status}).`);
  if (records.leftovers > 0) violations.push(`${records.leftovers} passages are staged or of an older version.`);
  return violations;
}

function fullTextOf({ expected, records }: Inspection, visible: readonly number[]): string[] {
  const violations = compare('The full-text index', records.fullTextKeys, new Set(visible));
  for (const { id, draft } of expected.entries.values()) {
    if (draft === null) continue;
    const own = records.documents.get(id)?.chunks.map(({ key }) => key) ?? [];
    violations.push(
      ...compare(`The full-text index of document ${id}`, new Set(records.keysWith(draft.word)), new Set(own)),
    );
  }
  return violations;
}

function vectorsOf({ vectors, dimensions }: FoundRecords, visible: readonly number[]): string[] {
  const violations = compare('The table of vectors', new Set(vectors.keys()), new Set(visible));
  for (const [key, vector] of vectors) {
    if (vector.length !== dimensions) violations.push(`The vector of passage ${key} has ${vector.length} numbers.`);
  }
  return violations;
}

const SAMPLE = 60;
const NEAREST = 10;

async function nearestNeighbourProblems(
  { records, index, random }: Inspection,
  visible: readonly number[],
): Promise<string[]> {
  const violations: string[] = [];
  const sample = sampleOf(visible, random);
  const indexed = await index.vectorsOf(sample);
  for (const key of sample) {
    const [recorded, held] = [records.vectors.get(key), indexed.get(key)];
    const isSame = recorded?.every((value, index) => Math.abs(value - (held?.[index] ?? Number.NaN)) < 1e-5);
    if (isSame !== true) violations.push(`Passage ${key} has another vector in Chroma.`);
  }
  // The index is approximate, so single vectors may be missed.
  const missed: number[] = [];
  for (const key of sample) {
    const vector = records.vectors.get(key);
    if (vector === undefined) continue;
    const found = await index.nearest(vector, NEAREST);
    if (!found.includes(key) && !found.every((other) => isAlike(vector, records.vectors.get(other)))) missed.push(key);
  }
  if (missed.length > SAMPLE * 0.05) violations.push(`Chroma does not find the vectors of ${missed.length} passages.`);
  return violations;
}

/** Short chunks may have equal vectors; either is then a correct neighbour. */
function isAlike(one: Float32Array, two: Float32Array | undefined): boolean {
  const lengths = Math.hypot(...one) * Math.hypot(...(two ?? []));
  const product = one.reduce((sum, value, place) => sum + value * (two?.[place] ?? 0), 0);
  return product > lengths * 0.999;
}

function sampleOf(keys: readonly number[], random: Random): number[] {
  const [first, ...others] = keys;
  if (first === undefined) return [];
  return [...new Set(Array.from({ length: SAMPLE }, () => random.pick([first, ...others])))];
}

/** Allowed misses of the approximate index in unfiltered searches; filtered ones must not miss any. */
const MAX_MISSED = { share: 0.15, number: 4 };

async function searchEach({ searched, api, random }: Inspection, leg: Leg): Promise<string[]> {
  const violations: string[] = [];
  const missed: string[] = [];
  for (const { id, draft } of searched) {
    if (draft === null) continue;
    const place = random.integer(0, draft.marks.length - 1);
    const mark = draft.marks[place] ?? '';
    const query = leg === 'full_text' ? mark : (draft.paragraphs[place] ?? '');
    const isFound = ({ texts }: Texts) => texts.some((text) => text.includes(mark));
    const sentence = `Document ${id}: paragraph ${place} is not found`;
    if (!isFound(await api.search(query, { leg, limit: 10 }))) missed.push(`${sentence}.`);
    // With a filter, the few chunks of a document are compared exactly.
    if (!isFound(await api.search(query, { leg, id, limit: 10 }))) violations.push(`${sentence} among its own.`);
  }
  const { share, number } = leg === 'semantic' ? MAX_MISSED : { share: 0, number: 0 };
  return missed.length > Math.max(number, share * searched.length) ? [...violations, ...missed] : violations;
}

async function deletedButFound({ expected, searched, api, records }: Inspection): Promise<string[]> {
  const violations: string[] = [];
  for (const { id, draft, gone } of expected.entries.values()) {
    for (const old of gone) {
      for (const word of distinctiveWords(old, draft)) {
        const keys = records.keysWith(word);
        if (keys.length > 0)
          violations.push(`Version ${old.version} of document ${id} has ${keys.length} full-text entries.`);
      }
    }
  }
  for (const { id, draft, gone } of searched) {
    if (draft === null && (await api.chunks(id)).status !== 404)
      violations.push(`Document ${id} is deleted and answers.`);
    const last = gone.at(-1);
    const [word] = last === undefined ? [] : distinctiveWords(last, draft);
    if (last === undefined || word === undefined) continue;
    for (const leg of ['full_text', 'semantic'] as const) {
      const { texts } = await api.search(word, { leg, limit: 10 });
      if (texts.some((text) => text.includes(word)))
        violations.push(`Version ${last.version} of ${id} is found (${leg}).`);
    }
  }
  return violations;
}

/** Missing and surplus keys of one store, in sentences. */
export function compare(who: string, has: ReadonlySet<number>, shouldHave: ReadonlySet<number>): string[] {
  const missing = [...shouldHave.difference(has)];
  const strange = [...has.difference(shouldHave)];
  const some = (keys: readonly number[]) => `${keys.length} (such as ${keys.slice(0, 3).join(', ')})`;
  return [
    ...(missing.length === 0 ? [] : [`${who} lacks ${some(missing)} of ${shouldHave.size} passages.`]),
    ...(strange.length === 0 ? [] : [`${who} has ${some(strange)} passages too many.`]),
  ];
}

const name = ({ id }: Entry, sentences: readonly string[]): string[] =>
  sentences.map((sentence) => `Document ${id}: ${sentence}`);
