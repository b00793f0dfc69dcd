import type { FolderTarget } from '../ingest/folders/folder-target.ts';
import type { DocumentsClient } from './documents-client.ts';
import type { GraphClient } from './graph-client.ts';
import type { IngestClient } from './ingest-client.ts';
import type { QuestionsClient } from './questions-client.ts';
import type { ServiceClient } from './service-client.ts';
import type { SourcesClient } from './sources-client.ts';
import type { UsersClient } from './users-client.ts';

/** Citewell as commands use it, independent of which process holds the data folder. Methods throw ServiceError. */
export interface Client extends IngestClient, QuestionsClient, DocumentsClient, ServiceClient {
  readonly server: FolderTarget['server'];
  /** Where the web page is served; undefined when no server runs. */
  readonly page: string | undefined;
  readonly users: UsersClient;
  readonly graph: GraphClient;
  readonly sources: SourcesClient;
  close(): Promise<void>;
}
