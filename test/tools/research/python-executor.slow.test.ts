import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openSandbox } from '../../../scripts/open-sandbox.ts';
import type { ToolCall } from '../../../src/models/message.ts';
import type { ToolOutput } from '../../../src/toolbox/tool.ts';
import type { ToolContext } from '../../../src/toolbox/tool-context.ts';
import { pythonExecutor } from '../../../tools/research/python-executor.ts';
import { addDocument, agentOver, resultsIn } from '../../support/agent-over-store.ts';
import { callerOver } from '../../support/call-over-store.ts';
import { calls, onlyModel, says, scriptedModel } from '../../support/scripted-model.ts';
import { openTestStore } from '../../support/store.ts';

let sandbox: Awaited<ReturnType<typeof openSandbox>>;
beforeAll(async () => {
  sandbox = await openSandbox({ slots: 2 });
});
afterAll(() => sandbox.close());

async function open(change: Partial<ToolContext> = {}) {
  const store = await openTestStore();
  const caller = callerOver(store, { sandbox, ...change });
  return {
    store,
    caller,
    async run(given: object): Promise<ToolOutput> {
      const output = await caller.result(pythonExecutor, given);
      const schema = z.fromJSONSchema(pythonExecutor.outputSchema as Parameters<typeof z.fromJSONSchema>[0]);
      expect(schema.safeParse(output.structured).error).toBeUndefined();
      return output;
    },
  };
}

describe('python_executor', () => {
  it('returns output and value as text and as data, each complete', async () => {
    const { run } = await open();
    const { text, structured } = await run({ code: 'print("summing")\nsum(prices)', inputs: { prices: [1.5, 2] } });
    expect(text).toMatch(/^Printed:\nsumming\n\nResult \(float\): 3\.5\n\n\(\d+ ms\)$/);
    expect(structured).toMatchObject({
      ok: true,
      kind: 'finished',
      result: '3.5',
      result_type: 'float',
      result_json: 3.5,
      stdout: 'summing\n',
      stdout_truncated: false,
      stderr: '',
      files: [],
      session_lost: false,
    });
  });

  it('succeeds when the code fails, and reports where it failed', async () => {
    const { run } = await open();
    const { text, structured } = await run({ code: 'x = {}\nx["total"]' });
    expect(structured).toMatchObject({ ok: false, kind: 'exception', error: { type: 'KeyError', line: 2 } });
    expect(text).toContain('File "<cell 1>", line 2, in <module>');
    expect(text).toContain("KeyError: 'total'");
  });

  it('says what to do when there is no output', async () => {
    const { run } = await open();
    expect((await run({ code: 'x = 1' })).text).toContain('Print what is wanted, or end with an expression.');
  });

  it('removes the code fence that models add', async () => {
    const { run } = await open();
    expect((await run({ code: '```python\n6 * 7\n```' })).structured).toMatchObject({ result: '42' });
  });

  it('ends code at the time limit, and reports the lost session', async () => {
    const { run } = await open({ conversationId: 'c1' });
    await run({ code: 'x = 1' });
    const late = await run({ code: 'while True: pass', timeout_ms: 500 });
    expect(late.structured).toMatchObject({ ok: false, kind: 'timeout', session_lost: true });
    expect(late.text).toContain('The code ran longer than 0.5 s and was ended.');
    const shown = await run({
      code: 'import sys\nprint("step", "ä", "😀")\nprint("odd", file=sys.stderr)\nwhile True: pass',
      timeout_ms: 500,
    });
    expect(shown.structured).toMatchObject({ kind: 'timeout', stdout: 'step ä 😀\n', stderr: 'odd\n' });
    expect(shown.text).toContain('Printed:\nstep ä 😀');
    expect(late.text).toContain('define again what is needed');
    expect((await run({ code: 'x' })).structured).toMatchObject({ error: { type: 'NameError' } });
  });

  it('keeps variables within a conversation and does not share them', async () => {
    const one = await open({ conversationId: 'one' });
    const other = await open({ conversationId: 'other' });
    await one.run({ code: 'secret = 7' });
    expect((await one.run({ code: 'secret' })).structured).toMatchObject({ result: '7' });
    expect((await other.run({ code: 'secret' })).structured).toMatchObject({ error: { type: 'NameError' } });
    const external = await open();
    const named = await external.run({ code: 'secret', session_id: 'conversation:one:' });
    expect(named.structured).toMatchObject({ error: { type: 'NameError' } });
  });

  it('separates sessions of the same name of different callers', async () => {
    const ada = await open({ caller: 'ada' });
    const bob = await open({ caller: 'bob' });
    await ada.run({ code: 'secret = 7', session_id: 'main' });
    expect((await ada.run({ code: 'secret', session_id: 'main' })).structured).toMatchObject({ result: '7' });
    const guessed = await bob.run({ code: 'secret', session_id: 'main' });
    expect(guessed.structured).toMatchObject({ error: { type: 'NameError' } });
  });

  it('passes files in and out, text in the data and images as image content', async () => {
    const { run } = await open();
    const { text, structured, files } = await run({
      code: 'import csv\nrows = list(csv.reader(open("in/data.csv")))\nopen("out/rows.json", "w").write(str(len(rows)))\nopen("out/dot.png", "wb").write(open("dot.bin", "rb").read())\nNone',
      files: [
        { name: 'in/data.csv', text: 'a,b\n1,2\n' },
        { name: 'dot.bin', base64: 'iVBORw0KGgo=' },
      ],
    });
    expect(text).toContain('File: out/rows.json (application/json, 1 bytes)');
    expect(structured['files']).toEqual([
      { name: 'out/dot.png', mime_type: 'image/png', size: 8 },
      { name: 'out/rows.json', mime_type: 'application/json', size: 1, text: '2' },
    ]);
    expect(files?.map(({ name, mediaType, bytes }) => [name, mediaType, bytes?.byteLength])).toEqual([
      ['out/dot.png', 'image/png', 8],
      ['out/rows.json', 'application/json', 1],
    ]);
  });

  it('passes documents to the code without showing them to the model, and makes them citable', async () => {
    const { store, caller, run } = await open();
    const text = Array.from({ length: 300 }, (_, order) => `Passage ${order} of the ledger: ${order * 3} boats.`);
    const document = await addDocument(store, 'Ledger', text);
    const output = await run({
      code: 'import re\ntext = open(documents[0]["path"]).read()\n(documents[0]["title"], sum(int(n) for n in re.findall(r"(\\d+) boats", text)))',
      documents: [document.id],
    });
    expect(output.structured).toMatchObject({ result_json: ['Ledger', (3 * 299 * 300) / 2] });
    expect(output.text).toContain(`[1] Ledger → documents/${document.id}.txt`);
    expect(output.text).not.toContain('boats');
    expect(caller.sources.get(1)).toMatchObject({ kind: 'document', document: { title: 'Ledger' } });
  });

  it('passes the original file of a document to the code', async () => {
    const { store, run } = await open();
    const file = {
      fileName: 'Q3: boats.csv',
      mediaType: 'text/csv',
      bytes: Buffer.from('name,boats\nNorth,3\nSouth,4\n'),
    };
    const document = await addDocument(store, 'Boats', ['North 3, South 4'], file);
    const code = 'import csv\nsum(int(row["boats"]) for row in csv.DictReader(open(documents[0]["file"])))';
    expect((await run({ code, documents: [document.id] })).structured).toMatchObject({ result_json: 7 });
  });

  it('passes found passages to the code', async () => {
    const { store, run } = await open();
    const document = await addDocument(store, 'Ledger', ['One boat.', 'Two boats.', 'Three boats.']);
    const { items } = await store.corpus.chunksOf(document.id, { offset: 0, limit: 10 });
    const ids = items.map(({ id }) => id);
    const { structured } = await run({ code: '[p["text"].split()[0] for p in passages]', chunks: ids });
    expect(structured).toMatchObject({ result_json: ['One', 'Two', 'Three'] });
  });

  it('passes no document that its caller may not see', async () => {
    const { store } = await open();
    const document = await addDocument(store, 'Hidden', ['Nothing to see.']);
    const { items } = await store.corpus.chunksOf(document.id, { offset: 0, limit: 1 });
    const blind = callerOver(store, {
      sandbox,
      visible: { kind: 'compare', field: 'title', op: 'eq', value: 'Other' },
    });
    expect(await blind.failure(pythonExecutor, { code: '1', documents: [document.id] })).toContain('is visible here');
    expect(await blind.failure(pythonExecutor, { code: '1', chunks: [items[0]?.id] })).toContain('is visible here');
  });

  it('removes terminal control sequences and truncates long output', async () => {
    const { run } = await open({ maxCharacters: 2_000 });
    const { text } = await run({ code: 'print("\\x1b[31mred\\x1b[0m\\x07")\nprint("x" * 15_000)' });
    expect(text).toContain('red�');
    expect(text).not.toContain('\u001b');
    expect(text.length).toBeLessThan(2_100);
    expect(text).toMatch(/cut: the first \d+ of 15\d\d\d characters/);
  });

  it.each([
    ['no code', {}, 'code'],
    ['a variable that is none', { code: '1', inputs: { 'a-b': 1 } }, 'inputs'],
    ['a file elsewhere', { code: '1', files: [{ name: '../x', text: '' }] }, 'cannot be a file'],
    ['a document that is not there', { code: '1', documents: ['00000000-0000-4000-8000-000000000000'] }, 'No document'],
  ])('refuses %s with an error that a model can act on', async (_, given, expected) => {
    const { caller } = await open();
    expect(await caller.failure(pythonExecutor, given)).toContain(expected);
  });

  it('keeps its session over the calls of one connection, unless a call names another', async () => {
    const one = await open({ caller: 'ada', connection: 'one' });
    const two = await open({ caller: 'ada', connection: 'two' });
    await one.run({ code: 'secret = 7' });
    expect((await one.run({ code: 'secret' })).structured).toMatchObject({ result: '7' });
    expect((await one.run({ code: 'secret', session_id: 'other' })).text).toContain('NameError');
    expect((await two.run({ code: 'secret' })).text).toContain('NameError');
  });

  it('keeps its session over the turns of an agent conversation', async () => {
    const store = await openTestStore();
    const python = (id: string, code: string): ToolCall => ({ id, name: 'python_executor', arguments: { code } });
    const model = scriptedModel(
      calls(python('1', 'total = sum(range(101))')),
      calls(python('2', 'total * 2')),
      says('It is 10100.'),
    );
    const agent = await agentOver(store, onlyModel(model), {
      tools: { tools: [pythonExecutor], toolNames: { rag: ['python_executor'], research: ['python_executor'] } },
      sandbox,
    });
    const events = await agent.ask('What is it?', { tools: ['python_executor'] });
    expect(resultsIn(events).at(-1)?.content).toContain('Result (int): 10100');
  });

  it('names the files of an agent run where they can be downloaded, for the model and in the events', async () => {
    const store = await openTestStore();
    const code = 'open("out/a.csv", "w").write("1,2")\nNone';
    const model = scriptedModel(calls({ id: 'c1', name: 'python_executor', arguments: { code } }), says('Done.'));
    const agent = await agentOver(store, onlyModel(model), {
      tools: { tools: [pythonExecutor], toolNames: { rag: ['python_executor'], research: ['python_executor'] } },
      sandbox,
    });
    const [result] = resultsIn(await agent.ask('Write a file', { tools: ['python_executor'] }));
    const [file] = result?.files ?? [];
    expect(file).toEqual({ name: 'out/a.csv', mediaType: 'text/csv', size: 3, runId: expect.any(String) });
    expect(result?.content).toContain(`: /v3/retrieval/runs/${file?.runId}/files/out/a.csv`);
  });
});
