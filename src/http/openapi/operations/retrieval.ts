import { z } from 'zod';
import { agentRequest } from '../../wire/agent-request.ts';
import { completionRequest } from '../../wire/message.ts';
import { afterQuery } from '../../wire/query.ts';
import { ragRequest } from '../../wire/rag-request.ts';
import { searchRequest } from '../../wire/search-request.ts';
import { events, json, jsonOrEvents, type OperationGroup, operation } from '../operation.ts';
import { agentAnswer, completion, ragAnswer } from '../records/answers.ts';
import { agentEvent, completionEvent, ragEvent, runEvent } from '../records/events.ts';
import { searchResults } from '../records/search.ts';
import { runRecord } from '../records/service.ts';
import { listOf, results } from '../records/shared.ts';

const run = { id: z.string().describe('The header X-Run-Id of a streamed answer.') };
const runHeader = { 'X-Run-Id': 'Of a stream: by this it can be read again, and ended.' };

export const retrievalOperations: OperationGroup = {
  tag: 'Retrieval',
  description: 'Search, answers with citations, the agent, and models as such.',
  operations: [
    operation('POST /v3/retrieval/search', {
      name: 'search',
      summary: 'Search passages and the graph',
      section: 'spec.md 4.1, r2r-v3.md 5.1',
      body: json(searchRequest),
      examples: {
        plain: { query: 'What is the notice period?' },
        filtered: {
          query: 'notice period',
          search_settings: { use_hybrid_search: true, limit: 5, filters: { 'metadata.year': { $gt: 2020 } } },
        },
      },
      answer: json(results(searchResults)),
      failures: [400, 502, 503],
    }),
    operation('POST /v3/retrieval/rag', {
      name: 'rag',
      summary: 'Answer a question from one search',
      section: 'spec.md 4.2, r2r-v3.md 5.2',
      description:
        'With `rag_generation_config.stream` the answer comes as events. `generated_answer`, `search_results` and ' +
        '`citations` are also beside `results`.',
      body: json(ragRequest),
      examples: {
        whole: { query: 'What is the notice period?' },
        streamed: { query: 'What is the notice period?', rag_generation_config: { stream: true } },
      },
      answer: jsonOrEvents(ragAnswer, ragEvent),
      answerHeaders: runHeader,
      failures: [400, 502, 503, 504],
    }),
    operation('POST /v3/retrieval/agent', {
      name: 'agent',
      summary: 'Let the agent answer, with tools and in a conversation',
      section: 'spec.md 4.3, r2r-v3.md 5.3',
      description: 'Give exactly one of `message`, `query` and `messages`.',
      body: json(agentRequest),
      examples: {
        whole: { message: { role: 'user', content: 'Compare both contracts.' } },
        streamed: { query: 'Compare both contracts.', rag_generation_config: { stream: true } },
        research: { query: 'What would both cost over five years?', mode: 'research' },
      },
      answer: jsonOrEvents(agentAnswer, agentEvent),
      answerHeaders: { 'X-Conversation-Id': 'The conversation; send it with the next message.', ...runHeader },
      failures: [400, 404, 502, 503, 504],
    }),
    operation('POST /v3/retrieval/completion', {
      name: 'completion',
      summary: 'Ask a language model, without the documents',
      section: 'spec.md 4.4, r2r-v3.md 5.4',
      body: json(completionRequest),
      examples: { plain: { messages: [{ role: 'user', content: 'Say hello.' }] } },
      answer: jsonOrEvents(completion, completionEvent),
      failures: [400, 502, 503, 504],
    }),
    operation('POST /v3/retrieval/embedding', {
      name: 'embedding',
      summary: 'Turn a text into its vector',
      section: 'spec.md 4.5, r2r-v3.md 5.4b',
      description: 'The body is an object, or the text itself: as JSON, or as it is.',
      body: {
        'application/json': z.union([
          z.object({
            text: z.string().min(1),
            model: z.string().optional().describe('The embedder in use, for who wants to be sure of it.'),
          }),
          z.string().min(1),
        ]),
        'text/plain': 'The text.',
      },
      examples: { object: { text: 'Paris is the capital of France.' } },
      answer: json(results(z.array(z.number()))),
      failures: [400, 502],
    }),
    operation('GET /v3/retrieval/runs', {
      name: 'listRuns',
      summary: 'List streamed answers of one’s own',
      answer: json(listOf(runRecord)),
    }),
    operation('GET /v3/retrieval/runs/{id}', {
      name: 'getRun',
      summary: 'How a streamed answer stands',
      parts: run,
      answer: json(results(runRecord)),
    }),
    operation('GET /v3/retrieval/runs/{id}/events', {
      name: 'followRun',
      summary: 'Take up a streamed answer again',
      description: 'All events from the beginning, or those after the one that was received last.',
      parts: run,
      query: afterQuery,
      headers: { 'Last-Event-ID': 'The id of the last event that was received.' },
      answer: events(runEvent),
      answerHeaders: runHeader,
      failures: [400],
    }),
    operation('POST /v3/retrieval/runs/{id}/cancel', {
      name: 'cancelRun',
      summary: 'End a streamed answer',
      parts: run,
      answer: json(results(runRecord)),
    }),
  ],
};
