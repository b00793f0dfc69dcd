import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { type AddressRules, checkResolved, hostOf } from './address-rules.ts';

/** What a host name resolves to. */
export type Resolve = (host: string) => Promise<readonly { readonly address: string; readonly family: number }[]>;

const systemResolve: Resolve = (host) => systemLookup(host, { all: true });

const CONNECT_TIMEOUT_MS = 10_000;
const IDLE_MS = 4_000;

/**
 * An HTTP agent that connects only to allowed addresses. The name is resolved within the connection attempt, once, so
 * the checked address is the one connected to (no DNS rebinding). IP addresses are not resolved and are checked before;
 * the address of the open connection is checked once more before data is sent.
 */
export function createGuardedAgent(rules: AddressRules, resolve: Resolve = systemResolve): Agent {
  return new Agent({
    connect: (options, callback) => {
      const host = hostOf(options);
      const port = Number(options.port) || (options.protocol === 'https:' ? 443 : 80);
      try {
        if (isIP(host) !== 0) checkResolved(host, host, port, rules);
      } catch (error) {
        callback(error as Error, null);
        return;
      }
      const connect = buildConnector({
        timeout: CONNECT_TIMEOUT_MS,
        lookup: guardedLookup({ host, port, rules, resolve }),
      });
      connect(options, (...outcome) => {
        const [failure, socket] = outcome;
        if (failure !== null) return callback(failure, null);
        try {
          checkResolved(socket.remoteAddress ?? '', host, port, rules);
        } catch (error) {
          socket.destroy();
          return callback(error as Error, null);
        }
        callback(null, socket);
      });
    },
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
    connections: 4,
    pipelining: 1,
  });
}

interface Lookup {
  readonly host: string;
  readonly port: number;
  readonly rules: AddressRules;
  readonly resolve: Resolve;
}

/** Rejects a host if any of its addresses is not allowed: no legitimate host mixes public and internal addresses. */
function guardedLookup({ host, port, rules, resolve }: Lookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname)
      .then((found) => {
        const [first] = found;
        if (first === undefined) throw new Error(`${host} has no address`);
        for (const { address } of found) checkResolved(address, host, port, rules);
        if (options.all) callback(null, [...found]);
        else callback(null, first.address, first.family);
      })
      .catch((error: NodeJS.ErrnoException) => callback(error, '', 0));
  };
}
