import { z } from 'zod';
import { evaluationRecord, evaluationSummary } from '../../wire/evaluation-record.ts';
import { followedSource, newSource, sourceKindRecord } from '../../wire/followed-source.ts';
import { healthRecord } from '../../wire/health-record.ts';
import { indexRecord, newIndex } from '../../wire/index-record.ts';
import { modelChoicesRecord } from '../../wire/model-choices.ts';
import { pageQuery } from '../../wire/page-query.ts';
import { filledPrompt, newPrompt, promptChange, promptRecord, promptUse } from '../../wire/prompt-record.ts';
import { tasksQuery } from '../../wire/query.ts';
import { listOf, message, results, success } from '../../wire/record-parts.ts';
import { reindexEvent, reindexRequest } from '../../wire/reindex.ts';
import { sourceChange } from '../../wire/source-change.ts';
import { backupProgress, systemSettings, systemStatus, welcomeRecord } from '../../wire/system-record.ts';
import { taskRecord } from '../../wire/task-record.ts';
import { events, json, type OperationGroup, operation, operationsOf } from '../operation.ts';

export const evaluationOperations: OperationGroup = {
  tag: 'Evaluations',
  description: 'Results of `citewell eval`, stored in the data folder.',
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
      summary: 'Get an evaluation with its questions, and the difference from the previous one',
      access: 'superuser',
      parts: { evaluation: z.string().describe('The start time of the evaluation.') },
      answer: json(results(evaluationRecord)),
    }),
  ],
};

export const taskOperations: OperationGroup = {
  tag: 'Tasks',
  description: 'Ingestion tasks.',
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
      summary: 'Retry a task',
      answer: json(results(taskRecord)),
      failures: [403, 409],
    }),
  ],
};

const sourceOperation = operationsOf({ section: 'docs/contract.md 6.4' });

export const sourceOperations: OperationGroup = {
  tag: 'Sources',
  description: 'Folders, sites and other sources that documents are synchronised with.',
  operations: [
    sourceOperation('GET /v3/sources', {
      name: 'listSources',
      summary: 'List your followed sources; superusers see all',
      query: pageQuery,
      answer: json(listOf(followedSource)),
    }),
    sourceOperation('POST /v3/sources', {
      name: 'addSource',
      summary: 'Follow a folder of the server (superusers), a site, or a source of another kind',
      body: json(newSource),
      examples: { site: { kind: 'site', url: 'https://example.org/docs/', crawl_depth: 1 } },
      answer: json(results(followedSource)),
      failures: [400, 403, 409, 502],
    }),
    sourceOperation('GET /v3/sources/kinds', {
      name: 'listSourceKinds',
      summary: 'List the kinds of sources besides folders and sites, with their settings and credentials',
      answer: json(listOf(sourceKindRecord)),
    }),
    sourceOperation('GET /v3/sources/{id}', {
      name: 'getSource',
      summary: 'Get a followed source, with the result of its last synchronisation',
      answer: json(results(followedSource)),
    }),
    sourceOperation('PATCH /v3/sources/{id}', {
      name: 'changeSource',
      summary: 'Change the credentials, schedule and other settings of a followed source, but not what is followed',
      body: json(sourceChange),
      examples: { schedule: { every_minutes: 15, keep_deleted: true } },
      answer: json(results(followedSource)),
      failures: [400, 403, 429, 502, 504],
    }),
    sourceOperation('DELETE /v3/sources/{id}', {
      name: 'removeSource',
      summary: 'Stop following a source; its documents are kept',
      answer: json(success),
    }),
    sourceOperation('POST /v3/sources/{id}/sync', {
      name: 'syncSource',
      summary: 'Start a full synchronisation; one in progress continues',
      status: 202,
      answer: json(results(followedSource)),
    }),
  ],
};

const promptOperation = operationsOf({ section: 'docs/contract.md 13', access: 'superuser' });
const name = { name: z.string() };

export const promptOperations: OperationGroup = {
  tag: 'Prompts',
  description: 'Prompt templates.',
  operations: [
    promptOperation('POST /v3/prompts', {
      name: 'createPrompt',
      summary: 'Add a prompt',
      body: json(newPrompt),
      answer: json(message),
      failures: [400, 409],
    }),
    promptOperation('GET /v3/prompts', {
      name: 'listPrompts',
      summary: 'List prompts',
      answer: json(listOf(promptRecord)),
    }),
    promptOperation('POST /v3/prompts/{name}', {
      name: 'getPrompt',
      summary: 'Get a prompt, filled in',
      parts: name,
      query: promptUse,
      body: json(promptUse),
      isBodyOptional: true,
      answer: json(results(filledPrompt)),
      failures: [400],
    }),
    promptOperation('PUT /v3/prompts/{name}', {
      name: 'updatePrompt',
      summary: 'Change a prompt',
      parts: name,
      body: json(promptChange),
      answer: json(message),
      failures: [400],
    }),
    promptOperation('DELETE /v3/prompts/{name}', {
      name: 'deletePrompt',
      summary: 'Delete a prompt; a built-in prompt returns to its original text',
      parts: name,
      answer: json(success),
      failures: [400],
    }),
  ],
};

const indexOperation = operationsOf({ section: 'docs/contract.md 14', access: 'superuser' });
const names = {
  one: z.string().describe('Name of the index or its table.'),
  other: z.string().describe('The other name.'),
};

export const indexOperations: OperationGroup = {
  tag: 'Indices',
  description: 'The vector indexes, which the service manages.',
  operations: [
    indexOperation('GET /v3/indices', {
      name: 'listIndices',
      summary: 'List vector indexes',
      query: pageQuery,
      answer: json(z.object({ results: z.object({ indices: z.array(indexRecord) }), total_entries: z.int() })),
    }),
    indexOperation('POST /v3/indices', {
      name: 'createIndex',
      summary: 'Compare the index with the records, and repair it',
      body: json(newIndex),
      answer: json(message),
      failures: [400, 503],
    }),
    indexOperation('GET /v3/indices/{one}/{other}', {
      name: 'getIndex',
      summary: 'Get a vector index by its name and the name of its table, in either order',
      parts: names,
      answer: json(results(indexRecord)),
    }),
    indexOperation('DELETE /v3/indices/{one}/{other}', {
      name: 'deleteIndex',
      summary: 'Always refused: each index is in use, or kept for a return to it',
      parts: names,
      answer: json(success),
      failures: [409],
    }),
  ],
};

const anything = json(z.looseObject({ openapi: z.string() }));

export const systemOperations: OperationGroup = {
  tag: 'System',
  description: 'State of the service.',
  operations: [
    operation('GET /', { name: 'welcome', summary: 'Name and links', answer: json(welcomeRecord) }),
    operation('GET /v3/health', {
      name: 'health',
      summary: 'Health and configuration',
      section: 'docs/contract.md 12',
      access: 'public',
      answer: json(results(healthRecord)),
    }),
    operation('GET /health', {
      name: 'rootHealth',
      summary: 'The same as GET /v3/health',
      access: 'public',
      answer: json(results(healthRecord)),
    }),
    operation('GET /v3/system/status', {
      name: 'systemStatus',
      summary: 'State of the service',
      section: 'docs/contract.md 12',
      access: 'superuser',
      answer: json(results(systemStatus)),
    }),
    operation('GET /v3/system/settings', {
      name: 'systemSettings',
      summary: 'Settings in effect, without secrets',
      section: 'docs/contract.md 12',
      access: 'superuser',
      answer: json(results(systemSettings)),
    }),
    operation('GET /v3/system/models', {
      name: 'listModelChoices',
      summary: 'List the configured providers, and the models of model servers found on this machine',
      access: 'superuser',
      answer: json(results(modelChoicesRecord)),
    }),
    operation('GET /v3/system/backup', {
      name: 'backUp',
      summary: 'Download a backup of everything stored',
      description:
        'Everything that is stored, with the original files; the vector index is rebuilt after `citewell restore`, which ' +
        'reads this archive. `citewell backup` compresses and encrypts it. One backup at a time.',
      access: 'superuser',
      answer: { 'application/x-tar': 'Begins with `manifest.json` and ends with `checksums.json` (SHA-256).' },
      answerHeaders: { 'X-Backup-Bytes': 'Total bytes of its files.' },
      failures: [409, 503],
    }),
    operation('GET /v3/system/backup/progress', {
      name: 'backupProgress',
      summary: 'Get the progress of the copy that a backup begins with',
      access: 'superuser',
      answer: json(results(backupProgress)),
    }),
    operation('POST /v3/system/reindex', {
      name: 'reindex',
      summary: 'Embed all chunks again, or return to the previous embedder',
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
      summary: 'The same description at the path of R2R',
      section: 'docs/contract.md 12',
      access: 'public',
      answer: anything,
    }),
    operation('GET /docs', {
      name: 'docs',
      summary: 'This document as a page',
      access: 'public',
      answer: { 'text/html': 'A page for reading this document and trying requests.' },
    }),
  ],
};
