import './build-first.js';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { z } from 'zod';
import type { AgentEvent } from '../src/agent/agent-event.ts';
import { embeddingText } from '../src/ingest/embedding-text.ts';
import type { Model, ModelEvent, ModelRequest } from '../src/models/model.ts';
import { memoryVectorIndex } from '../src/store/memory/memory-vector-index.ts';
import { openStore } from '../src/store/sql/open-store.ts';
import { defineTool } from '../src/toolbox/tool.ts';
import type { OpenStore } from '../test/support/adapters.ts';
import {
  addDocument,
  agentOver,
  agentRequest,
  lettersSpace,
  type RunningAgent,
} from '../test/support/agent-over-store.ts';
import { content } from '../tools/rag/content.ts';
import { searchFileKnowledge } from '../tools/rag/search-file-knowledge.ts';

// Measures the overhead of the agent itself with a model that answers instantly: CPU time per step, time to the first
// event, memory of many concurrent streams, and memory growth over many runs.
//   npm exec -- node scripts/bench-agent.ts [runs]

const RUNS = Number(process.argv[2] ?? 1000);
const STREAMS = 200;
const DOCUMENTS = 100;
const CHUNKS = 20;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const usage = { input: 900, cachedInput: 0, output: 60, reasoning: 0 };
const stop = (reason: 'end' | 'tool_calls'): ModelEvent => ({ type: 'stop', reason, usage, model: 'test/instant' });

/** Calls these tools in order, then answers with two citations in 40 tokens. */
function instantModel(steps: readonly { readonly name: string; readonly given: (seen: string) => object }[]): Model {
  return {
    name: 'test/instant',
    async *stream({ messages }: ModelRequest): AsyncGenerator<ModelEvent> {
      const done = messages.filter(({ role }) => role === 'tool').length;
      const step = steps[done];
      if (step !== undefined) {
        const seen = messages.at(-1)?.text ?? '';
        yield { type: 'tool_call', call: { id: `call_${done}`, name: step.name, arguments: step.given(seen) } };
        yield stop('tool_calls');
        return;
      }
      for (const token of ANSWER.match(/\s*\S+/g) ?? []) yield { type: 'text', text: token };
      yield stop('end');
    },
  };
}

const ANSWER =
  'The harbour of Tolmen keeps seven ferries [1], of which the oldest was built in the yard beside it and still sails every morning [2]. Its timetable changes with the tide, and so the crews are told of the day only on the evening before.';

const echo = defineTool({
  name: 'echo',
  title: 'Say it again',
  description: 'Gives back what it was given, at once.',
  input: z.object({ text: z.string() }),
  output: z.object({ text: z.string() }),
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  deadline: 1000,
  execute: async ({ text }) => ({ text, structured: { text } }),
});

const tools = [echo, searchFileKnowledge, content];
const names = tools.map(({ name }) => name);

const scenarios = {
  'a tool that returns at once': [
    { name: 'echo', given: () => ({ text: 'one' }) },
    { name: 'echo', given: () => ({ text: 'two' }) },
  ],
  [`search and read, ${DOCUMENTS * CHUNKS} passages`]: [
    { name: 'search_file_knowledge', given: () => ({ query: 'oldest ferry of the harbour' }) },
    {
      name: 'content',
      given: (seen: string) => ({ around_chunk_id: /chunk_id ([0-9a-f-]{36})/.exec(seen)?.[1] ?? '' }),
    },
  ],
};

async function fill(store: OpenStore): Promise<void> {
  await store.spaces.claim(lettersSpace);
  for (let document = 0; document < DOCUMENTS; document++) {
    const chunks = Array.from(
      { length: CHUNKS },
      (_, order) =>
        `Ferry ${document} of the harbour made trip ${order}. ${'It carried mail, two passengers and a crate of apples to the outer island. '.repeat(8)}`,
    );
    await addDocument(store, `Log ${document}`, chunks);
  }
}

interface Measured {
  readonly firstEvent: number;
  readonly whole: number;
}

async function run({ agent }: RunningAgent): Promise<Measured> {
  const startedAt = performance.now();
  let firstEvent: number | undefined;
  const prepared = await agent.prepare(agentRequest('Which ferry is the oldest?', { tools: names }));
  for await (const _ of prepared.events(new AbortController().signal)) firstEvent ??= performance.now() - startedAt;
  return { firstEvent: firstEvent ?? Number.NaN, whole: performance.now() - startedAt };
}

const median = (numbers: readonly number[], share = 0.5): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * share)] ?? Number.NaN;

const heap = (): number => {
  collectGarbage();
  return process.memoryUsage().heapUsed / 2 ** 20;
};

/** Measures the memory per stream while many streams are open. */
async function standing(agent: RunningAgent): Promise<{ readonly heapEach: number; readonly rss: number }> {
  const [before, rssBefore] = [heap(), process.memoryUsage().rss];
  const streams = await Promise.all(
    Array.from({ length: STREAMS }, async () => {
      const prepared = await agent.agent.prepare(agentRequest('Which ferry is the oldest?', { tools: names }));
      const events = prepared.events(new AbortController().signal);
      const first: AgentEvent[] = [];
      // Reads half of the answer: by then all tools have been called and their results are held in memory.
      for (let step = await events.next(); !step.done; step = await events.next()) {
        first.push(step.value);
        if (first.filter(({ type }) => type === 'message').length === 5) break;
      }
      return { events, first };
    }),
  );
  const heapEach = ((heap() - before) * 1024) / STREAMS;
  const rss = (process.memoryUsage().rss - rssBefore) / 2 ** 20;
  await Promise.all(streams.map(({ events }) => events.return()));
  return { heapEach, rss };
}

const folder = await mkdtemp(join(tmpdir(), 'citewell-bench-'));
const index = memoryVectorIndex();
const store = { ...(await openStore({ path: join(folder, 'citewell.db'), index, embeddingText, readers: 2 })), index };
try {
  await fill(store);
  for (const [title, steps] of Object.entries(scenarios)) {
    const model = instantModel(steps);
    const agent = await agentOver(
      store,
      { resolve: () => model, defaultName: () => model.name },
      { tools: { tools, toolNames: { rag: names, research: [] } } },
    );
    for (let warming = 0; warming < 100; warming++) await run(agent);
    const heapBefore = heap();
    const [processBefore, threadBefore] = [process.cpuUsage(), process.threadCpuUsage()];
    const measured: Measured[] = [];
    for (let count = 0; count < RUNS; count++) measured.push(await run(agent));
    const thread = process.threadCpuUsage(threadBefore);
    const whole = process.cpuUsage(processBefore);
    const growth = heap() - heapBefore;
    const perStep = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1000 / RUNS / (steps.length + 1);
    const { heapEach, rss } = await standing(agent);
    const firsts = measured.map(({ firstEvent }) => firstEvent);
    const wholes = measured.map((each) => each.whole);
    const line = (name: string, value: string) => console.log(`| ${name.padEnd(46)} | ${value.padStart(22)} |`);
    console.log(`\n${title}: ${RUNS} runs of ${steps.length + 1} steps\n`);
    line('measure', 'value');
    console.log(`|${'-'.repeat(48)}|${'-'.repeat(24)}|`);
    line('CPU per step, the thread the agent runs on', `${perStep(thread).toFixed(2)} ms`);
    line('CPU per step, all threads (SQLite, collector)', `${perStep(whole).toFixed(2)} ms`);
    line('time to first event, middle / 95 %', `${median(firsts).toFixed(1)} / ${median(firsts, 0.95).toFixed(1)} ms`);
    line('time of a run, middle / 95 %', `${median(wholes).toFixed(1)} / ${median(wholes, 0.95).toFixed(1)} ms`);
    line(`heap kept by each of ${STREAMS} streams half read`, `${heapEach.toFixed(0)} KiB`);
    line(`resident memory added by ${STREAMS} streams`, `${rss.toFixed(0)} MiB`);
    line(`heap growth over ${RUNS} runs`, `${growth.toFixed(1)} MiB`);
  }
} finally {
  await store.close();
  await rm(folder, { recursive: true, force: true });
}
