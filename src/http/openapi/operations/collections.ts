import { z } from 'zod';
import { collectionChange, collectionRecord, newCollection, ownerQuery } from '../../wire/collection-record.ts';
import { documentRecord } from '../../wire/document-record.ts';
import { extractionResult } from '../../wire/estimate-record.ts';
import { exportRequest } from '../../wire/export-request.ts';
import { graphWork } from '../../wire/graph-request.ts';
import { ownedQuery, pageQuery } from '../../wire/query.ts';
import { listOf, message, results, success } from '../../wire/record-parts.ts';
import { userRecord } from '../../wire/user-record.ts';
import { csv, json, type OperationGroup, operation } from '../operation.ts';

const section = 'docs/contract.md 9';

export const collectionOperations: OperationGroup = {
  tag: 'Collections',
  description: 'Groups of documents, and their members.',
  operations: [
    operation('POST /v3/collections', {
      name: 'createCollection',
      summary: 'Create a collection',
      section,
      body: json(newCollection),
      examples: { plain: { name: 'Contracts', description: 'Signed ones.' } },
      answer: json(results(collectionRecord)),
      failures: [403, 409],
    }),
    operation('GET /v3/collections', {
      name: 'listCollections',
      summary: 'List one’s collections; all for superusers',
      section,
      query: ownedQuery,
      answer: json(listOf(collectionRecord)),
    }),
    operation('POST /v3/collections/export', {
      name: 'exportCollections',
      summary: 'Export collections as CSV',
      section: 'docs/contract.md 6.3',
      body: json(exportRequest),
      isBodyOptional: true,
      answer: csv,
      failures: [400],
    }),
    operation('GET /v3/collections/name/{name}', {
      name: 'getCollectionByName',
      summary: 'Get a collection by its name',
      section,
      parts: { name: z.string() },
      query: ownerQuery,
      answer: json(results(collectionRecord)),
    }),
    operation('GET /v3/collections/{id}', {
      name: 'getCollection',
      summary: 'Get a collection',
      section,
      answer: json(results(collectionRecord)),
    }),
    operation('POST /v3/collections/{id}', {
      name: 'updateCollection',
      summary: 'Rename or describe a collection',
      section,
      body: json(collectionChange),
      answer: json(results(collectionRecord)),
      failures: [400, 403, 502],
    }),
    operation('DELETE /v3/collections/{id}', {
      name: 'deleteCollection',
      summary: 'Delete a collection; its documents stay',
      section,
      answer: json(results(z.object({ success: z.boolean(), documents_kept: z.int(), members: z.int() }))),
      failures: [400, 403],
    }),
    operation('POST /v3/collections/{id}/extract', {
      name: 'extractCollection',
      summary: 'Extract the graph of all documents of a collection',
      section,
      body: json(graphWork),
      isBodyOptional: true,
      answer: json(results(extractionResult)),
      failures: [400, 403, 503],
    }),
    operation('GET /v3/collections/{id}/documents', {
      name: 'listCollectionDocuments',
      summary: 'List the documents of a collection',
      section,
      query: pageQuery,
      answer: json(listOf(documentRecord)),
    }),
    operation('POST /v3/collections/{id}/documents/{documentId}', {
      name: 'addDocumentToCollection',
      summary: 'Add a document to a collection',
      section,
      answer: json(message),
      failures: [403, 409],
    }),
    operation('DELETE /v3/collections/{id}/documents/{documentId}', {
      name: 'removeDocumentFromCollection',
      summary: 'Remove a document from a collection',
      section,
      answer: json(success),
      failures: [403],
    }),
    operation('GET /v3/collections/{id}/users', {
      name: 'listCollectionUsers',
      summary: 'List the members of a collection',
      section,
      query: pageQuery,
      answer: json(listOf(userRecord)),
    }),
    operation('POST /v3/collections/{id}/users/{userId}', {
      name: 'addUserToCollection',
      summary: 'Add a member',
      section,
      answer: json(success),
      failures: [400, 403],
    }),
    operation('DELETE /v3/collections/{id}/users/{userId}', {
      name: 'removeUserFromCollection',
      summary: 'End a membership',
      section,
      answer: json(success),
      failures: [400, 403],
    }),
  ],
};
