import { z } from 'zod';
import { chunkHit, chunkRecord } from '../../wire/chunk-record.ts';
import { chunkEdit, newChunks } from '../../wire/chunk-request.ts';
import { deletionReceipt } from '../../wire/deletion-receipt.ts';
import { allChunksQuery, vectorsQuery } from '../../wire/query.ts';
import { id, listOf, results } from '../../wire/record-parts.ts';
import { searchRequest } from '../../wire/search-request.ts';
import { json, type OperationGroup, operation, operationsOf } from '../operation.ts';

const contractOperation = operationsOf({ section: 'docs/contract.md 7' });

export const chunkOperations: OperationGroup = {
  tag: 'Chunks',
  description: 'The chunks of documents.',
  operations: [
    contractOperation('GET /v3/chunks', {
      name: 'listChunks',
      summary: 'List your chunks',
      query: allChunksQuery,
      answer: json(listOf(chunkRecord)),
      failures: [400],
    }),
    operation('POST /v3/chunks', {
      name: 'createChunks',
      summary: 'Ingest prepared passages',
      section: 'docs/contract.md 1.1',
      body: json(newChunks),
      examples: { one: { raw_chunks: [{ text: 'Paris is the capital of France.' }] } },
      answer: json(results(z.array(z.object({ message: z.string(), task_id: z.null(), document_id: id })))),
      failures: [400, 403, 404, 409, 413, 502],
    }),
    contractOperation('POST /v3/chunks/search', {
      name: 'searchChunks',
      summary: 'Search passages only',
      body: json(searchRequest),
      examples: { plain: { query: 'notice period' } },
      answer: json(listOf(chunkHit)),
      failures: [400, 502, 503],
    }),
    contractOperation('GET /v3/chunks/{id}', {
      name: 'getChunk',
      summary: 'Get a passage',
      query: vectorsQuery,
      answer: json(results(chunkRecord)),
      failures: [403],
    }),
    contractOperation('POST /v3/chunks/{id}', {
      name: 'updateChunk',
      summary: 'Change a chunk; it is embedded again',
      body: json(chunkEdit),
      answer: json(results(chunkRecord)),
      failures: [403, 409, 502],
    }),
    contractOperation('DELETE /v3/chunks/{id}', {
      name: 'deleteChunk',
      summary: 'Delete a passage; deleting the last one deletes the document',
      answer: json(deletionReceipt),
      failures: [403, 409],
    }),
  ],
};
