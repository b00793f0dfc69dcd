import { lookup, Resolver } from 'node:dns/promises';
import { readFile, stat } from 'node:fs/promises';
import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { isLocalName } from './address-rules.ts';

/** Resolves a host name to its addresses. */
export type Resolve = (host: string) => Promise<readonly ResolvedAddress[]>;

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

export interface ResolverParts {
  /** Name servers instead of the system's, as `address` or `address:port`. */
  readonly servers?: readonly string[];
  readonly hostsFile?: string;
  readonly timeoutMs?: number;
  /** Resolver of the system, which also knows names of the local network. */
  readonly askSystem?: Resolve;
}

const HOSTS_FILE = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts';
const TIMEOUT_MS = 5_000;
/** Time for a name server to answer the first try: about a third of the total, which leaves time for a retry. */
const SERVER_TIMEOUT_MS = 1_500;
/** After an answer for one address family, how long to wait for the other. */
const FAMILY_GRACE_MS = 250;
const LOOPBACK = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * Resolves names without the system's `getaddrinfo`: Node runs that in the thread pool, two at a time, so two names whose
 * servers never answer would hold up every other look-up of the process. The hosts file comes first, then the name
 * servers over sockets of our own. Only names that they do not know are passed to the system, one at a time.
 */
export function createResolve(parts: ResolverParts = {}): Resolve {
  const { timeoutMs = TIMEOUT_MS, askSystem = (host) => lookup(host, { all: true }) } = parts;
  const listed = createHostsFile(parts.hostsFile ?? HOSTS_FILE);
  const systemTurns = pLimit(1);

  return async (host) => {
    if (isLocalName(host)) return LOOPBACK;
    const known = await listed(host);
    if (known.length > 0) return known;
    const answer = await askServers(host, timeoutMs, parts.servers);
    if (answer.found.length > 0) return answer.found;
    if (answer.isSilent) throw new Error(`the name servers did not answer for ${host} within ${timeoutMs / 1000} s`);
    let isAbandoned = false;
    const lookup = systemTurns(async () => (isAbandoned ? [] : askSystem(host).catch(() => [])));
    const found = await Promise.race([lookup, sleep(timeoutMs, undefined, { ref: false })]);
    if (found === undefined) {
      // If the look-up is still queued, it is skipped.
      isAbandoned = true;
      throw new Error(`the system did not answer for ${host} within ${timeoutMs / 1000} s`);
    }
    if (found.length === 0) throw new Error(`there is no host named ${host}`);
    return found;
  };
}

interface Answer {
  readonly found: readonly ResolvedAddress[];
  /** Whether a query went unanswered, and no name server reported that the name does not exist. */
  readonly isSilent: boolean;
}

async function askServers(host: string, timeoutMs: number, servers?: readonly string[]): Promise<Answer> {
  // Created for each look-up, because it reads the system's name servers on creation, and networks change.
  const resolver = new Resolver({ timeout: SERVER_TIMEOUT_MS, tries: 2 });
  if (servers !== undefined) resolver.setServers([...servers]);
  const found: ResolvedAddress[] = [];
  let isSilent = false;
  let isUnknown = false;
  const ask = async (family: 4 | 6): Promise<void> => {
    try {
      const addresses = await (family === 4 ? resolver.resolve4(host) : resolver.resolve6(host));
      found.push(...addresses.map((address) => ({ address, family })));
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? '';
      isSilent ||= SILENCE.has(code);
      // If the name does not exist, this applies to both address families.
      isUnknown ||= code === 'ENOTFOUND';
      if (!isUnknown) throw error;
    }
  };
  const over = new AbortController();
  const wait = (milliseconds: number) => sleep(milliseconds, undefined, { signal: over.signal }).catch(() => undefined);
  const lookups = [ask(4), ask(6)];
  const isDone = Promise.allSettled(lookups);
  const isNearlyDone = Promise.any(lookups).then(
    () => wait(FAMILY_GRACE_MS),
    () => undefined,
  );
  const isLate = wait(timeoutMs).then(() => 'late');
  const outcome = await Promise.race([isDone, isNearlyDone, isLate]);
  over.abort();
  resolver.cancel();
  return {
    found: found.toSorted((a, b) => a.family - b.family),
    isSilent: !isUnknown && (isSilent || outcome === 'late'),
  };
}

const SILENCE = new Set(['ETIMEOUT', 'ECANCELLED']);

/** Looks up names in the hosts file, which is reread when it changes; finds none without a file. */
function createHostsFile(path: string): Resolve {
  let changed = Number.NaN;
  let names: ReadonlyMap<string, readonly ResolvedAddress[]> = new Map();
  return async (host) => {
    try {
      const { mtimeMs } = await stat(path);
      if (mtimeMs !== changed) {
        names = readHosts(await readFile(path, 'utf8'));
        changed = mtimeMs;
      }
    } catch {
      return [];
    }
    return names.get(host.toLowerCase()) ?? [];
  };
}

function readHosts(text: string): ReadonlyMap<string, readonly ResolvedAddress[]> {
  const names = new Map<string, ResolvedAddress[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...listed] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/);
    const family = isIP(address);
    if (family === 0) continue;
    for (const name of listed) names.set(name, [...(names.get(name) ?? []), { address, family }]);
  }
  return names;
}
