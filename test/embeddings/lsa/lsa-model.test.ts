import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeArtefact, encodeArtefact, versionOfArtefact } from '../../../src/embeddings/lsa/artefact.ts';
import { createChunkTermCounts } from '../../../src/embeddings/lsa/chunk-term-counts.ts';
import { createCentre } from '../../../src/embeddings/lsa/join-packaged.ts';
import { learn } from '../../../src/embeddings/lsa/learn.ts';
import { lsaEmbeddings } from '../../../src/embeddings/lsa/lsa-embeddings.ts';
import { foldIn, type LsaModel } from '../../../src/embeddings/lsa/lsa-model.ts';
import { packagedModel } from '../../../src/embeddings/static/static-model.ts';
import { subjects } from '../../support/subjects.ts';

function learnFrom(texts: readonly string[], centre: Float32Array = new Float32Array()) {
  const counts = createChunkTermCounts();
  for (const text of texts) counts.add(text);
  return encodeArtefact({ ...learn(counts), centre });
}

function modelOf(bytes: Uint8Array): LsaModel {
  const model = decodeArtefact(bytes);
  if (model === undefined) throw new Error('The artefact was refused.');
  return model;
}

const texts = subjects.chunks.map(({ text }) => text);
const artefact = learnFrom(texts);
const model = modelOf(artefact);
const passage = (text: string) => foldIn(model, text, 'passage').vector;
const query = (text: string) => foldIn(model, text, 'query').vector;
const dot = (one: Float32Array, two: Float32Array) => one.reduce((sum, value, at) => sum + value * (two[at] ?? 0), 0);

describe('an LSA model', () => {
  it('finds passages by a synonym that none of them contains', () => {
    for (const { word, topic } of subjects.rareNames) {
      const others = subjects.chunks.filter(({ text }) => !text.split(' ').includes(word));
      const nearest = others
        .map((each) => ({ ...each, nearness: dot(query(word), passage(each.text)) }))
        .sort((one, two) => two.nearness - one.nearness);
      expect(nearest.slice(0, 10).map((each) => each.topic)).toEqual(Array(10).fill(topic));
    }
  });

  it('is deterministic for the same passages, and named by its content', () => {
    expect(learnFrom(texts)).toEqual(artefact);
    expect(model.version).toBe(versionOfArtefact(artefact));
    expect(modelOf(learnFrom(texts.slice(1))).version).not.toBe(model.version);
  });

  it('detects damage anywhere in its stored form', () => {
    fc.assert(
      fc.property(fc.nat(artefact.length - 1), fc.integer({ min: 1, max: 255 }), (place, change) => {
        const damaged = artefact.slice();
        damaged[place] = (damaged[place] ?? 0) ^ change;
        expect(decodeArtefact(damaged)).toBeUndefined();
      }),
      { numRuns: 60 },
    );
    expect(decodeArtefact(artefact.subarray(0, artefact.length / 2))).toBeUndefined();
    expect(decodeArtefact(new Uint8Array())).toBeUndefined();
  });

  it('is read in place, or copied when its alignment does not allow that', () => {
    expect(model.directions.buffer).toBe(artefact.buffer);
    const shifted = new Uint8Array(artefact.length + 1);
    shifted.set(artefact, 1);
    expect(decodeArtefact(shifted.subarray(1))).toEqual(model);
  });

  it('is trained on one passage, on many, and on passages without words', () => {
    expect(modelOf(learnFrom(['a single passage about boats'])).dimensions).toBe(2);
    expect(foldIn(modelOf(learnFrom(['', '...'])), 'boats', 'query').vector).toHaveLength(1);
  });

  it('supports scripts without spaces', () => {
    const chinese = modelOf(learnFrom(['东京都政府大楼', '东京都的天气', '北京的天气', '北京大学']));
    expect(foldIn(chinese, '东京天气', 'query').known).toBeGreaterThan(0);
  });
});

describe('an LSA model joined with the packaged embedder', () => {
  const fables = [
    'Dogs travel free of charge if they are kept on a lead.',
    'The ferry leaves the harbour at noon every weekday.',
    'Rye bread keeps for a week in a closed tin.',
    'The net surplus of the association was carried forward.',
  ];

  async function joinedModel() {
    const centre = createCentre(await packagedModel(), fables.length);
    for (const text of fables) centre.add(text);
    return modelOf(learnFrom(fables, centre.mean()));
  }

  it('finds a passage that shares no word with the question', async () => {
    const joined = await joinedModel();
    const { embed } = lsaEmbeddings({ name: 'lsa', learned: async () => joined, packaged: packagedModel });
    const passages = await embed(fables, 'passage');
    for (const [question, place] of [
      ['What does it cost to take my puppy?', 0],
      ['When can I get a boat?', 1],
      ['How long until my loaf is stale?', 2],
    ] as const) {
      const [asked = new Float32Array()] = await embed([question], 'query');
      const scores = passages.map((vector) => dot(asked, vector));
      expect(scores.indexOf(Math.max(...scores))).toBe(place);
    }
  });

  it('counts the embedded chunks, but not questions or passages of callers', async () => {
    const counted: number[] = [];
    const onChunksFolded = ({ chunkCount }: { chunkCount: number }) => void counted.push(chunkCount);
    const learned = async () => model;
    const { embed } = lsaEmbeddings({ name: 'lsa', learned, packaged: packagedModel, onChunksFolded });
    await embed(['one'], 'query');
    await embed(['one', 'two', 'three'], 'passage', undefined, { areChunks: false });
    await embed(['one', 'two'], 'passage');
    expect(counted).toEqual([2]);
  });

  it('gives unit vectors of one length, also to texts that neither knows', async () => {
    const joined = await joinedModel();
    const { embed, space } = lsaEmbeddings({ name: 'lsa', learned: async () => joined, packaged: packagedModel });
    for (const vector of await embed([...fables, '', 'zyxomma', '𒀀𒁀'], 'passage')) {
      expect(vector).toHaveLength((await space()).dimensions);
      expect(dot(vector, vector)).toBeCloseTo(1, 4);
    }
  });

  it('counts less in questions whose words are unknown to the packaged one', async () => {
    const { vocabularyCoverage } = await packagedModel();
    expect(vocabularyCoverage('When does the ferry leave?')).toBe(1);
    expect(vocabularyCoverage('zyxomma qwrtz')).toBe(0);
    expect(vocabularyCoverage('Welche Haustiere dürfen mitfahren?')).toBeLessThan(0.5);
    expect(vocabularyCoverage('?!')).toBe(0);
  });

  it('still reads models trained before the two were joined, and does not join them', async () => {
    const earlier = Buffer.from(learnFrom(fables));
    earlier.write('"format":1', earlier.indexOf('"format":2'));
    earlier.set(createHash('sha256').update(earlier.subarray(0, -32)).digest(), earlier.length - 32);
    const read = modelOf(earlier);
    expect(read.version).toMatch(/^1\./);
    const [vector] = await lsaEmbeddings({ name: 'lsa', learned: async () => read, packaged: packagedModel }).embed(
      fables,
      'passage',
    );
    expect(vector).toEqual(foldIn(read, fables[0] ?? '', 'passage').vector);
  });
});

describe('folding in', () => {
  it('gives a unit vector for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        for (const vector of [passage(text), query(text)]) {
          expect(vector).toHaveLength(model.dimensions);
          expect(dot(vector, vector)).toBeCloseTo(1, 4);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('ignores word order and unknown words', () => {
    const words = fc.shuffledSubarray([...subjects.words], { minLength: 2, maxLength: 8 });
    fc.assert(
      fc.property(words, fc.constantFrom('zyxomma', 'qwrtz', '𒀀𒁀'), (some, unknown) => {
        const vector = passage(some.join(' '));
        expect(dot(passage(some.toReversed().join(' ')), vector)).toBeCloseTo(1, 4);
        expect(dot(passage(`${unknown} ${some.join(' ')} ${unknown}`), vector)).toBeCloseTo(1, 4);
      }),
      { numRuns: 60 },
    );
  });

  it('makes a text without known words orthogonal to all others, and opposite to queries', () => {
    const nowhere = passage('zyxomma qwrtz');
    for (const text of texts) expect(dot(nowhere, passage(text))).toBe(0);
    expect(dot(nowhere, query('vlotho'))).toBe(-1);
    expect(foldIn(model, 'zyxomma', 'passage')).toMatchObject({ known: 0, terms: 1 });
  });
});
