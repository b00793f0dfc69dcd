import { describe, expect, it } from 'vitest';
import { defaultAdmin } from '../../src/access/principal.ts';
import type { Agent, AgentRequest } from '../../src/agent/agent.ts';
import type { AgentAnswer, AgentEvent } from '../../src/agent/agent-event.ts';
import type { CheckedCitation } from '../../src/citations/check-citation.ts';
import { toolsets } from '../../src/compose/toolsets.ts';
import { chooseTools } from '../../src/mcp/choose-tools.ts';
import type { ToolNeed } from '../../src/toolbox/tool.ts';
import { foundChunk } from '../support/found.ts';
import { startInProcess } from './support/in-process.ts';

const everything: ReadonlySet<ToolNeed> = new Set(
  Object.values(toolsets)
    .flat()
    .flatMap(({ needs }) => needs),
);

/** An agent that searches, waits for a signal, and answers. */
function slowAgent(text: string) {
  const { promise: word, resolve: resume } = Promise.withResolvers<void>();
  const asked: AgentRequest[] = [];
  const agent: Agent = {
    async prepare(request) {
      asked.push(request);
      return {
        conversationId: 'c0',
        async *events(signal): AsyncGenerator<AgentEvent, void> {
          yield { type: 'tool_call', call: { id: '1', name: 'search_file_knowledge', arguments: { query: 'rivers' } } };
          await Promise.race([
            word,
            new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
          ]);
          const quote = { text: 'Rivers flow', start: 7, end: 18, page: 2, headingPath: ['Water'] };
          const source = {
            kind: 'chunk' as const,
            chunk: foundChunk('Rivers flow downhill.', { metadata: { title: 'Rivers', document_type: 'odp' } }),
          };
          const citation: CheckedCitation = {
            id: 'cit.1',
            number: 1,
            source,
            spans: [{ start: 0, end: 3 }],
            quotes: [quote],
            verdict: 'close',
            score: 0.8,
            checks: [],
          };
          const unsupported = [{ start: 0, end: 11 }];
          const common = { model: 'test/model', conversationId: 'c0' };
          const answer = { text, citations: [citation], unsupported, ...common } as Partial<AgentAnswer>;
          yield { type: 'final_answer', answer: answer as AgentAnswer };
        },
      };
    },
  };
  return { agent, resume, asked };
}

async function start(text = 'Rivers flow.') {
  const { agent, resume, asked } = slowAgent(text);
  const mcp = await startInProcess({ change: () => ({ agent }) });
  const call = async (name: string, given: object, userId = defaultAdmin.userId) =>
    mcp.backend.call(
      {
        principal: { ...defaultAdmin, userId },
        name,
        arguments: given,
        folders: [],
        absent: [],
        pageOrigin: 'http://127.0.0.1:7272',
      },
      { signal: AbortSignal.timeout(20_000) },
    );
  const documentId = await mcp.add('Rivers', 'Rivers flow downhill.');
  const begun = await call('research_start', { query: 'What do rivers do?', document_id: documentId });
  const id = String(begun.isError ? '' : begun.output.structured['research_id']);
  const ask = async (given: object = {}, userId?: string) => {
    const outcome = await call('research_result', { research_id: id, ...given }, userId);
    return outcome.isError ? { code: outcome.code } : { text: outcome.output.text, ...outcome.output.structured };
  };
  return { ask, resume, asked, documentId };
}

describe('asynchronous research', () => {
  it('reads only the documents that it was given, and tells its searches what else the caller may read', async () => {
    const { asked, documentId } = await start();
    const scope = { kind: 'in', field: 'document_id', values: [documentId] };
    expect(asked.map(({ search }) => search.filter)).toEqual([
      expect.toSatisfy((filter) => JSON.stringify(filter).includes(JSON.stringify(scope))),
    ]);
    expect(asked.map(({ search }) => search.readable)).toEqual([{ kind: 'all' }]);
  });

  it('reports the support of its answer, with quotes', async () => {
    const { ask, resume } = await start();
    resume();
    const result = await ask({ wait_seconds: 10 });
    expect(result).toMatchObject({
      unsupported_sentences: ['Rivers flow'],
      citations: [
        {
          marker: '[1]',
          document_type: 'odp',
          verdict: 'close',
          quotes: [{ text: 'Rivers flow', start: 7, end: 18, page: 2, heading_path: ['Water'] }],
          link: expect.stringMatching(/^http:\/\/127\.0\.0\.1:7272\/d\/[^?]+\?q=7-18$/),
        },
      ],
    });
    expect(result).toMatchObject({
      text: expect.stringMatching(
        /close · slide 2 · Water · “Rivers flow” \(characters 7-18\)[\s\S]*Not supported by any source:\n- Rivers flow/,
      ),
    });
  });

  it('can be started, polled, awaited and fetched', async () => {
    const { ask, resume } = await start();
    expect(await ask()).toMatchObject({
      status: 'running',
      query: 'What do rivers do?',
      steps: ['search_file_knowledge: rivers'],
    });
    const waiting = ask({ wait_seconds: 20 });
    resume();
    expect(await waiting).toMatchObject({ status: 'ended', answer: 'Rivers flow.', conversation_id: 'c0' });
  });

  it('returns a long answer in consecutive parts', async () => {
    const whole = 'Rivers flow from springs to seas. '.repeat(200);
    const { ask, resume } = await start(whole);
    resume();
    await ask({ wait_seconds: 20 });
    let read = '';
    for (let offset: unknown = 0; offset !== undefined; ) {
      const part: Readonly<Record<string, unknown>> = await ask({ offset, max_chars: 1_500 });
      read += part['answer'];
      offset = part['next_offset'];
      if (offset !== undefined) expect(part['text']).toContain(`offset=${offset}`);
    }
    expect(read).toBe(whole);
  });

  it('ends on cancellation', async () => {
    const { ask } = await start();
    expect(await ask({ cancel: true })).toMatchObject({ status: 'cancelled' });
  });

  it('is private: a foreign handle gets the same error as an unknown one', async () => {
    const { ask } = await start();
    expect(await ask({}, 'someone else')).toEqual({ code: 'not_found' });
    expect(await ask({ research_id: '00000000-0000-4000-8000-000000000000' })).toEqual({ code: 'not_found' });
  });

  it('is offered with the research toolset when a language model is configured', () => {
    const names = (met: ReadonlySet<ToolNeed>) =>
      chooseTools(toolsets, { toolsets: ['research'] }, met).tools.map(({ name }) => name);
    expect(names(everything)).toEqual(
      expect.arrayContaining(['rag', 'reasoning', 'research_start', 'research_result']),
    );
    expect(names(new Set(['answerer']))).toEqual(['rag']);
  });
});
