import { isUtf8 } from 'node:buffer';
import {
  type McpServer,
  ResourceNotFoundError,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Principal } from '../access/principal.ts';
import type { Document } from '../documents/document.ts';
import { ServiceError } from '../errors.ts';
import { shortLine, wholeCharacterEnd } from '../shared/text.ts';
import { isTextual } from '../toolbox/media-type-of.ts';
import type { Backend } from './backend.ts';
import { completeTitles } from './complete.ts';
import { CHUNK_TEMPLATE, DOCUMENT_TEMPLATE, documentUri, FILE_TEMPLATE, INDEX_URI } from './document-uri.ts';

/** Maximum number of documents in the resource list; others are found by search. */
const MAX_LISTED = 100;
const INDEX_LENGTH = 20;
/** Maximum characters of a document that can be read as a whole. */
const MAX_TEXT_LENGTH = 400_000;
const CACHE = { ttlMs: 5_000, cacheScope: 'private' } as const;

/**
 * MCP resources: the index, documents, chunks and files made by tools. Created once and registered on each server.
 * `words` applies the prefix of tool names.
 */
export function createResources(
  backend: Backend,
  words: (text: string) => string,
): (server: McpServer, principal: Principal) => void {
  return (server, principal) => {
    server.registerResource(
      'index',
      INDEX_URI,
      {
        title: 'Corpus overview',
        description: 'Number of documents and chunks, and the newest documents with their URIs.',
        mimeType: 'text/plain',
        cacheHint: CACHE,
      },
      async (_uri, context) => ({
        contents: [{ uri: INDEX_URI, mimeType: 'text/plain', text: await indexText(backend, principal, context) }],
      }),
    );

    server.registerResource(
      'document',
      new ResourceTemplate(DOCUMENT_TEMPLATE, {
        list: async (context) => {
          const { items } = await backend.documents({ principal, limit: MAX_LISTED }, optionsOf(context));
          return { resources: items.filter(({ chunkCount }) => chunkCount > 0).map(toResource) };
        },
        complete: { document_id: (value) => completeTitles(backend, principal, value) },
      }),
      {
        title: 'A document',
        description: 'The extracted text of a document.',
        mimeType: 'text/plain',
        cacheHint: CACHE,
      },
      async (uri, { document_id: id }, context) => {
        const { document, text } = await orNotFound(
          uri,
          backend.document({ principal, id: decoded(id) }, optionsOf(context)),
        );
        return { contents: [{ uri: uri.href, mimeType: 'text/plain', text: bounded(text, document.id, words) }] };
      },
    );

    server.registerResource(
      'chunk',
      new ResourceTemplate(CHUNK_TEMPLATE, {
        list: undefined,
        complete: { document_id: (value) => completeTitles(backend, principal, value) },
      }),
      {
        title: 'A passage of a document',
        description: 'One chunk, by its identifier in search results.',
        mimeType: 'text/plain',
        cacheHint: CACHE,
      },
      async (uri, { document_id: documentId, chunk_id: id }, context) => {
        const request = { principal, documentId: decoded(documentId), id: decoded(id) };
        const { chunk } = await orNotFound(uri, backend.chunk(request, optionsOf(context)));
        const { order, page, headingPath, start, end } = chunk;
        const place = { order, ...(page === null ? {} : { page }), heading_path: [...headingPath], start, end };
        return {
          contents: [{ uri: uri.href, mimeType: 'text/plain', text: chunk.text, _meta: { 'citewell/place': place } }],
        };
      },
    );

    server.registerResource(
      'file',
      new ResourceTemplate(FILE_TEMPLATE, { list: undefined }),
      {
        title: 'A file created by a tool',
        description: 'Linked in the result of the call; kept for at most an hour.',
      },
      async (uri, { run_id: runId, name }, context) => {
        const request = { principal, runId: decoded(runId), name: decoded(name) };
        const { mediaType, base64 } = await orNotFound(uri, backend.file(request, optionsOf(context)));
        const bytes = Buffer.from(base64, 'base64');
        const content = isTextual(mediaType) && isUtf8(bytes) ? { text: bytes.toString() } : { blob: base64 };
        return { contents: [{ uri: uri.href, mimeType: mediaType, ...content }] };
      },
    );
  };
}

/** Decodes a variable of a URI template: an id, or a title as offered by completion. */
function decoded(variable: string | string[] | undefined): string {
  const text = String(variable);
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const optionsOf = ({ mcpReq }: ServerContext) => ({ signal: mcpReq.signal });

function toResource(document: Document) {
  return {
    uri: documentUri(document.id),
    name: shortLine(document.title),
    title: shortLine(document.title),
    mimeType: 'text/plain',
    ...(document.summary === null ? {} : { description: shortLine(document.summary, 300) }),
    size: document.textLength,
    annotations: { lastModified: document.updatedAt },
  };
}

async function indexText(backend: Backend, principal: Principal, context: ServerContext): Promise<string> {
  const options = optionsOf(context);
  const [facts, { items, total }] = await Promise.all([
    backend.facts({ principal }, options),
    backend.documents({ principal, limit: INDEX_LENGTH }, options),
  ]);
  return [
    `${total} documents, ${facts.chunks} chunks.`,
    ...items.map(({ id, title, type }) => `${documentUri(id)} ${shortLine(title)} (${type})`),
    ...(total > items.length ? [`and ${total - items.length} older ones.`] : []),
  ].join('\n');
}

function bounded(text: string, id: string, words: (text: string) => string): string {
  if (text.length <= MAX_TEXT_LENGTH) return text;
  const end = wholeCharacterEnd(text, MAX_TEXT_LENGTH);
  const note = words(`(cut; the rest: get_file_content with document_id="${id}", offset=${end})`);
  return `${text.slice(0, end)}\n\n${note}`;
}

/** Translates `not_found` to the protocol's error. */
async function orNotFound<T>(uri: URL, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'not_found')
      throw new ResourceNotFoundError(uri.href, error.message);
    throw error;
  }
}
