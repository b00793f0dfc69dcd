import type { r2rClient } from 'r2r-js';
import { vi } from 'vitest';

type Methods = Record<string, (...args: unknown[]) => unknown>;

/** The client's groups of methods, `documents` and so on, with their names. */
export const groupsOf = (client: r2rClient): [room: string, methods: Methods, names: readonly string[]][] =>
  Object.entries(client as unknown as Record<string, unknown>).flatMap(([room, part]) => {
    const name = part?.constructor.name ?? '';
    if (!/^\w+Client$/.test(name)) return [];
    const names = Object.getOwnPropertyNames(Object.getPrototypeOf(part)).filter((each) => each !== 'constructor');
    return [[room, part as Methods, names]];
  });

/** Wraps the client to record `documents.create` and so on when a method is called. */
export function watchClient(client: r2rClient, called: Set<string>): r2rClient {
  for (const [room, methods, names] of groupsOf(client)) {
    for (const name of names) {
      const original = methods[name];
      methods[name] = (...args) => {
        called.add(`${room}.${name}`);
        return original?.apply(methods, args);
      };
    }
  }
  return client;
}

/** Captures a file that the client offers for download in a browser. */
export async function savedBy(save: () => Promise<unknown>): Promise<{ name: string; text: string }> {
  let blob: Blob | undefined;
  const link = { href: '', download: '', click() {} };
  const createObjectURL = (made: Blob) => {
    blob = made;
    return 'blob:';
  };
  vi.stubGlobal('window', { URL: { createObjectURL, revokeObjectURL() {} } });
  vi.stubGlobal('document', { createElement: () => link, body: { appendChild() {}, removeChild() {} } });
  try {
    await save();
  } finally {
    vi.unstubAllGlobals();
  }
  return { name: link.download, text: (await blob?.text()) ?? '' };
}
