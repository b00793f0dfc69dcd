import { z } from 'zod';
import { chunkRecord } from '../../wire/chunk-record.ts';
import { collectionRecord } from '../../wire/collection-record.ts';
import { deletionFilter } from '../../wire/deletion-filter.ts';
import { deletionList, listReceipt } from '../../wire/deletion-list.ts';
import { deletionReceipt } from '../../wire/deletion-receipt.ts';
import { documentFacets } from '../../wire/document-facets.ts';
import { documentHit, documentRecord } from '../../wire/document-record.ts';
import { ingestionRecord } from '../../wire/ingestion-record.ts';
import { metadataList } from '../../wire/metadata-list.ts';
import { pageQuery } from '../../wire/page-query.ts';
import {
  afterQuery,
  asOfQuery,
  chunksQuery,
  documentChunksQuery,
  documentsQuery,
  rangeQuery,
  retryQuery,
  textQuery,
} from '../../wire/query.ts';
import { id, listOf, results } from '../../wire/record-parts.ts';
import { searchRequest } from '../../wire/search-request.ts';
import { prefixQuery, sourcePlace, sourceQuery, unchangedContent, unchangedQuery } from '../../wire/source-request.ts';
import { submissionFields } from '../../wire/submission.ts';
import { ingestionEvent } from '../../wire/task-record.ts';
import { textRecord, versionText } from '../../wire/text-record.ts';
import { differenceRecord, versionRecord } from '../../wire/version-record.ts';
import { zipQuery } from '../../wire/zip-query.ts';
import { csvExport, events, json, type Operation, type OperationGroup, operation, operationsOf } from '../operation.ts';

const contractOperation = operationsOf({ section: 'docs/contract.md 6.3' });
const file = z.unknown().optional().meta({ type: 'string', format: 'binary', description: 'The file, with its name.' });
const bytes = { '*/*': 'The original bytes of the file.' };
const label = z.string().describe('The label of a version, such as v0.');

const listOperations: readonly Operation[] = [
  operation('POST /v3/documents', {
    name: 'createDocument',
    summary: 'Ingest a file, a text, chunks or a web page',
    section: 'docs/contract.md 6.2',
    description:
      'Exactly one of `file`, `raw_text`, `chunks` and `url`. In a form, lists and objects are written as JSON.',
    body: {
      'multipart/form-data': submissionFields.extend({ file }),
      'application/json': submissionFields,
    },
    examples: { text: { raw_text: 'Paris is the capital of France.', metadata: { title: 'Capitals' } } },
    status: 202,
    answer: json(results(ingestionRecord)),
    failures: [400, 403, 404, 409, 413, 415, 502, 503, 504],
  }),
  contractOperation('GET /v3/documents', {
    name: 'listDocuments',
    summary: 'List documents, newest first by default',
    query: documentsQuery,
    answer: json(listOf(documentRecord)),
  }),
  contractOperation('POST /v3/documents/search', {
    name: 'searchDocuments',
    summary: 'Search documents by title and summary',
    body: json(searchRequest),
    examples: { plain: { query: 'contracts' } },
    answer: json(listOf(documentHit)),
    failures: [400],
  }),
  contractOperation('DELETE /v3/documents/by-filter', {
    name: 'deleteDocuments',
    summary: 'Delete your documents that match a filter',
    body: json(deletionFilter),
    examples: { documentOperation: { document_id: { $eq: '9fbe403b-c11c-5aae-8ade-ef22980c3ad1' } } },
    answer: json(deletionReceipt),
    failures: [400],
  }),
  contractOperation('GET /v3/documents/download_zip', {
    name: 'downloadDocuments',
    summary: 'Download many files at once',
    query: zipQuery,
    answer: { 'application/zip': 'An archive of the files.' },
    failures: [404],
  }),
  csvExport('POST /v3/documents/export', {
    name: 'exportDocuments',
    summary: 'Export documents as CSV',
    access: 'superuser',
  }),
  operation('POST /v3/documents/delete', {
    name: 'deleteListedDocuments',
    summary: 'Delete listed documents and everything derived from them',
    description: 'Deletes those that the caller may change, faster than one by one, and names the others.',
    body: json(deletionList),
    examples: { one: { document_ids: ['9fbe403b-c11c-5aae-8ade-ef22980c3ad1'] } },
    answer: json(listReceipt),
  }),
  operation('POST /v3/documents/retry-failed', {
    name: 'retryFailedDocuments',
    summary: 'Retry all failed ingestions',
    query: retryQuery,
    status: 202,
    answer: json(results(z.object({ retried: z.int() }))),
  }),
  operation('GET /v3/documents/facets', {
    name: 'countDocumentFacets',
    summary: 'Count types, collections and metadata values of the documents visible to you',
    answer: json(results(documentFacets)),
  }),
  operation('GET /v3/documents/of-source', {
    name: 'documentOfSource',
    summary: 'Get the document of a source, or the id it would have',
    query: sourceQuery,
    answer: json(results(z.object({ document_id: id, document: documentRecord.nullable() }))),
  }),
  operation('GET /v3/documents/by-source', {
    name: 'listDocumentsBySource',
    summary: 'List your documents below a source prefix',
    query: prefixQuery,
    answer: json(listOf(documentRecord)),
  }),
  operation('POST /v3/documents/unchanged', {
    name: 'listUnchangedContents',
    summary: 'Get the contents of sources that need not be sent again',
    description:
      'For each source, in order, the content with which POST /v3/documents with `replace` and these fields would change nothing, or null. The answer is of the time of the request: if a document is deleted while the caller compares its files with the answer, ask again to have them sent.',
    body: json(unchangedQuery),
    examples: { one: { sources: ['file:///reports/2026.pdf'] } },
    answer: json(listOf(unchangedContent.nullable())),
  }),
  operation('PUT /v3/documents/{id}/source', {
    name: 'moveDocument',
    summary: 'Update the source of a document',
    body: json(sourcePlace),
    answer: json(results(documentRecord)),
    failures: [403, 409],
  }),
];

const documentOperation: readonly Operation[] = [
  contractOperation('GET /v3/documents/{id}', {
    name: 'getDocument',
    summary: 'Get a document',
    query: asOfQuery,
    answer: json(results(documentRecord)),
  }),
  contractOperation('DELETE /v3/documents/{id}', {
    name: 'deleteDocument',
    summary: 'Delete a document and everything derived from it',
    answer: json(deletionReceipt),
  }),
  contractOperation('PATCH /v3/documents/{id}/metadata', {
    name: 'appendMetadata',
    summary: 'Merge objects into the metadata, in order',
    body: json(metadataList),
    examples: { list: [{ year: 2026 }] },
    answer: json(results(documentRecord)),
    failures: [403],
  }),
  contractOperation('PUT /v3/documents/{id}/metadata', {
    name: 'replaceMetadata',
    summary: 'Replace the metadata',
    body: json(metadataList),
    examples: { list: [{ year: 2026 }] },
    answer: json(results(documentRecord)),
    failures: [403],
  }),
  contractOperation('GET /v3/documents/{id}/chunks', {
    name: 'listDocumentChunks',
    summary: 'List the chunks of a document, in order',
    query: documentChunksQuery,
    answer: json(listOf(chunkRecord)),
    failures: [403],
  }),
  contractOperation('GET /v3/documents/{id}/download', {
    name: 'downloadDocument',
    summary: 'Download the file',
    query: asOfQuery,
    answer: bytes,
    failures: [416],
  }),
  operation('GET /v3/documents/{id}/text', {
    name: 'getDocumentText',
    summary: 'Get the extracted text, or a range of it',
    query: textQuery,
    answer: json(results(textRecord)),
  }),
  operation('GET /v3/documents/{id}/events', {
    name: 'followIngestion',
    summary: 'Follow the ingestion of a document',
    query: afterQuery,
    headers: { 'Last-Event-ID': 'The id of the last received event.' },
    answer: events(ingestionEvent),
  }),
  contractOperation('GET /v3/documents/{id}/collections', {
    name: 'listDocumentCollections',
    summary: 'List the collections a document is in',
    access: 'superuser',
    query: pageQuery,
    answer: json(listOf(collectionRecord)),
  }),
];

const version = { version: label };

const versions: readonly Operation[] = [
  operation('GET /v3/documents/{id}/versions', {
    name: 'listVersions',
    summary: 'List the versions of a document, newest first',
    query: pageQuery,
    answer: json(listOf(versionRecord)),
    failures: [403],
  }),
  operation('GET /v3/documents/{id}/versions/{version}', {
    name: 'getVersion',
    summary: 'Get a document as it was in a version',
    parts: version,
    answer: json(results(documentRecord)),
    failures: [403],
  }),
  operation('GET /v3/documents/{id}/versions/{version}/text', {
    name: 'getVersionText',
    summary: 'Get the text of a version',
    parts: version,
    query: rangeQuery,
    answer: json(results(versionText)),
    failures: [403],
  }),
  operation('GET /v3/documents/{id}/versions/{version}/chunks', {
    name: 'listVersionChunks',
    summary: 'List the chunks of a version',
    parts: version,
    query: chunksQuery,
    answer: json(listOf(chunkRecord)),
    failures: [403],
  }),
  operation('GET /v3/documents/{id}/versions/{version}/download', {
    name: 'downloadVersion',
    summary: 'Download the file of a version',
    parts: version,
    answer: bytes,
    failures: [403, 416],
  }),
  operation('POST /v3/documents/{id}/versions/{version}/restore', {
    name: 'restoreVersion',
    summary: 'Restore a version of a document',
    parts: version,
    answer: json(results(documentRecord)),
    failures: [403, 409],
  }),
  operation('GET /v3/documents/{id}/versions/{version}/diff/{other}', {
    name: 'compareVersions',
    summary: 'Compare two versions by chunks',
    parts: { version: label, other: label },
    answer: json(results(differenceRecord)),
    failures: [403],
  }),
];

export const documentOperations: OperationGroup = {
  tag: 'Documents',
  description: 'Files and texts: ingesting, reading, changing and deleting them, and their versions.',
  operations: [...listOperations, ...documentOperation, ...versions],
};
