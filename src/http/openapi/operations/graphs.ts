import { z } from 'zod';
import { extractionRecord } from '../../wire/extraction-record.ts';
import { pullEvent, pullRecord, resetEvent } from '../../wire/graph-events.ts';
import { communityRecord, entityRecord, graphRecord, graphView, relationshipRecord } from '../../wire/graph-record.ts';
import {
  communityChange,
  entityChange,
  graphChange,
  graphWork,
  newCommunity,
  newEntity,
  newRelationship,
  pullRequest,
  relationshipChange,
  resetRequest,
} from '../../wire/graph-request.ts';
import { graphRowsQuery, graphsQuery, pullQuery, relationshipsQuery, viewQuery } from '../../wire/query.ts';
import { listOf, results, success } from '../../wire/record-parts.ts';
import {
  csvExport,
  json,
  jsonOrEvents,
  type Operation,
  type OperationGroup,
  operation,
  operationsOf,
} from '../operation.ts';

const contractOperation = operationsOf({ section: 'docs/contract.md 11' });
const work = { body: json(graphWork), isBodyOptional: true } as const;

const ofDocument: readonly Operation[] = [
  operation('POST /v3/documents/{id}/extract', {
    name: 'extractDocument',
    summary: 'Extract entities and relationships of a document',
    section: 'docs/contract.md 6.3',
    description: 'With `run_type: "estimate"`, only the cost is estimated.',
    ...work,
    answer: json(results(extractionRecord)),
    failures: [400, 403, 502, 503],
  }),
  operation('POST /v3/documents/{id}/deduplicate', {
    name: 'deduplicateDocument',
    summary: 'Merge duplicate entities',
    section: 'docs/contract.md 6.3',
    answer: json(results(z.object({ message: z.string(), task_id: z.null() }))),
    failures: [403],
  }),
  operation('GET /v3/documents/{id}/entities', {
    name: 'listDocumentEntities',
    summary: 'List the entities of a document',
    section: 'docs/contract.md 6.3',
    query: graphRowsQuery,
    answer: json(listOf(entityRecord)),
  }),
  operation('GET /v3/documents/{id}/relationships', {
    name: 'listDocumentRelationships',
    summary: 'List the relationships of a document',
    section: 'docs/contract.md 6.3',
    query: relationshipsQuery,
    answer: json(listOf(relationshipRecord)),
  }),
  ...(['entities', 'relationships'] as const).map((kind) => exportOf('/v3/documents/{id}', kind, 'Document')),
];

const graphs: readonly Operation[] = [
  contractOperation('GET /v3/graphs', {
    name: 'listGraphs',
    summary: 'List the graphs of your collections',
    query: graphsQuery,
    answer: json(listOf(graphRecord)),
  }),
  contractOperation('GET /v3/graphs/{id}', {
    name: 'getGraph',
    summary: 'Get the graph of a collection',
    answer: json(results(graphRecord)),
  }),
  contractOperation('POST /v3/graphs/{id}', {
    name: 'updateGraph',
    summary: 'Name or describe a graph',
    body: json(graphChange),
    answer: json(results(graphRecord)),
  }),
  operation('GET /v3/graphs/{id}/view', {
    name: 'viewGraph',
    summary: 'Get a graph for drawing',
    query: viewQuery,
    answer: json(results(graphView)),
  }),
  contractOperation('POST /v3/graphs/{id}/pull', {
    name: 'pullGraph',
    summary: 'Copy the entities and relationships of a collection’s documents into its graph',
    query: pullQuery,
    body: json(pullRequest),
    isBodyOptional: true,
    description: 'With `stream` the response is a stream that reports the progress after each document.',
    answer: jsonOrEvents(results(pullRecord), pullEvent),
  }),
  contractOperation('POST /v3/graphs/{id}/reset', {
    name: 'resetGraph',
    summary: 'Empty a graph',
    body: json(resetRequest),
    isBodyOptional: true,
    description:
      'The graph is emptied immediately; its rows are then deleted in steps. With `stream` the response is a stream that ' +
      'reports the progress.',
    answer: jsonOrEvents(success, resetEvent),
  }),
  contractOperation('POST /v3/graphs/{id}/communities/build', {
    name: 'buildCommunities',
    summary: 'Find communities, and summarise them',
    ...work,
    answer: json(results(z.object({ message: z.string(), communities: z.int() }))),
    failures: [400, 409, 502, 503],
  }),
  contractOperation('DELETE /v3/graphs/{id}/documents/{documentId}', {
    name: 'removeDocumentFromGraph',
    summary: 'Remove a document’s contribution from a graph',
    answer: json(success),
  }),
];

interface Rows {
  readonly kind: 'entities' | 'relationships' | 'communities';
  readonly one: 'Entity' | 'Relationship' | 'Community';
  readonly record: z.ZodType;
  readonly create: z.ZodType;
  readonly change: z.ZodType;
}

const rows: readonly Rows[] = [
  { kind: 'entities', one: 'Entity', record: entityRecord, create: newEntity, change: entityChange },
  {
    kind: 'relationships',
    one: 'Relationship',
    record: relationshipRecord,
    create: newRelationship,
    change: relationshipChange,
  },
  { kind: 'communities', one: 'Community', record: communityRecord, create: newCommunity, change: communityChange },
];

const ofGraph: readonly Operation[] = rows.flatMap(({ kind, one, record, create, change }) => {
  const word = one.toLowerCase();
  const path = `/v3/graphs/{id}/${kind}` as const;
  const article = one === 'Entity' ? 'an' : 'a';
  return [
    contractOperation(`GET ${path}`, {
      name: `list${capitalised(kind)}`,
      summary: `List the ${kind} of a graph`,
      query: graphRowsQuery,
      answer: json(listOf(record)),
    }),
    contractOperation(`POST ${path}`, {
      name: `create${one}`,
      summary: `Create ${article} ${word} manually`,
      body: json(create),
      answer: json(results(record)),
    }),
    exportOf('/v3/graphs/{id}', kind, 'Graph'),
    contractOperation(`GET ${path}/{rowId}`, {
      name: `get${one}`,
      summary: `Get ${article} ${word}`,
      answer: json(results(record)),
    }),
    contractOperation(`POST ${path}/{rowId}`, {
      name: `update${one}`,
      summary: `Change ${article} ${word}`,
      body: json(change),
      answer: json(results(record)),
    }),
    contractOperation(`DELETE ${path}/{rowId}`, {
      name: `delete${one}`,
      summary: `Delete ${article} ${word}`,
      answer: json(success),
    }),
  ];
});

export const graphOperations: OperationGroup = {
  tag: 'Graphs',
  description: 'Entities and relationships extracted from documents, and their communities.',
  operations: [...ofDocument, ...graphs, ...ofGraph],
};

function exportOf(path: '/v3/documents/{id}' | '/v3/graphs/{id}', kind: string, of: string): Operation {
  return csvExport(`POST ${path}/${kind}/export`, {
    name: `export${of}${capitalised(kind)}`,
    summary: `Export ${kind} as CSV`,
    access: 'superuser',
  });
}

function capitalised(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}
