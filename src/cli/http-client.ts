import type { Client } from './client.ts';
import { httpDocuments } from './documents-client.ts';
import { httpGraph } from './graph-client.ts';
import { httpIngest } from './ingest-client.ts';
import { httpQuestions } from './questions-client.ts';
import { serverCalls } from './server-calls.ts';
import type { ServerLink } from './server-link.ts';
import { httpService } from './service-client.ts';
import { httpSources } from './sources-client.ts';
import { httpUsers } from './users-client.ts';

/** The client over a server link. `server` is the address of the lasting server, if there is one. */
export async function httpClient(link: ServerLink): Promise<Client> {
  const { url, isLasting, servesPage = false } = await link.address();
  const calls = serverCalls(link);
  return {
    server: isLasting ? url : undefined,
    page: servesPage ? url : undefined,
    ...httpIngest(calls, link),
    ...httpQuestions(calls, link),
    ...httpDocuments(calls),
    ...httpService(calls, { link, isLasting }),
    users: httpUsers(calls),
    sources: httpSources(calls),
    graph: httpGraph(calls),
    close: link.close,
  };
}
