import { z } from 'zod';
import { audienceFor, type Principal } from '../access/principal.ts';
import type { AgentEvent } from '../agent/agent-event.ts';
import { plainRequest } from '../agent/plain-request.ts';
import { documentTypeOfSource } from '../citations/document-type.ts';
import { allOf } from '../documents/filter.ts';
import { messageFor, ServiceError } from '../errors.ts';
import type { ReadableRun, RunEvent } from '../runs/run.ts';
import { startDeadline } from '../shared/abort.ts';
import { shortLine } from '../shared/text.ts';
import { citedQuote, toCitedQuote, verdictField } from '../toolbox/cited-quote.ts';
import type { ResearchService, ResearchState } from '../toolbox/tool-ports.ts';
import type { McpServices } from './mcp-services.ts';
import { sourceLink } from './source-link.ts';

const RESEARCH_RUN = 'research';

/** Starts and reads research runs in the run log; run ids are private to their caller. */
export function createResearchService(
  { agent, runs, log }: Pick<McpServices, 'agent' | 'runs' | 'log'>,
  principal: Principal,
): ResearchService {
  /** What the caller may read about a failure, which is logged unless the caller reads all of it. */
  function failureOf(thrown: unknown): string {
    const message =
      thrown instanceof ServiceError
        ? messageFor(thrown, audienceFor(principal))
        : 'Something went wrong inside the service.';
    if (!(thrown instanceof ServiceError) || thrown.message !== message) {
      log.error({ err: thrown }, 'A research run failed.');
    }
    return message;
  }

  return {
    async start(question, scope) {
      const request = plainRequest(principal, question);
      const search = { ...request.search, filter: allOf(request.search.filter, scope) };
      const prepared = await agent.prepare({ ...request, search, mode: 'research' });
      const run = await runs.start({
        ownerId: principal.userId,
        kind: RESEARCH_RUN,
        conversationId: prepared.conversationId,
        isResumable: true,
        produce: (signal) => toRunEvents(question, prepared.events(signal)),
        onFailure: (thrown) => runEvent('error', failureOf(thrown)),
      });
      return stateOf(run, { question });
    },

    async read(id, milliseconds, signal) {
      const run = await runs.get(id, principal.userId);
      using deadline = startDeadline(milliseconds, signal);
      await run.untilEnded(deadline.signal);
      signal.throwIfAborted();
      return stateOf(run, { signal });
    },

    async cancel(id) {
      const run = await runs.get(id, principal.userId);
      await run.cancel();
      return stateOf(run);
    },
  };
}

const answerShape = z.object({
  text: z.string(),
  sources: z.array(
    z.object({
      marker: z.string(),
      title: z.string(),
      uri: z.string(),
      documentId: z.string().optional(),
      documentType: z.string().optional(),
      verdict: verdictField,
      quotes: z.array(citedQuote),
    }),
  ),
  unsupported: z.array(z.string()),
  model: z.string(),
  conversationId: z.string(),
});

const runEvent = (event: string, value: unknown): RunEvent => ({ event, json: JSON.stringify(value) });

async function* toRunEvents(question: string, events: AsyncIterable<AgentEvent>): AsyncGenerator<RunEvent, void> {
  yield runEvent('question', question);
  for await (const event of events) {
    if (event.type === 'tool_call') yield runEvent('step', describeStep(event.call));
    if (event.type !== 'final_answer') continue;
    const { text, citations, model, conversationId } = event.answer;
    const sources = citations.map(({ number, source, verdict, quotes }) => ({
      marker: `[${number}]`,
      ...sourceLink(source),
      documentType: documentTypeOfSource(source),
      verdict,
      quotes: quotes.map(toCitedQuote),
    }));
    const unsupported = event.answer.unsupported.map(({ start, end }) => text.slice(start, end));
    yield runEvent('answer', { text, sources, unsupported, model, conversationId });
  }
}

function describeStep({ name, arguments: given }: { readonly name: string; readonly arguments: unknown }): string {
  const words = typeof given === 'object' && given !== null ? Object.values(given) : [given];
  const [first] = words.filter((word) => typeof word === 'string');
  return shortLine(first === undefined ? name : `${name}: ${first}`, 200);
}

interface Reading {
  /** Known if the run has just been started; otherwise read from the run log. */
  readonly question?: string;
  readonly signal?: AbortSignal;
}

async function stateOf(
  run: ReadableRun,
  { question: asked = '', signal = new AbortController().signal }: Reading = {},
): Promise<ResearchState> {
  const record = await run.readRecord();
  if (record.kind !== RESEARCH_RUN) {
    throw new ServiceError('not_found', `The run ${run.id} is not one of research.`);
  }
  let question = asked;
  const steps: string[] = [];
  let end: Partial<Pick<ResearchState, 'answer' | 'failure'>> = {};
  if (record.events > 0) {
    // Reads the events so far without waiting for more.
    for await (const { number, event, json } of run.follow(0, signal)) {
      const value: unknown = JSON.parse(json);
      if (event === 'question') question = String(value);
      if (event === 'step') steps.push(String(value));
      if (event === 'answer') end = { answer: answerShape.parse(value) };
      if (event === 'error') end = { failure: String(value) };
      if (number >= record.events) break;
    }
  }
  return { id: run.id, question, status: record.status, steps, ...end };
}
