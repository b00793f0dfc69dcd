import type { z } from 'zod';
import { isLoopbackAddress, type LocalServer, usualServers } from '../models/local-servers.ts';
import type { NamedProviderConfig } from './named-providers.ts';
import type { variables } from './variables.ts';

type Values = z.output<typeof variables>;

/** The model servers to probe. A configured provider of the same name replaces the address if it is a loopback one. */
export function localServers(
  { CITEWELL_LOCAL_MODELS: servers = usualServers, OLLAMA_BASE_URL: ollama }: Values,
  providers: readonly NamedProviderConfig[],
): readonly LocalServer[] {
  const named = new Map(providers.map(({ name, baseUrl }) => [name, baseUrl]));
  if (ollama !== undefined) named.set('ollama', ollama);
  return servers.flatMap((server) => {
    const configured = named.get(server.name);
    if (configured === undefined) return server;
    return isLoopbackAddress(configured) ? { ...server, address: new URL(configured).origin } : [];
  });
}
