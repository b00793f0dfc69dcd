import { ChromaClient, type ChromaClientArgs } from 'chromadb';

export type ServerChecks = NonNullable<ChromaClient['preflightChecks']>;

/** A client that is told what its server declares, which it asks before each write otherwise. */
export class PreparedClient extends ChromaClient {
  constructor(settings: Partial<ChromaClientArgs>, checks: ServerChecks | undefined) {
    super(settings);
    if (checks !== undefined) this.preflightChecks = checks;
  }
}
