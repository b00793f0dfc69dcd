import type { Tool } from '../toolbox/tool.ts';

/** What a run may still do after it has read words of strangers. Each is refused unless set. */
export interface ContainmentPolicy {
  /** Run code (`python_executor`). */
  readonly codeAfterUntrusted: boolean;
  /** Contact addresses that only the untrusted text named. */
  readonly newAddressesAfterUntrusted: boolean;
}

export const strictPolicy: ContainmentPolicy = { codeAfterUntrusted: false, newAddressesAfterUntrusted: false };

const CODE_TOOLS: ReadonlySet<string> = new Set(['python_executor']);
const ADDRESS = /https?:\/\/[^\s"'<>\\)\]}]+/gi;

/**
 * Keeps what a run reads from steering what it does (chances.md C10): by structure, not by asking the model. Before
 * any untrusted text was read nothing is refused. Afterwards code is not run, and a tool that reaches outside may only
 * be given hosts that the user named or that a search engine listed as results.
 */
export interface Containment {
  /** Hosts in words of the user or operator, or in a search engine's list of results. */
  trust(text: string): void;
  readUntrusted(): void;
  readonly hasReadUntrusted: boolean;
  /** Whether an address may be contacted to which a page that is being read leads on. */
  mayContact(url: URL): boolean;
  /** Why this call must not run, in words for the model; undefined when it may. */
  refusal(tool: Tool, input: unknown): string | undefined;
}

export function createContainment(policy: ContainmentPolicy): Containment {
  const known = new Set<string>();
  let isTainted = false;
  return {
    trust(text) {
      for (const host of hostsIn(text)) known.add(host);
    },
    readUntrusted() {
      isTainted = true;
    },
    get hasReadUntrusted() {
      return isTainted;
    },
    mayContact: ({ host }) => !isTainted || policy.newAddressesAfterUntrusted || known.has(host.toLowerCase()),
    refusal(tool, input) {
      if (!isTainted) return undefined;
      if (CODE_TOOLS.has(tool.name) && !policy.codeAfterUntrusted) {
        return 'This run has read text of strangers, so it may not run code any more. Answer without it.';
      }
      if (!tool.annotations.openWorld || policy.newAddressesAfterUntrusted) return undefined;
      const strange = hostsOf(input).filter((host) => !known.has(host));
      return strange.length === 0
        ? undefined
        : `${strange.join(', ')} was named only by text of strangers, so it may not be contacted. Use an address that the user gave or that web_search lists.`;
    },
  };
}

/** Hosts in arguments: an argument that is an address as a whole counts as what a fetch would make of it. */
function hostsOf(input: unknown): string[] {
  if (typeof input === 'string') {
    const url = URL.parse(input);
    const whole = url?.protocol === 'http:' || url?.protocol === 'https:' ? [url.host.toLowerCase()] : [];
    return [...whole, ...hostsIn(input)];
  }
  return typeof input === 'object' && input !== null ? Object.values(input).flatMap(hostsOf) : [];
}

function hostsIn(text: string): string[] {
  return [...text.matchAll(ADDRESS)].flatMap(([address]) => {
    const url = URL.parse(address);
    return url === null ? [] : [url.host.toLowerCase()];
  });
}
