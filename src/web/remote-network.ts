import { isIP } from 'node:net';
import type { Agent, RequestInfo, RequestInit } from 'undici';
import { ServiceError } from '../errors.ts';
import type { RemoteNetwork } from '../sources/connector.ts';
import { type AddressRules, checkAddress, checkResolved } from './address-rules.ts';
import { noProxy, type ProxySettings } from './proxy.ts';
import { createResolve, type Resolve } from './resolve-name.ts';

interface NetworkParts {
  readonly rules: AddressRules;
  readonly proxy?: ProxySettings | undefined;
  readonly resolve?: Resolve | undefined;
}

/** Network access for connectors, with the same address rules as for web pages. */
export function createRemoteNetwork({
  rules,
  proxy = noProxy,
  resolve = createResolve(),
}: NetworkParts): RemoteNetwork & { close(): Promise<void> } {
  let opening: Promise<Agent> | undefined;
  const openAgent = () => {
    opening ??= import('./guarded-agent.ts').then(({ createGuardedAgent }) =>
      createGuardedAgent({ rules, proxy, resolve }),
    );
    return opening;
  };

  const guarded: typeof fetch = async (input, init) => {
    const url = new URL(typeof input === 'string' || input instanceof URL ? input : input.url);
    if (url.protocol !== 'http:' && url.protocol !== 'https:') {
      throw new ServiceError('invalid_request', `"${url.protocol}" is not http or https.`);
    }
    checkAddress(url, rules);
    const [{ fetch: send, Request }, dispatcher] = await Promise.all([import('undici'), openAgent()]);
    // undici does not accept a `Request` of the runtime, so convert it.
    const isRequest = typeof input !== 'string' && !(input instanceof URL);
    const target = isRequest ? new Request(input.url, requestInit(input)) : input;
    try {
      const answer = await send(target as RequestInfo, { ...plain(init), dispatcher } as RequestInit);
      return answer as unknown as Response;
    } catch (error) {
      throw asServiceError(error, url, init?.signal ?? (isRequest ? input.signal : undefined));
    }
  };

  return {
    fetch: guarded,
    async addressOf(host, port, ports) {
      const own: AddressRules = { ...rules, ports: new Set(ports) };
      const hostname = host.replace(/^\[|\]$/g, '');
      const found =
        isIP(hostname) === 0
          ? await resolve(hostname).catch((error) => unreachable(host, error))
          : [{ address: hostname }];
      for (const { address } of found) checkResolved(address, hostname, port, own);
      const [first] = found;
      if (first === undefined) throw new ServiceError('provider_failed', `${host} has no address.`);
      return first.address;
    },
    close: async () => (await opening)?.destroy(),
  };
}

/** Converts `Headers` of the runtime, which undici would treat as an empty object. */
const plain = (init: globalThis.RequestInit = {}): object => ({
  ...init,
  ...(init.headers && { headers: [...new Headers(init.headers)] }),
  ...(init.body && typeof init.body !== 'string' && { duplex: 'half' }),
});

const requestInit = ({ method, headers, body, signal, redirect }: Request): RequestInit =>
  ({ method, headers: [...headers], body, signal, redirect, ...(body && { duplex: 'half' }) }) as RequestInit;

const unreachable = (host: string, error: unknown): never => {
  throw new ServiceError('provider_failed', `${host} is not reached: ${reasonOf(error)}.`, { cause: error });
};

function asServiceError(error: unknown, url: URL, signal: AbortSignal | null | undefined): unknown {
  if (signal?.aborted) return signal.reason;
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ServiceError) return cause;
  }
  return new ServiceError('provider_failed', `${url.host} is not reached: ${reasonOf(error)}.`, { cause: error });
}

/** The message of the error's cause or, without one, of the error itself. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}
