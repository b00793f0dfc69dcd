import { z } from 'zod';
import { answerCheckRecord } from '../../../toolbox/answer-check-record.ts';
import { agentAnswer } from '../../wire/agent-answer.ts';
import { agentEvent } from '../../wire/agent-events.ts';
import { agentRequest } from '../../wire/agent-request.ts';
import { answerCheckRequest } from '../../wire/answer-check.ts';
import { completion } from '../../wire/completion.ts';
import { completionRequest } from '../../wire/message.ts';
import { afterQuery } from '../../wire/query.ts';
import { ragAnswer } from '../../wire/rag-answer.ts';
import { ragEvent } from '../../wire/rag-events.ts';
import { ragRequest } from '../../wire/rag-request.ts';
import { listOf, results } from '../../wire/record-parts.ts';
import { runEvent, runRecord } from '../../wire/run-record.ts';
import { searchRequest } from '../../wire/search-request.ts';
import { searchResults } from '../../wire/search-results.ts';
import { completionEvent } from '../../wire/stream-events.ts';
import { events, json, jsonOrEvents, type OperationGroup, operation } from '../operation.ts';

const run = { id: z.string().describe('The header X-Run-Id of a streamed answer.') };
const runHeader = { 'X-Run-Id': 'Of a stream: the run id, for resuming and cancelling.' };

export const retrievalOperations: OperationGroup = {
  tag: 'Retrieval',
  description: 'Search, answers with citations, the agent, and direct model calls.',
  operations: [
    operation('POST /v3/retrieval/search', {
      name: 'search',
      summary: 'Search passages and the graph',
      section: 'docs/contract.md 5.1',
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
      section: 'docs/contract.md 5.2',
      description:
        'With `rag_generation_config.stream` the answer comes as events. `generated_answer`, `search_results` and ' +
        '`citations` are also at the top level.',
      body: json(ragRequest),
      examples: {
        whole: { query: 'What is the notice period?' },
        streamed: { query: 'What is the notice period?', rag_generation_config: { stream: true } },
      },
      answer: jsonOrEvents(ragAnswer, ragEvent),
      answerHeaders: runHeader,
      failures: [400, 502, 503, 504],
    }),
    operation('POST /v3/retrieval/check', {
      name: 'checkAnswer',
      summary: 'Check an answer against the documents',
      description:
        'Checks for each statement of an answer, whoever wrote it, whether a source supports it, with the exact quote and its ' +
        'location. `sources` maps its markers to sources; without them each statement is searched for in all documents. ' +
        'No language model is involved. At most 40,000 characters, 150 statements and 20 seconds; if a limit is reached, ' +
        '`unchecked_from` is the offset of the first unchecked statement.',
      body: json(answerCheckRequest),
      examples: {
        sources: {
          answer: 'The notice period is three months [1].',
          sources: [{ marker: 1, chunk_id: '5b0f1c1e-7c55-4c53-9d2e-1f4f4f1f0001' }],
        },
        everything: { answer: 'The notice period is three months.' },
      },
      answer: json(results(answerCheckRecord.meta({ id: 'AnswerCheck' }))),
      failures: [400, 404],
    }),
    operation('POST /v3/retrieval/agent', {
      name: 'agent',
      summary: 'Let the agent answer, with tools and in a conversation',
      section: 'docs/contract.md 5.3',
      description: 'Give exactly one of `message`, `query` and `messages`.',
      body: json(agentRequest),
      examples: {
        whole: { message: { role: 'user', content: 'Compare both contracts.' } },
        streamed: { query: 'Compare both contracts.', rag_generation_config: { stream: true } },
        research: { query: 'What would both cost over five years?', mode: 'research' },
      },
      answer: jsonOrEvents(agentAnswer, agentEvent),
      answerHeaders: { 'X-Conversation-Id': 'The conversation, to be sent with the next message.', ...runHeader },
      failures: [400, 404, 502, 503, 504],
    }),
    operation('POST /v3/retrieval/completion', {
      name: 'completion',
      summary: 'Ask a language model, without the documents',
      section: 'docs/contract.md 5.4',
      body: json(completionRequest),
      examples: { plain: { messages: [{ role: 'user', content: 'Say hello.' }] } },
      answer: jsonOrEvents(completion, completionEvent),
      failures: [400, 502, 503, 504],
    }),
    operation('POST /v3/retrieval/embedding', {
      name: 'embedding',
      summary: 'Embed a text',
      section: 'docs/contract.md 5.4b',
      description: 'The body is an object, or the text itself, as a JSON string or raw.',
      body: {
        'application/json': z.union([
          z.object({
            text: z.string().min(1),
            model: z.string().optional().describe('Must be the embedder in use, if given.'),
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
      summary: 'List your runs',
      answer: json(listOf(runRecord)),
    }),
    operation('GET /v3/retrieval/runs/{id}', {
      name: 'getRun',
      summary: 'Get the state of a run',
      parts: run,
      answer: json(results(runRecord)),
    }),
    operation('GET /v3/retrieval/runs/{id}/events', {
      name: 'followRun',
      summary: 'Resume the stream of a run',
      description: 'All events, or those after the last received one.',
      parts: run,
      query: afterQuery,
      headers: { 'Last-Event-ID': 'The id of the last received event.' },
      answer: events(runEvent),
      answerHeaders: runHeader,
      failures: [400],
    }),
    operation('GET /v3/retrieval/runs/{id}/files/{name}', {
      name: 'downloadRunFile',
      summary: 'Download a file that a tool created',
      description:
        'Use the `link` of a `tool_result` event. Slashes in the name are not encoded. Files are kept for at most an hour.',
      parts: { id: z.string().describe('From the link.'), name: z.string() },
      answer: { '*/*': 'The bytes of the file.' },
      failures: [416],
    }),
    operation('POST /v3/retrieval/runs/{id}/cancel', {
      name: 'cancelRun',
      summary: 'Cancel a run',
      parts: run,
      answer: json(results(runRecord)),
    }),
  ],
};
