import { z } from 'zod';
import { evaluationRecord, evaluationSummary } from '../../wire/evaluation-record.ts';
import { indexRecord, newIndex } from '../../wire/index-record.ts';
import { filledPrompt, newPrompt, promptChange, promptRecord, promptUse } from '../../wire/prompt-record.ts';
import { pageQuery, tasksQuery } from '../../wire/query.ts';
import { listOf, message, results, success } from '../../wire/record-parts.ts';
import { reindexEvent, reindexRequest } from '../../wire/reindex.ts';
import { healthRecord, systemSettings, systemStatus, welcomeRecord } from '../../wire/system-record.ts';
import { taskRecord } from '../../wire/task-record.ts';
import { events, json, type OperationGroup, operation } from '../operation.ts';

export const evaluationOperations: OperationGroup = {
  tag: 'Evaluations',
  description: 'What `citewell eval` keeps in the data folder: how well one’s own questions are answered.',
  operations: [
    operation('GET /v3/evaluations', {
      name: 'listEvaluations',
      summary: 'List evaluations, newest first, without their questions',
      access: 'superuser',
      query: pageQuery,
      answer: json(listOf(evaluationSummary)),
    }),
    operation('GET /v3/evaluations/{evaluation}', {
      name: 'getEvaluation',
      summary: 'Get an evaluation with its questions, and how it differs from the one before',
      access: 'superuser',
      parts: { evaluation: z.string().describe('Of the evaluation: when it began.') },
      answer: json(results(evaluationRecord)),
    }),
  ],
};

export const taskOperations: OperationGroup = {
  tag: 'Tasks',
  description: 'The work on documents that were taken on.',
  operations: [
    operation('GET /v3/tasks', {
      name: 'listTasks',
      summary: 'List tasks, newest first',
      query: tasksQuery,
      answer: json(listOf(taskRecord)),
    }),
    operation('GET /v3/tasks/{id}', { name: 'getTask', summary: 'Get a task', answer: json(results(taskRecord)) }),
    operation('POST /v3/tasks/{id}/cancel', {
      name: 'cancelTask',
      summary: 'Cancel a task',
      answer: json(results(taskRecord)),
      failures: [403, 409],
    }),
    operation('POST /v3/tasks/{id}/retry', {
      name: 'retryTask',
      summary: 'Try a task once more',
      answer: json(results(taskRecord)),
      failures: [403, 409],
    }),
  ],
};

const name = { name: z.string() };

export const promptOperations: OperationGroup = {
  tag: 'Prompts',
  description: 'The words that models are given.',
  operations: [
    operation('POST /v3/prompts', {
      name: 'createPrompt',
      summary: 'Add a prompt',
      section: 'docs/contract.md 13',
      access: 'superuser',
      body: json(newPrompt),
      answer: json(message),
      failures: [400, 409],
    }),
    operation('GET /v3/prompts', {
      name: 'listPrompts',
      summary: 'List prompts',
      section: 'docs/contract.md 13',
      access: 'superuser',
      answer: json(listOf(promptRecord)),
    }),
    operation('POST /v3/prompts/{name}', {
      name: 'getPrompt',
      summary: 'Get a prompt, filled in',
      section: 'docs/contract.md 13',
      access: 'superuser',
      parts: name,
      query: promptUse,
      body: json(promptUse),
      isBodyOptional: true,
      answer: json(results(filledPrompt)),
      failures: [400],
    }),
    operation('PUT /v3/prompts/{name}', {
      name: 'updatePrompt',
      summary: 'Change a prompt',
      section: 'docs/contract.md 13',
      access: 'superuser',
      parts: name,
      body: json(promptChange),
      answer: json(message),
      failures: [400],
    }),
    operation('DELETE /v3/prompts/{name}', {
      name: 'deletePrompt',
      summary: 'Delete a prompt; one that comes with the service returns to its own words',
      section: 'docs/contract.md 13',
      access: 'superuser',
      parts: name,
      answer: json(success),
      failures: [400],
    }),
  ],
};

const names = { one: z.string().describe('Of the index, or its table.'), other: z.string().describe('The other.') };

export const indexOperations: OperationGroup = {
  tag: 'Indices',
  description: 'The vector indexes, which the service makes by itself.',
  operations: [
    operation('GET /v3/indices', {
      name: 'listIndices',
      summary: 'List vector indexes',
      section: 'docs/contract.md 14',
      access: 'superuser',
      query: pageQuery,
      answer: json(z.object({ results: z.object({ indices: z.array(indexRecord) }), total_entries: z.int() })),
    }),
    operation('POST /v3/indices', {
      name: 'createIndex',
      summary: 'Compare the index with the records, and mend it',
      section: 'docs/contract.md 14',
      access: 'superuser',
      body: json(newIndex),
      answer: json(message),
      failures: [400, 503],
    }),
    operation('GET /v3/indices/{one}/{other}', {
      name: 'getIndex',
      summary: 'Get a vector index by the names of its table and its own, in either order',
      section: 'docs/contract.md 14',
      access: 'superuser',
      parts: names,
      answer: json(results(indexRecord)),
    }),
    operation('DELETE /v3/indices/{one}/{other}', {
      name: 'deleteIndex',
      summary: 'Refused: an index is in use, or kept to go back to',
      section: 'docs/contract.md 14',
      access: 'superuser',
      parts: names,
      answer: json(success),
      failures: [409],
    }),
  ],
};

const anything = json(z.looseObject({ openapi: z.string() }));

export const systemOperations: OperationGroup = {
  tag: 'System',
  description: 'How the service stands.',
  operations: [
    operation('GET /', { name: 'welcome', summary: 'What this is, and where to go on', answer: json(welcomeRecord) }),
    operation('GET /v3/health', {
      name: 'health',
      summary: 'Whether the service answers, and with what',
      section: 'docs/contract.md 12',
      access: 'public',
      answer: json(results(healthRecord)),
    }),
    operation('GET /v3/system/status', {
      name: 'systemStatus',
      summary: 'How the service stands',
      section: 'docs/contract.md 12',
      access: 'superuser',
      answer: json(results(systemStatus)),
    }),
    operation('GET /v3/system/settings', {
      name: 'systemSettings',
      summary: 'What the service was told and what it chose; no secrets',
      section: 'docs/contract.md 12',
      access: 'superuser',
      answer: json(results(systemSettings)),
    }),
    operation('POST /v3/system/reindex', {
      name: 'reindex',
      summary: 'Embed all passages anew, or go back',
      access: 'superuser',
      body: json(reindexRequest),
      isBodyOptional: true,
      answer: events(reindexEvent),
      failures: [400, 409, 502, 503],
    }),
    operation('GET /v3/openapi.json', {
      name: 'openapi',
      summary: 'This description',
      access: 'public',
      answer: anything,
    }),
    operation('GET /openapi_spec', {
      name: 'openapiSpec',
      summary: 'The same where R2R has it',
      section: 'docs/contract.md 12',
      access: 'public',
      answer: anything,
    }),
    operation('GET /docs', {
      name: 'docs',
      summary: 'This description as a page',
      access: 'public',
      answer: { 'text/html': 'A page that shows the description and lets one try it.' },
    }),
  ],
};
