import type { Principal } from '../access/principal.ts';
import { findCollections } from '../access/usable-collections.ts';
import { mayChange } from '../access/visible-filter.ts';
import { isDocument } from '../documents/filter.ts';
import { ServiceError } from '../errors.ts';
import { documentOfSource } from '../ingest/document-of-source.ts';
import { refuseLarge } from '../ingest/folders/supported-files.ts';
import type { SubmittedContent } from '../ingest/ingestor.ts';
import { raceAbort } from '../shared/abort.ts';
import type { IngestionItem, IngestionStep, ToolIngestion } from '../toolbox/tool-ports.ts';
import type { McpServices } from './mcp-services.ts';

/** Ingestion for tools; continues in the background when the caller disconnects. */
export interface McpIngestion {
  of(principal: Principal): ToolIngestion;
  /** Stops ingestion; unfinished documents are resumed at the next start. */
  close(): Promise<void>;
}

interface Reading {
  readonly over: Promise<void>;
  readonly listeners: Set<(step: IngestionStep) => void>;
}

type Services = Pick<McpServices, 'corpus' | 'collections' | 'ingestor' | 'sources' | 'maxFileBytes' | 'log'>;

export function createMcpIngestion(services: Services): McpIngestion {
  const { corpus, collections, ingestor, sources, maxFileBytes, log } = services;
  const readings = new Map<string, Reading>();
  const closing = new AbortController();

  /** An ingestion that is still running ends when a later submission replaces it; the later one runs after it. */
  const begin = (id: string) => {
    const listeners: Reading['listeners'] = new Set();
    const publish = (step: IngestionStep) => {
      for (const listener of listeners) listener(step);
    };
    const over = read(id, publish).finally(() => {
      if (readings.get(id)?.listeners === listeners) readings.delete(id);
    });
    readings.set(id, { over, listeners });
  };

  async function read(id: string, publish: (step: IngestionStep) => void): Promise<void> {
    try {
      for await (const event of ingestor.run(id, closing.signal)) {
        if (event.type === 'status') publish({ status: event.status });
        if (event.type === 'progress') publish({ status: event.stage, done: event.done, total: event.total });
      }
    } catch (error) {
      if (!closing.signal.aborted) log.error({ err: error, documentId: id }, 'An ingestion ended unexpectedly.');
    }
  }

  return {
    of: (principal) => ({
      refuseLarge: (path, sizeInBytes) => refuseLarge(path, sizeInBytes, maxFileBytes),

      async add({ content, title, metadata, collections: names, source }) {
        const place = source && (await documentOfSource(source, principal.userId, sources));
        const { ids, missing } = await findCollections(collections, principal, names);
        const accepted = await ingestor.submit({
          content: toSubmitted(content),
          ownerId: principal.userId,
          metadata,
          collectionIds: ids,
          newCollections: missing,
          settings: {},
          ...(title === undefined ? {} : { title }),
          // Without a source, the identifier is that of the content: the same text again changes title and metadata only.
          replace: true,
          ...(source && place ? { source, id: place.id } : {}),
        });
        if (accepted.kind === 'accepted') begin(accepted.document.id);
        return { outcome: accepted.kind, document: accepted.document };
      },

      async wait(id, milliseconds, signal, onStep) {
        const reading = readings.get(id);
        if (reading === undefined) return;
        if (onStep !== undefined) reading.listeners.add(onStep);
        const ended = Promise.withResolvers<void>();
        const timer = setTimeout(ended.resolve, milliseconds);
        try {
          await raceAbort(Promise.race([reading.over, ended.promise]), signal);
        } finally {
          clearTimeout(timer);
          if (onStep !== undefined) reading.listeners.delete(onStep);
        }
      },

      async remove(document) {
        if (!mayChange(document, principal)) {
          throw new ServiceError('forbidden', `There is no document ${document.id} that you may delete.`);
        }
        return corpus.remove(isDocument(document.id));
      },
    }),

    async close() {
      closing.abort();
      await Promise.all([...readings.values()].map(({ over }) => over));
    },
  };
}

function toSubmitted(content: IngestionItem['content']): SubmittedContent {
  if (content.kind === 'text') return content;
  const { mediaType, ...file } = content;
  return { ...file, ...(mediaType === undefined ? {} : { mediaType }) };
}
