import { readFileSync } from 'node:fs';
import { McpServer, ProtocolError } from '@modelcontextprotocol/server';

export interface OfferedResource {
  readonly uri: string;
  readonly name?: string;
  readonly title?: string;
  readonly mimeType?: string;
  readonly size?: number;
  readonly lastModified?: string;
  readonly text?: string;
  /** Bytes in base64. */
  readonly blob?: string;
  /** Reading it never ends. */
  readonly hangs?: boolean;
  /** Reading it answers with this many characters. */
  readonly characters?: number;
}

export interface Offer {
  readonly resources: readonly OfferedResource[];
  readonly pageSize?: number;
  /** Every page names the same next one. */
  readonly isEndless?: boolean;
}

/** A server of the resources that this file holds, which is read for each request. */
export function resourceServer(file: string, requests: string[] = []): McpServer {
  const offer = () => JSON.parse(readFileSync(file, 'utf8')) as Offer;
  const server = new McpServer({ name: 'library', version: '1.0.0' }, { capabilities: { resources: {} } });
  server.server.setRequestHandler('resources/list', ({ params }) => {
    const { resources, pageSize = 2, isEndless = false } = offer();
    const from = Number(params?.cursor ?? 0);
    requests.push(`list ${from}`);
    const more = isEndless || from + pageSize < resources.length;
    return {
      resources: resources.slice(from, from + pageSize).map(({ uri, name, lastModified, ...said }) => ({
        uri,
        name: name ?? uri,
        ...(said.title !== undefined && { title: said.title }),
        ...(said.mimeType !== undefined && { mimeType: said.mimeType }),
        ...(said.size !== undefined && { size: said.size }),
        ...(lastModified !== undefined && { annotations: { lastModified } }),
      })),
      ...(more && { nextCursor: isEndless ? '0' : String(from + pageSize) }),
    };
  });
  server.server.setRequestHandler('resources/templates/list', () => {
    requests.push('templates');
    return { resourceTemplates: [{ uriTemplate: 'library://by/{name}', name: 'By name' }] };
  });
  server.server.setRequestHandler('resources/read', ({ params: { uri } }) => {
    requests.push(`read ${uri}`);
    const found = offer().resources.find((each) => each.uri === uri);
    if (found === undefined) throw new ProtocolError(-32_602, 'words of the server');
    if (found.hangs === true) return new Promise<never>(() => {});
    const { mimeType, text, blob, characters } = found;
    const shared = { uri, ...(mimeType !== undefined && { mimeType }) };
    if (blob !== undefined) return { contents: [{ ...shared, blob }] };
    return { contents: [{ ...shared, text: characters === undefined ? (text ?? '') : 'x'.repeat(characters) }] };
  });
  return server;
}
