import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ScoredChunk } from '../../src/documents/chunk.ts';
import { diversify } from '../../src/retrieval/diversify.ts';
import { foldDuplicates } from '../../src/retrieval/fold-duplicates.ts';
import { mergeNeighbours } from '../../src/retrieval/merge-neighbours.ts';
import type { DroppedHit } from '../../src/retrieval/retriever.ts';
import { defaultShaping } from '../../src/retrieval/search-settings.ts';
import { shapeResults } from '../../src/retrieval/shape-results.ts';
import { seededBits } from '../../src/shared/seeded-random.ts';
import { foundChunk } from '../support/found.ts';
import { LINEAR_COST, relativeCost } from '../support/processor-time.ts';

const ids = (chunks: readonly ScoredChunk[]) => chunks.map(({ id }) => id);
const hit = (id: string, text: string, given: Partial<ScoredChunk> = {}) => foundChunk(text, { id, ...given });
const nothing = () => undefined;

const sentence =
  'The committee met on Monday and agreed that the budget of the next year should be raised by a tenth of the last one';

describe('duplicate folding', () => {
  it('makes one hit of chunks that say the same, and names the others', () => {
    const dropped: DroppedHit[] = [];
    const folded = foldDuplicates(
      [
        hit('a', sentence, { documentId: 'one' }),
        hit('b', `${sentence.toUpperCase()}.`, { documentId: 'two' }),
        hit('c', 'Something else'),
        hit('d', `${sentence}, they said`, { documentId: 'three' }),
      ],
      (drop) => dropped.push(drop),
    );
    expect(ids(folded)).toEqual(['a', 'c']);
    expect(folded[0]?.alsoIn).toEqual([
      { id: 'b', documentId: 'two' },
      { id: 'd', documentId: 'three' },
    ]);
    expect(dropped.map(({ id, reason, of }) => [id, reason, of])).toEqual([
      ['b', 'duplicate', 'a'],
      ['d', 'duplicate', 'a'],
    ]);
  });

  it('does not merge hits that differ in substance', () => {
    const hits = [
      hit('a', sentence),
      hit('b', sentence.replace('Monday', 'Tuesday').replace('tenth', 'half')),
      hit('c', 'Total: 41'),
      hit('d', 'Total: 42'),
      hit('e', '機械学習の研究は進んでいる'),
      hit('f', '機械翻訳の研究は止まっている'),
    ];
    expect(ids(foldDuplicates(hits, nothing))).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  });

  it('finds the same duplicates as a comparison of each chunk with all kept ones', () => {
    const word = fc.constantFrom<string>('one', 'two', 'three', 'four');
    const text = fc.array(word, { minLength: 1, maxLength: 60 });
    // Copies with a changed word are near the limit of similarity.
    const copies = fc
      .tuple(text, fc.array(fc.nat(59), { maxLength: 6 }))
      .map(([words, places]) => [
        words.join(' '),
        ...places.map((place) => words.with(Math.min(place, words.length - 1), 'five').join(' ')),
      ]);
    const texts = fc.array(copies).map((all) => all.flat());
    fc.assert(
      fc.property(texts, (all) => {
        const hits = all.map((each, place) => hit(String(place), each));
        const kept: ScoredChunk[] = [];
        for (const each of hits) {
          if (!kept.some((other) => foldDuplicates([other, each], nothing).length === 1)) kept.push(each);
        }
        expect(ids(foldDuplicates(hits, nothing))).toEqual(ids(kept));
      }),
      { numRuns: 30 },
    );
  });

  it('takes time in proportion to the number of chunks', () => {
    const next = seededBits(1);
    const distinct = (count: number) =>
      Array.from({ length: count }, (_, place) => hit(String(place), Array.from({ length: 30 }, next).join(' ')));
    const hits = distinct(800);
    expect(relativeCost((size) => foldDuplicates(hits.slice(0, size), nothing), 80)).toBeLessThan(LINEAR_COST);
  });
});

describe('diversity', () => {
  const hits = [
    hit('a', 'cats sleep all day long'),
    hit('b', 'cats sleep all day long too'),
    hit('c', 'dogs bark at night'),
  ];

  it('ranks another topic before a repetition', () => {
    expect(ids(diversify(hits, 0))).toEqual(['a', 'b', 'c']);
    expect(ids(diversify(hits, 0.5))).toEqual(['a', 'c', 'b']);
  });

  it('neither drops nor repeats hits', () => {
    const texts = fc.array(fc.constantFrom('one two', 'two three', 'four', ''), { maxLength: 150 });
    fc.assert(
      fc.property(texts, fc.double({ min: 0, max: 1, noNaN: true }), (all, diversity) => {
        const given = all.map((text, place) => hit(String(place), text));
        expect(ids(diversify(given, diversity)).sort()).toEqual(ids(given).sort());
      }),
    );
  });
});

describe('the limit per document', () => {
  it('drops further hits of a document', () => {
    const hits = ['x', 'x', 'y', 'x', 'y'].map((documentId, place) =>
      hit(String(place), `text ${place}`, { documentId }),
    );
    const shaped = shapeResults(hits, { ...defaultShaping, maxPerDocument: 1 }, nothing);
    expect(ids(shaped)).toEqual(['0', '2']);
    expect(ids(shapeResults(hits, defaultShaping, nothing))).toEqual(['0', '1', '2', '3', '4']);
  });
});

describe('merging neighbours', () => {
  const text = 'First sentence here. Second one follows.\n\nThird paragraph ends it all.';
  const piece = (order: number, start: number, end: number) =>
    hit(`p${order}`, text.slice(start, end), { order, start, end });

  it('makes one chunk whose places are places of the document', () => {
    const dropped: DroppedHit[] = [];
    const hits = [piece(1, 21, 40), hit('other', 'x', { documentId: 'other' }), piece(2, 42, 70), piece(0, 0, 30)];
    const merged = mergeNeighbours(hits, (drop) => dropped.push(drop));
    expect(ids(merged)).toEqual(['p1', 'other']);
    expect(merged[0]).toMatchObject({ text, start: 0, end: 70, order: 0, merged: ['p0', 'p1', 'p2'] });
    expect(dropped.map(({ id }) => id).sort()).toEqual(['p0', 'p2']);
  });

  it('leaves out the pages and sections of single chunks', () => {
    const places = [21, 30].map((start, page) => ({ start, page, headingPath: [] }));
    const hits = [{ ...piece(1, 21, 40), places }, piece(2, 42, 70), { ...piece(7, 0, 20), places }];
    expect(mergeNeighbours(hits, nothing).map((chunk) => chunk.places)).toEqual([undefined, places]);
  });

  it('does not merge hits that are apart, edited or of another version', () => {
    const hits = [
      piece(0, 0, 20),
      piece(2, 42, 70),
      hit('e', 'edited by hand', { order: 1, start: 21, end: 40 }),
      { ...piece(1, 21, 40), id: 'v', version: 'v1' },
    ];
    expect(ids(mergeNeighbours(hits, nothing))).toEqual(['p0', 'p2', 'e', 'v']);
  });

  it('keeps correct offsets for any split of a text', () => {
    const cuts = fc.array(fc.tuple(fc.nat(text.length), fc.nat(12)), { minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(cuts, fc.boolean(), (all, reversed) => {
        const starts = [...new Set(all.map(([start]) => start))].sort((one, two) => one - two);
        const pieces = starts.map((start, order) =>
          piece(order, start, Math.min(text.length, (starts[order + 1] ?? text.length) + (all[order]?.[1] ?? 0))),
        );
        for (const each of mergeNeighbours(reversed ? pieces.reverse() : pieces, nothing)) {
          expect(each.text).toBe(text.slice(each.start, each.end));
        }
      }),
    );
  });
});
