import type { Config } from '../config.ts';

const ANSWERS_WITHIN_MS = 5_000;
/** Commands that wait for the graph ask for the status repeatedly. */
const KEPT_MS = 10_000;

/** A server whose address is configured, and the variable that does so. */
export interface ConfiguredServer {
  readonly variable: string;
  readonly url: string;
}

/** Model servers with a configured address. The providers' own addresses are not among them. */
export const modelServers = ({ openai, anthropic, ollama, providers }: Config): readonly ConfiguredServer[] =>
  [
    { variable: 'OPENAI_BASE_URL', url: openai.baseUrl },
    { variable: 'ANTHROPIC_BASE_URL', url: anthropic.baseUrl },
    { variable: 'OLLAMA_BASE_URL', url: ollama.baseUrl },
    ...providers.map(({ name, baseUrl }) => ({ variable: `CITEWELL_PROVIDERS (${name})`, url: baseUrl })),
  ].flatMap(({ variable, url }) => (url === undefined ? [] : [{ variable, url }]));

/** Servers at the usual addresses of this machine whose models are named by a variable, or were chosen by `auto`. */
function localModelServers({ models, graph, embeddingModel, localServers }: Config): readonly ConfiguredServer[] {
  const named = {
    CITEWELL_MODEL: models.quality,
    CITEWELL_FAST_MODEL: models.fast,
    CITEWELL_REASONING_MODEL: models.reasoning,
    CITEWELL_FALLBACK_MODEL: models.fallback,
    CITEWELL_GRAPH_MODEL: graph.model,
    CITEWELL_EMBEDDING_MODEL: embeddingModel,
  };
  return Object.entries(named).flatMap(([variable, model]) => {
    const server = localServers.find(({ name }) => model?.startsWith(`${name}/`) === true);
    return server === undefined ? [] : [{ variable: `${variable} (${model})`, url: server.address }];
  });
}

const rerankServers = ({ reranker }: Config): readonly ConfiguredServer[] =>
  reranker?.name.startsWith('tei/') && reranker.tei.baseUrl !== undefined
    ? [{ variable: 'TEI_BASE_URL', url: reranker.tei.baseUrl }]
    : [];

const searchServers = ({ web }: Config): readonly ConfiguredServer[] =>
  web.engines.flatMap(({ name, access }) => (name === 'searxng' ? [{ variable: 'SEARXNG_URL', url: access }] : []));

/** Requests the address and says why it does not answer. Any response counts: most servers require a key. */
export async function silenceOf({ variable, url }: ConfiguredServer): Promise<string | undefined> {
  // `fetch` refuses addresses with a password, and it must not be shown.
  const address = url.replace(/\/\/[^/@]*@/, '//');
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(ANSWERS_WITHIN_MS), redirect: 'manual' });
    await response.body?.cancel();
    return undefined;
  } catch (error) {
    return `${variable}: ${address} does not answer (${networkReason(error)})`;
  }
}

/** `fetch` puts the reason into the error's cause. */
export function networkReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no answer within ${ANSWERS_WITHIN_MS / 1_000} s`;
  const { cause } = error;
  if (cause instanceof Error) return 'code' in cause ? String(cause.code) : cause.message;
  return error.message;
}

/** Says which configured servers do not answer, one sentence each. Results are kept for some seconds. */
export function watchConfiguredServers(config: Config): () => Promise<readonly string[]> {
  const byAddress = new Map<string, ConfiguredServer>();
  const servers = [modelServers, rerankServers, searchServers, localModelServers].flatMap((find) => find(config));
  for (const server of servers) {
    const { origin } = new URL(server.url);
    if (!byAddress.has(origin)) byAddress.set(origin, server);
  }
  let last: { readonly at: number; readonly problems: Promise<readonly string[]> } | undefined;
  return () => {
    if (last === undefined || performance.now() - last.at > KEPT_MS) {
      const silences = Promise.all([...byAddress.values()].map(silenceOf));
      const problems = silences.then((found) =>
        found.flatMap((silence) => (silence === undefined ? [] : [`${silence}.`])),
      );
      last = { at: performance.now(), problems };
    }
    return last.problems;
  };
}
