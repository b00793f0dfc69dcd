import { isIP, type LookupFunction, type Socket } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { ServiceError } from '../errors.ts';
import { type AddressRules, checkResolved, hostOf, portOf } from './address-rules.ts';
import { isForwarded, isLoopback, type ProxyAddress, type ProxySettings, proxyFor } from './proxy.ts';
import { createResolve, type Resolve } from './resolve-name.ts';
import { openTunnel } from './tunnel.ts';

const CONNECT_TIMEOUT_MS = 10_000;
const IDLE_MS = 4_000;

interface GuardParts {
  readonly rules: AddressRules;
  readonly proxy: ProxySettings;
  readonly resolve?: Resolve | undefined;
}

/**
 * An HTTP agent that connects only to allowed addresses. The name is resolved exactly once, during the connection
 * attempt, so the checked address is the one connected to (no DNS rebinding), even through a proxy. IP addresses are
 * checked beforehand; the address of a direct connection is checked once more before data is sent.
 */
export function createGuardedAgent({ rules, proxy: settings, resolve = createResolve() }: GuardParts): Agent {
  return new Agent({
    connect: (options, callback) => {
      void connect(options).then(
        (socket) => callback(null, socket),
        (error: Error) => callback(error, null),
      );
    },
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
    connections: 4,
    pipelining: 1,
  });

  async function connect(options: buildConnector.Options): Promise<Socket> {
    const url = new URL(`${options.protocol}//${options.host}`);
    const target: Target = { host: hostOf(url), port: portOf(url), rules, resolve };
    if (isIP(target.host) !== 0) checkResolved(target.host, target.host, target.port, rules);
    const proxy = proxyFor(url, settings);
    if (proxy !== undefined) {
      if (isForwarded(url, settings)) return dialProxy(proxy);
      const socket = await connectThrough(proxy, target);
      if (socket !== undefined)
        return url.protocol === 'https:' ? dial({ ...options, httpSocket: socket }, target) : socket;
    }
    const socket = await dial(options, target);
    try {
      checkResolved(socket.remoteAddress ?? '', target.host, target.port, rules);
    } catch (error) {
      socket.destroy();
      throw error;
    }
    return socket;
  }

  /** Undefined if the name resolves to this machine, which a proxy cannot reach. */
  async function connectThrough(proxy: ProxyAddress, target: Target): Promise<Socket | undefined> {
    const { host, port } = target;
    if (settings.resolvesNames) return openTunnel(proxy, { to: host, port, host }, CONNECT_TIMEOUT_MS);
    const [to] = isIP(host) === 0 ? await checkedAddresses(target).catch(namesProxySetting) : [{ address: host }];
    if (to === undefined || isLoopback(to.address)) return undefined;
    return openTunnel(proxy, { to: to.address, port, host }, CONNECT_TIMEOUT_MS);
  }
}

/** Behind a proxy, the local resolver often does not know public names; the error then points to the setting. */
function namesProxySetting(error: Error): never {
  if (error instanceof ServiceError) throw error;
  throw new Error(
    `${error.message}; if the proxy resolves names, and itself keeps requests from internal addresses, set CITEWELL_PROXY_RESOLVES=true`,
  );
}

const dial = (options: buildConnector.Options, target: Target): Promise<Socket> =>
  open(buildConnector({ timeout: CONNECT_TIMEOUT_MS, lookup: guardedLookup(target) }), options);

const dialProxy = ({ protocol, hostname, host, port }: ProxyAddress): Promise<Socket> =>
  open(buildConnector({ timeout: CONNECT_TIMEOUT_MS }), { protocol, hostname, host, port });

const open = (connect: buildConnector.connector, options: buildConnector.Options): Promise<Socket> =>
  new Promise((resolve, reject) => {
    connect(options, (...[failure, socket]) => (failure === null ? resolve(socket) : reject(failure)));
  });

interface Target {
  readonly host: string;
  readonly port: number;
  readonly rules: AddressRules;
  readonly resolve: Resolve;
}

/** Rejects a host if any of its addresses is not allowed: no legitimate host mixes public and internal addresses. */
async function checkedAddresses({ host, port, rules, resolve }: Target): ReturnType<Resolve> {
  const found = await resolve(host);
  if (found.length === 0) throw new Error(`${host} has no address`);
  for (const { address } of found) checkResolved(address, host, port, rules);
  return found;
}

const guardedLookup = (target: Target): LookupFunction => {
  return (_, options, callback) => {
    checkedAddresses(target).then(
      ([first, ...more]) => {
        if (first === undefined || options.all) callback(null, first === undefined ? [] : [first, ...more]);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    );
  };
};
