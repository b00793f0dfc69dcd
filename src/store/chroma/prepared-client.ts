import { ChromaClient, type ChromaClientArgs } from 'chromadb';

export type ServerChecks = NonNullable<ChromaClient['preflightChecks']>;

/** A client with known preflight checks of its server, which it would otherwise request before each write. */
export class PreparedClient extends ChromaClient {
  constructor(settings: Partial<ChromaClientArgs>, checks: ServerChecks | undefined) {
    super(settings);
    if (checks !== undefined) this.preflightChecks = checks;
  }
}
