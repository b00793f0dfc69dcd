import { z } from 'zod';
import { isLoopbackAddress, type LocalServer, usualServers } from '../models/local-servers.ts';
import type { PriceTable } from '../models/prices.ts';
import { jsonOrUndefined, splitList } from '../shared/text.ts';
import { type OpenHost, readOpenHost } from '../web/open-hosts.ts';

/** Parsers of variables that hold a list or JSON. Each calls `complain` with what is expected, never with the value. */

const pricesSchema = z.record(
  z.string(),
  z.object({
    input: z.number().min(0),
    cached_input: z.number().min(0).optional(),
    output: z.number().min(0),
  }),
);

/** Parses `off`, `on`, or `name=address` entries with loopback addresses of the model servers. */
export function readLocalServers(list: string, complain: (message: string) => void): readonly LocalServer[] {
  if (list.trim() === 'off') return [];
  if (list.trim() === 'on') return usualServers;
  return splitList(list).flatMap((entry) => {
    const [, name, address = ''] = /^([a-z]+)=(https?:\/\/[^/]+)\/?$/.exec(entry) ?? [];
    const server = usualServers.find((each) => each.name === name);
    if (server !== undefined && isLoopbackAddress(address)) return { ...server, address };
    complain(
      'expected on, off, or entries like ollama=http://127.0.0.1:11434 (ollama, lmstudio, llamacpp, vllm) of this machine',
    );
    return [];
  });
}

/** Parses comma-separated entries like `authorization=Bearer%20key`, whose values are percent-encoded. */
export function readHeaders(list: string, complain: (message: string) => void): Readonly<Record<string, string>> {
  try {
    const entries = splitList(list, /,/).map((entry) => {
      const [, name = '', value = ''] = /^([\w.-]+)\s*=(.*)$/.exec(entry) ?? [];
      return [name, decodeURIComponent(value)] as [string, string];
    });
    // Throws for values that HTTP headers cannot carry, such as line breaks.
    return Object.fromEntries(new Headers(entries));
  } catch {
    complain('expected entries like authorization=Bearer%20key, separated by commas');
    return {};
  }
}

const RESERVED_PROVIDERS = new Set(['openai', 'anthropic', 'ollama', 'builtin', 'local']);

export function readProviderList(
  list: string,
  complain: (message: string) => void,
): { name: string; baseUrl: string }[] {
  const entries = splitList(list);
  return entries.flatMap((entry, index) => {
    const [, name, baseUrl] = /^([a-z0-9][a-z0-9-]*)=(.+)$/.exec(entry) ?? [];
    if (name === undefined || baseUrl === undefined || !/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? '')) {
      complain(
        `expected entries like groq=https://api.groq.com/openai/v1, separated by commas; entry ${index + 1} is not`,
      );
      return [];
    }
    if (RESERVED_PROVIDERS.has(name)) {
      complain(`"${name}" is a provider of its own (see its own variables); choose another name`);
      return [];
    }
    return [{ name, baseUrl }];
  });
}

const MIN_KEY = 16;

export function readKeys(list: string, complain: (message: string) => void): string[] {
  const keys = splitList(list, /,/);
  keys.forEach((key, index) => {
    if (key.length < MIN_KEY) complain(`expected keys of at least ${MIN_KEY} characters; key ${index + 1} is shorter`);
    // Other characters cannot be sent in a header or would end it.
    else if (!/^[\x21-\x7e]+$/.test(key)) complain(`expected letters, digits and signs; key ${index + 1} has others`);
  });
  if (keys.length === 0) complain(`expected keys of at least ${MIN_KEY} characters, separated by commas`);
  return [...new Set(keys)];
}

/** Parses `name=number` pairs of these names, separated by commas; `off` yields none. */
export function readNumbers(
  list: string,
  names: readonly string[],
  complain: (message: string) => void,
): Readonly<Record<string, number>> {
  if (list.trim().toLowerCase() === 'off') return {};
  const found: Record<string, number> = {};
  for (const entry of splitList(list)) {
    const [, name = '', number = ''] = /^([a-z]+)=(\d{1,12})$/.exec(entry) ?? [];
    if (names.includes(name)) found[name] = Number(number);
    else complain(`expected off, or numbers such as ${names.map((each) => `${each}=100`).join(',')}`);
  }
  return found;
}

export function readOpenHosts(list: string, complain: (message: string) => void): OpenHost[] {
  return splitList(list).flatMap((entry, index) => {
    const open = readOpenHost(entry);
    if (open === undefined) {
      complain(
        `expected hosts or networks such as wiki.intern:8080, *.intern or 10.0.0.0/8, separated by commas; entry ${index + 1} is invalid`,
      );
    }
    return open ?? [];
  });
}

export function readPrices(json: string, complain: (message: string) => void): PriceTable {
  const parsed = pricesSchema.safeParse(jsonOrUndefined(json));
  if (parsed.success) {
    return Object.fromEntries(
      Object.entries(parsed.data).map(([name, { input, cached_input, output }]) => [
        name,
        { input, cachedInput: cached_input ?? input, output },
      ]),
    );
  }
  complain('expected JSON such as {"openai/gpt-6-luna": {"input": 0.5, "cached_input": 0.05, "output": 4}}');
  return {};
}
