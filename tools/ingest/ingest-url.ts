import { z } from 'zod';
import { ServiceError } from '../../src/errors.ts';
import { defineTool } from '../../src/toolbox/tool.ts';
import { collections, metadata, title } from './fields.ts';
import { ingestItem, ingestOutput, toMetadata } from './ingest-item.ts';

const FETCH_TIMEOUT_MS = 20_000;

export const ingestUrl = defineTool({
  name: 'ingest_url',
  title: 'Add a web page',
  description:
    'Fetch one page or file from the public web and add it as a document, or ingest it again if it has changed. Addresses of private networks are refused. Returns the document_id; the ingestion of a long page continues after the call, and corpus_status shows when it is ready.',
  input: z.object({
    url: z.string().trim().min(8).max(2000).describe('URL of the page, http or https'),
    title,
    metadata,
    collections,
  }),
  output: ingestOutput,
  annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
  needs: ['ingestion'],
  deadline: 50_000,

  async execute(input, context) {
    context.progress?.('fetching');
    // Loaded lazily to keep listing tools fast.
    const fetchPage = context.fetchPage ?? (await import('../../src/web/fetch-page.ts')).fetchPage;
    const page = await fetchPage(input.url, {
      signal: context.signal,
      timeoutMs: FETCH_TIMEOUT_MS,
    }).catch(withoutHint);
    return ingestItem(
      {
        content: { kind: 'file', bytes: page.bytes, fileName: page.fileName, mediaType: page.mediaType },
        title: input.title,
        metadata: toMetadata(input.metadata),
        collections: input.collections ?? [],
        source: page.url,
      },
      context,
    );
  },
});

// `forbidden` is normally reported as not found. The caller supplied this URL, so there is nothing to conceal.
function withoutHint(error: unknown): never {
  if (!(error instanceof ServiceError) || error.code !== 'forbidden') throw error;
  throw new ServiceError('invalid_request', error.message, { cause: error });
}
