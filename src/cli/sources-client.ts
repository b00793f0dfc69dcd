import { z } from 'zod';
import { followedSource } from '../http/wire/followed-source.ts';
import type { ServerRequest } from './send-request.ts';
import type { ServerCalls } from './server-calls.ts';

/** A followed folder or site; member names are those of the HTTP interface, for scripts. */
export type SourceRecord = Readonly<z.output<typeof followedSource>>;

/** Followed folders and sites as commands see them. Methods throw ServiceError. */
export interface SourcesClient {
  list(): Promise<readonly SourceRecord[]>;
  add(source: Readonly<Record<string, unknown>>): Promise<SourceRecord>;
  get(id: string): Promise<SourceRecord>;
  change(id: string, change: Readonly<Record<string, unknown>>): Promise<SourceRecord>;
  sync(id: string): Promise<SourceRecord>;
  remove(id: string): Promise<void>;
}

export function httpSources({ call }: Pick<ServerCalls, 'call'>): SourcesClient {
  const one = async (method: ServerRequest['method'], path: string, body?: unknown) =>
    followedSource.parse((await call(method, path, { ...(body !== undefined && { body }) })).results);
  const at = (id: string) => `/sources/${encodeURIComponent(id)}`;
  return {
    list: async () => z.array(followedSource).parse((await call('GET', '/sources?limit=1000')).results),
    add: (source) => one('POST', '/sources', source),
    get: (id) => one('GET', at(id)),
    change: (id, change) => one('PATCH', at(id), change),
    sync: (id) => one('POST', `${at(id)}/sync`),
    async remove(id) {
      await call('DELETE', at(id));
    },
  };
}
