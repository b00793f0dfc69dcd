import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ExtractedGraph, GraphChunk } from '../../../src/graph/graph.ts';
import { createNounPhraseExtractor } from '../../../src/graph/noun-phrases/noun-phrase-extractor.ts';
import { PROMPTLY_MS } from '../../support/patience.ts';
import { labelledChunks, precision, recall, scoreExtraction } from '../score-extraction.ts';

const extractor = createNounPhraseExtractor();
const never = new AbortController().signal;

const extract = (...texts: string[]): Promise<ExtractedGraph> =>
  extractor.extract({ title: '', chunks: extractionChunksOf(texts) }, never);
const extractionChunksOf = (texts: readonly string[]): GraphChunk[] =>
  texts.map((text, place) => ({ chunkId: `c${place}`, text, headingPath: [] }));
const names = ({ entities }: ExtractedGraph) => entities.map(({ name }) => name);
const stated = ({ relationships }: ExtractedGraph) =>
  relationships
    .filter(({ predicate }) => predicate !== 'occurs_with')
    .map(({ subject, predicate, object }) => `${subject} ${predicate} ${object}`);
const found = (graph: ExtractedGraph, name: string) => graph.entities.find((entity) => entity.name === name);

describe('a graph extracted without a model', () => {
  it('gives every mention its exact offset in its chunk', async () => {
    const texts = [
      'On a cold day in the spring of that year Dr. Ada  Berg founded Blue\nQuay Ltd in Oslo.',
      'Blue Quay Ltd (BQL) is a company. BQL employs Berg.',
    ];
    const graph = await extract(...texts);
    const said = (name: string) =>
      found(graph, name)?.mentions.map(({ chunkId, start, end }) => texts[Number(chunkId.slice(1))]?.slice(start, end));
    expect(said('Blue Quay Ltd')).toEqual(['Blue\nQuay Ltd', 'Blue Quay Ltd', 'BQL', 'BQL']);
    expect(said('Ada Berg')).toEqual(['Ada  Berg', 'Berg']);
    for (const { mentions } of graph.relationships) {
      expect(
        mentions.every(
          ({ chunkId, start, end }) => start < end && end <= (texts[Number(chunkId.slice(1))] ?? '').length,
        ),
      ).toBe(true);
    }
  });

  it('resolves an acronym that the text declares, and records it as an alias', async () => {
    const graph = await extract('The World Health Organization (WHO) met in Geneva. The WHO has offices in Cairo.');
    expect(found(graph, 'World Health Organization')?.metadata).toEqual({ aliases: ['WHO'] });
    expect(names(graph)).not.toContain('WHO');
  });

  it.each([
    ['Nordline was acquired by Fjord Group in 2019.', 'Fjord Group acquired Nordline'],
    ['Ruth Claes, who founded Quay Works, lives in Ghent.', 'Ruth Claes founded Quay Works'],
    ['Jane Roe, the president of Acme Corp, resigned.', 'Jane Roe works_for Acme Corp'],
    ['Anna Berg was born in Oslo and worked for Acme Corp.', 'Anna Berg works_for Acme Corp'],
    ['Anna Berg was born in Oslo. She studied at Acme College.', 'Anna Berg studied_at Acme College'],
    ['Acme Corp bought Nordline and Quay Works.', 'Acme Corp acquired Quay Works'],
    ['The fair took place in Ghent, Belgium.', 'Ghent located_in Belgium'],
    ['Nordline was founded in 1990 by Anna Berg.', 'Anna Berg founded Nordline'],
    ['PostgreSQL was developed at Berkeley by the engineer Jane Roe.', 'Jane Roe developed PostgreSQL'],
    ['Die Nordwind GmbH wurde 1990 von Petra Lohse gegründet.', 'Petra Lohse founded Nordwind GmbH'],
    ['Die Albatros GmbH wurde im Jahr 1990 von Petra Lohse gebaut.', 'Petra Lohse built Albatros GmbH'],
    ['Die Nordwind GmbH wurde von Petra Lohse gegründet.', 'Petra Lohse founded Nordwind GmbH'],
    ['La société Quai Bleu a racheté la maison Verdier.', 'Quai Bleu acquired Verdier'],
    ['Marta Soler nació en Sevilla y era la hija de un médico.', 'Marta Soler born_in Sevilla'],
  ])('reads "%s" as %s', async (text, statement) => {
    expect(stated(await extract(text))).toContain(statement);
  });

  it('reads no agent of a phrase, a date or a means', async () => {
    const graphs = await Promise.all([
      extract('Der Hafen von Bergen wurde von Petra Lohse gebaut.'),
      extract('Nordline was founded in Oslo by 1990. Quay Works was moved to Ghent by selling Acme Corp.'),
    ]);
    expect(graphs.flatMap(names)).toEqual(expect.arrayContaining(['Petra Lohse', 'Bergen', 'Nordline', 'Ghent']));
    expect(graphs.flatMap(stated).filter((each) => /built|founded |moved /.test(each))).toEqual([]);
  });

  it.each([
    ['pronouns', 'None of the ships was late. Someone from Oslo asked Anna Berg. Nothing is known. Everyone was glad.'],
    ['labels', 'See Figure 2 and Table 3. Owner: Anna Berg. Port: Unknown. Value: N/A. Ship: None. Home: Oslo.'],
    ['code', 'start: float | None = None\nif start is not None:\nThe list is None. Anna Berg lives in Oslo.'],
    ['common nouns', 'Bicycles and handcarts come first. Supplies were brought to Oslo. Anna Berg was glad.'],
    [
      'German pronouns',
      'Keiner war bei Anna Berg in Oslo. Solche Schiffe sind alt. Während Jahren war es so. Keine Angabe.',
    ],
  ])('makes no names of %s', async (_, text) => {
    expect(names(await extract(text)).toSorted()).toEqual(['Anna Berg', 'Oslo']);
  });

  it('extracts no relationship from a negated or hypothetical sentence', async () => {
    const text =
      'Acme Corp did not acquire Nordline. Acme Corp may buy Quay Works. Nobody knows if Jane Roe founded Acme Corp.';
    expect(stated(await extract(text))).toEqual([]);
  });

  it('gives co-occurrence a lower weight than a stated relationship', async () => {
    const { relationships } = await extract('Anna Berg was tired when Jane Roe arrived. Anna Berg founded Acme Corp.');
    const weight = (object: string) => relationships.find((each) => each.object === object)?.weight ?? 0;
    expect(relationships.find(({ object }) => object === 'Jane Roe')?.predicate).toBe('occurs_with');
    expect(weight('Jane Roe')).toBeLessThan(weight('Acme Corp'));
  });

  it('describes an entity by the sentence that introduces it', async () => {
    const graph = await extract(
      'We called Nordline at noon. Nordline is a ferry company in Bergen. Then Nordline answered.',
    );
    expect(found(graph, 'Nordline')?.description).toBe('Nordline is a ferry company in Bergen.');
  });

  it('gives no category without evidence', async () => {
    expect(found(await extract('They saw Zorblat and left.'), 'Zorblat')?.category).toBeNull();
  });

  it('makes no entities of code, paths, addresses, identifiers and headings', async () => {
    const graph = await extract(
      [
        '# This Section',
        'See https://docs.example/Install_Guide and /usr/share/Foo, or mail Admin@example.org about getUserName().',
        '```js',
        'const Result = await Database.Connect(ServerName);',
        '```',
        '| Id | Value | Status |\n| --- | --- | --- |\n| 17 | 3FA85F64 | Active |',
        'Section 4 and Table 2 apply on Monday. The value is 42. This is it. Note: I agree.',
      ].join('\n'),
    );
    expect(names(graph)).toEqual([]);
  });

  it('keeps repeated terms, under one name for singular and plural', async () => {
    const graph = await extract('Life rafts are heavy. Check each life raft in spring. A wooden spoon is light.');
    expect(names(graph)).toEqual(['life raft']);
    expect(found(graph, 'life raft')?.category).toBe('concept');
    expect(found(graph, 'life raft')?.mentions).toHaveLength(2);
  });

  it('does not treat every German noun as a name', async () => {
    const graph = await extract(
      'Der Hund läuft über die Straße. Die Katze schläft im Garten, und das Haus hat einen Keller. Angela Merkel besuchte Paris.',
    );
    expect(names(graph).sort()).toEqual(['Angela Merkel', 'Paris']);
  });

  it.each([
    [
      '日本語',
      '『源氏物語』は紫式部が書いた。東京大学は東京都にある。スカイツリーは高い。',
      ['源氏物語', '東京大学', 'スカイツリー'],
    ],
    ['Chinese', '《红楼梦》由曹雪芹所著。北京大学位于北京市。', ['红楼梦', '北京大学']],
    ['Russian', 'Вчера Анна Петрова приехала в город Казань и встретила его.', ['Анна Петрова', 'Казань']],
    ['Greek', 'Η Μαρία Παππά ζει στην Αθήνα και εργάζεται για την εταιρεία.', ['Μαρία Παππά', 'Αθήνα']],
  ])('finds names in %s', async (_, text, wanted) => {
    expect(names(await extract(text))).toEqual(expect.arrayContaining(wanted));
  });

  it('gives the same graph for the same chunks', async () => {
    const texts = labelledChunks()
      .filter(({ language }) => language === 'en')
      .map(({ text }) => text);
    const again = await createNounPhraseExtractor().extract({ title: '', chunks: extractionChunksOf(texts) }, never);
    expect(again).toEqual(await extract(...texts));
  });

  it.each([
    ['a word of four million letters', 'a'.repeat(4_000_000)],
    ['four million capitals', 'A'.repeat(4_000_000)],
    ['a hundred thousand names', 'Anna Berg met Bo Lund. '.repeat(20_000)],
    ['a hundred thousand capitals without an end', 'Ab '.repeat(100_000)],
    ['nested marks', '("[{'.repeat(50_000)],
    ['hyphens', 'a-'.repeat(100_000)],
    ['dots and initials', 'A.'.repeat(100_000)],
    ['ideographs without an end', '漢字'.repeat(100_000)],
    ['backticks and brackets', '`](<'.repeat(50_000)],
    ['at signs', 'a@b.'.repeat(50_000)],
  ])('processes %s in bounded time', async (_, text) => {
    const startedAt = performance.now();
    const { entities, relationships } = await extract(text, 'Oslo is in Norway.');
    expect(performance.now() - startedAt).toBeLessThan(PROMPTLY_MS);
    expect(entities.length).toBeLessThanOrEqual(5_000);
    expect(relationships.length).toBeLessThanOrEqual(15_000);
  });

  it('yields valid offsets, unique names and valid relationships for any text', async () => {
    const word = fc.constantFrom(
      'Anna',
      'Berg',
      'Acme',
      'Inc.',
      'of',
      'the',
      'founded',
      '(',
      ')',
      ',',
      '.',
      '\n',
      '“',
      '”',
      'the city of',
      '1903',
      "'s",
      'and',
      '東京大学',
      '😀',
      'É',
      'is a',
    );
    const text = fc.oneof(
      fc.array(word, { maxLength: 60 }).map((words) => words.join(' ')),
      fc.string({ unit: 'grapheme', maxLength: 200 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(text, { maxLength: 3 }), async (texts) => {
        const { entities, relationships } = await extract(...texts);
        const unique = new Set(entities.map(({ name }) => name));
        expect(unique.size).toBe(entities.length);
        for (const { mentions, name } of [
          ...entities,
          ...relationships.map((each) => ({ ...each, name: each.predicate })),
        ]) {
          expect(name).not.toBe('');
          expect(mentions.length).toBeGreaterThan(0);
          for (const { chunkId, start, end } of mentions) {
            const of = texts[Number(chunkId.slice(1))] ?? '';
            expect(0 <= start && start < end && end <= of.length).toBe(true);
          }
        }
        for (const { subject, object, weight } of relationships) {
          expect([unique.has(subject), unique.has(object), subject !== object, weight > 0]).toEqual([
            true,
            true,
            true,
            true,
          ]);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('throws cancelled on abort', async () => {
    const extraction = extractor.extract({ title: '', chunks: extractionChunksOf(['Oslo.']) }, AbortSignal.abort());
    await expect(extraction).rejects.toMatchObject({ code: 'cancelled' });
  });
});

describe('the extractor on hand-labelled chunks', () => {
  it.each([
    ['open', false, { entities: [0.9, 0.9], relations: [0.8, 0.6], categories: 0.95 }],
    ['held out', true, { entities: [0.8, 0.85], relations: [0.5, 0.3], categories: 0.9 }],
  ] as const)('keeps its minimum precision and recall: %s', async (_, heldOut, floors) => {
    const score = await scoreExtraction(
      extractor,
      labelledChunks().filter((chunk) => chunk.heldOut === heldOut),
    );
    expect(precision(score.entities)).toBeGreaterThanOrEqual(floors.entities[0]);
    expect(recall(score.entities)).toBeGreaterThanOrEqual(floors.entities[1]);
    expect(precision(score.relations)).toBeGreaterThanOrEqual(floors.relations[0]);
    expect(recall(score.relations)).toBeGreaterThanOrEqual(floors.relations[1]);
    expect(precision(score.categories)).toBeGreaterThanOrEqual(floors.categories);
  });
});
