import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readQuestions } from '../../src/evaluation/questions.ts';
import { type NamedDocument, resolveDocuments } from '../../src/evaluation/resolve-documents.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

async function read(name: string, text: string) {
  const file = join(await temporaryFolder(), name);
  await writeFile(file, text);
  return readQuestions(file);
}

describe('questions', () => {
  it('are read from JSON lines', async () => {
    const lines = [
      { question: 'When is high water?', document: 'tides.md', answer: ['noon', '12:00'], note: 'asked by Ada' },
      { question: 'Who sank?', unanswerable: true },
    ];
    const questions = await read('q.jsonl', `\n${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
    expect(questions).toMatchObject([
      { line: 2, text: 'When is high water?', documents: ['tides.md'], passages: [], answers: ['noon', '12:00'] },
      { line: 3, text: 'Who sank?', documents: [], isUnanswerable: true },
    ]);
  });

  it('are the same in CSV, where a list is written as JSON', async () => {
    const csv = 'Question,document,answer,unanswerable\nWhen?,tides.md,"[""noon"",""12:00""]",\n\n"Who, then?",,,x\n';
    const json = '{"question":"When?","document":"tides.md","answer":["12:00","noon"]}';
    const [first, second] = await read('q.csv', csv);
    expect(first).toMatchObject({ line: 2, answers: ['noon', '12:00'], isUnanswerable: false });
    expect(second).toMatchObject({ line: 4, text: 'Who, then?', isUnanswerable: true });
    expect((await read('q.jsonl', json))[0]?.id).toBe(first?.id);
  });

  it('have another identity when something else is expected', async () => {
    const idOf = async (line: object) => (await read('q.jsonl', JSON.stringify(line)))[0]?.id;
    const id = await idOf({ question: 'When?', document: 'a' });
    expect(await idOf({ question: ' When? ', document: ['a'], note: 'other' })).toBe(id);
    expect(await idOf({ question: 'When?', document: 'b' })).not.toBe(id);
  });

  it('are refused with every bad line, in order', async () => {
    const lines = [
      '{"question":"a","documnt":"b"}',
      'nonsense',
      '{"question":" ","document":"b"}',
      '{"question":"c","answer":"d","unanswerable":true}',
      '{"question":"e","document":"f"}',
      '{"question":"e","document":"f"}',
      '["g"]',
      '{"question":"h","document":"i","expected":"j"}',
    ];
    const refused = await read('q.jsonl', lines.join('\n')).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'invalid_request' });
    expect((refused as Error).message.split('\n').slice(1)).toEqual([
      '  line 1: "documnt" is not known; did you mean "document"?',
      '  line 1: say what is expected: "document", "passage", "answer" or "unanswerable": true.',
      expect.stringContaining('  line 2: This is not JSON'),
      expect.stringContaining('  line 3: question: '),
      '  line 4: what is unanswerable has no document, passage or answer.',
      '  line 6: This is the question of line 5 once more.',
      expect.stringContaining('  line 7: '),
      '  line 8: "expected" is not known; known are question, document, passage, answer, unanswerable, note.',
    ]);
  });

  it.each([
    ['q.jsonl', '\n \n', /There are no questions here/],
    ['q.csv', 'question,document\na,"b\n', /This is not CSV/],
    ['q.csv', 'question,document\na,b,c\n', /line 2: This is not CSV/],
  ])('are refused when there are none in %s', async (name, text, message) => {
    await expect(read(name, text)).rejects.toThrow(message);
  });
});

describe('the documents that questions name', () => {
  const document = (more: Partial<NamedDocument>): NamedDocument => ({
    id: '7d0c3f0e-6a1b-4c1d-9a53-0a6c0f6b2f11',
    title: 'The Tides',
    fileName: 'tides.md',
    source: 'file:///home/ada/papers/T%C3%ADdes.md',
    ...more,
  });
  const other = document({ id: 'other', title: 'Winds', fileName: null, source: 'https://sea.example/winds/' });
  async function* corpus() {
    yield document({});
    yield other;
  }
  const resolveOne = async (name: string) => {
    const [question] = await read('q.jsonl', JSON.stringify({ question: 'When?', document: name }));
    return question && (await resolveDocuments([question], 'q.jsonl', corpus()));
  };

  it.each([
    '7D0C3F0E-6a1b-4c1d-9a53-0a6c0f6b2f11',
    'the tides',
    'tides.md',
    'papers/Tídes.md',
    './papers/Ti\u0301des.md',
    '/home/ada/papers/Tídes.md',
    'file:///home/ada/papers/T%C3%ADdes.md',
  ])('are found as "%s"', async (name) => {
    expect((await resolveOne(name))?.[0]?.expected).toEqual([new Set(['7d0c3f0e-6a1b-4c1d-9a53-0a6c0f6b2f11'])]);
  });

  it('are found by their address', async () => {
    expect((await resolveOne('https://sea.example/winds'))?.[0]?.expected).toEqual([new Set(['other'])]);
  });

  it('are refused with the line number when they do not exist', async () => {
    await expect(resolveOne('apers/Tídes.md')).rejects.toThrow(/line 1: No document is called "apers\/Tídes.md"/);
  });
});
