import { z } from 'zod';
import {
  changedDocuments,
  collectionChange,
  collectionRecord,
  documentChanges,
  newCollection,
  ownerQuery,
} from '../../wire/collection-record.ts';
import { documentRecord } from '../../wire/document-record.ts';
import { extractionRecord } from '../../wire/extraction-record.ts';
import { graphWork } from '../../wire/graph-request.ts';
import { pageQuery } from '../../wire/page-query.ts';
import { documentPageQuery, ownedQuery } from '../../wire/query.ts';
import { listOf, message, results, success } from '../../wire/record-parts.ts';
import { userRecord } from '../../wire/user-record.ts';
import { csvExport, json, type OperationGroup, operationsOf } from '../operation.ts';

const contractOperation = operationsOf({ section: 'docs/contract.md 9' });

export const collectionOperations: OperationGroup = {
  tag: 'Collections',
  description: 'Groups of documents, and their members.',
  operations: [
    contractOperation('POST /v3/collections', {
      name: 'createCollection',
      summary: 'Create a collection',
      body: json(newCollection),
      examples: { plain: { name: 'Contracts', description: 'Signed ones.' } },
      answer: json(results(collectionRecord)),
      failures: [403, 409],
    }),
    contractOperation('GET /v3/collections', {
      name: 'listCollections',
      summary: 'List your collections; superusers see all',
      query: ownedQuery,
      answer: json(listOf(collectionRecord)),
    }),
    csvExport('POST /v3/collections/export', {
      name: 'exportCollections',
      summary: 'Export collections as CSV',
    }),
    contractOperation('GET /v3/collections/name/{name}', {
      name: 'getCollectionByName',
      summary: 'Get a collection by its name',
      parts: { name: z.string() },
      query: ownerQuery,
      answer: json(results(collectionRecord)),
    }),
    contractOperation('GET /v3/collections/{id}', {
      name: 'getCollection',
      summary: 'Get a collection',
      answer: json(results(collectionRecord)),
    }),
    contractOperation('POST /v3/collections/{id}', {
      name: 'updateCollection',
      summary: 'Rename or describe a collection',
      body: json(collectionChange),
      answer: json(results(collectionRecord)),
      failures: [400, 403, 502],
    }),
    contractOperation('DELETE /v3/collections/{id}', {
      name: 'deleteCollection',
      summary: 'Delete a collection; its documents are kept',
      answer: json(results(z.object({ success: z.boolean(), documents_kept: z.int(), members: z.int() }))),
      failures: [400, 403],
    }),
    contractOperation('POST /v3/collections/{id}/extract', {
      name: 'extractCollection',
      summary: 'Extract the graph of all documents of a collection',
      body: json(graphWork),
      isBodyOptional: true,
      answer: json(results(extractionRecord)),
      failures: [400, 403, 503],
    }),
    contractOperation('GET /v3/collections/{id}/documents', {
      name: 'listCollectionDocuments',
      summary: 'List the documents of a collection',
      query: documentPageQuery,
      answer: json(listOf(documentRecord)),
    }),
    contractOperation('POST /v3/collections/{id}/documents', {
      name: 'changeCollectionDocuments',
      summary: 'Add many documents to a collection, and remove others',
      body: json(documentChanges),
      answer: json(results(changedDocuments)),
      failures: [403],
    }),
    contractOperation('POST /v3/collections/{id}/documents/{documentId}', {
      name: 'addDocumentToCollection',
      summary: 'Add a document to a collection',
      answer: json(message),
      failures: [403, 409],
    }),
    contractOperation('DELETE /v3/collections/{id}/documents/{documentId}', {
      name: 'removeDocumentFromCollection',
      summary: 'Remove a document from a collection',
      answer: json(success),
      failures: [403],
    }),
    contractOperation('GET /v3/collections/{id}/users', {
      name: 'listCollectionUsers',
      summary: 'List the members of a collection',
      query: pageQuery,
      answer: json(listOf(userRecord)),
    }),
    contractOperation('POST /v3/collections/{id}/users/{userId}', {
      name: 'addUserToCollection',
      summary: 'Add a member',
      answer: json(success),
      failures: [400, 403],
    }),
    contractOperation('DELETE /v3/collections/{id}/users/{userId}', {
      name: 'removeUserFromCollection',
      summary: 'Remove a member',
      answer: json(success),
      failures: [400, 403],
    }),
  ],
};
