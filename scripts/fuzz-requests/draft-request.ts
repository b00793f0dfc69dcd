import { randomUUID } from 'node:crypto';
import type { JsonSchema } from '../../src/http/openapi/json-schema.ts';
import type { OpenApiDocument } from '../../src/http/openapi/to-document.ts';
import type { Random } from '../seeded-random.ts';
import type { Credentials } from './credentials.ts';
import { type BodySchemas, draftBody } from './draft-body.ts';
import { draftMessage, type OfferedTool } from './draft-mcp.ts';
import { draftPath, draftQuery, type Parameter } from './draft-path.ts';
import type { SchemaParts } from './from-schema.ts';
import { invalidString } from './odd-values.ts';
import type { RecordIds } from './record-ids.ts';
import type { AccessMode, FuzzedRequest } from './request.ts';

export interface MountedRoute {
  readonly method: string;
  /** Route pattern, as mounted. */
  readonly path: string;
}

export interface DraftParts {
  readonly description: OpenApiDocument;
  readonly tools: readonly OfferedTool[];
  readonly recordIds: RecordIds;
  readonly credentials: Credentials;
  /** Session id of an MCP client of an earlier revision. */
  readonly session: () => string;
}

interface Described {
  readonly parameters?: readonly (Parameter & { readonly in: string })[];
  readonly requestBody?: { readonly content: BodySchemas };
}

const METHODS: readonly [string, ...string[]] = [
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'QUERY',
];
/** Probabilities: of another method, of the authenticated service, of a client that disconnects early. */
const ANOTHER_METHOD = 0.05;
const GUARDED = 0.3;
const LEAVING = 0.02;

/** A random request to a route, using existing identifiers. */
export function draftRequest(number: number, route: MountedRoute, random: Random, parts: DraftParts): FuzzedRequest {
  const { description, recordIds } = parts;
  const method = random.chance(ANOTHER_METHOD) ? random.pick(METHODS) : route.method;
  const described = describedOf(description, route);
  const schemaParts: SchemaParts = {
    random,
    schemas: description.components.schemas as Readonly<Record<string, JsonSchema>>,
    id: (kind) =>
      kind !== undefined ? recordIds.pick(kind, random) : random.chance(0.8) ? recordIds.pickAny(random) : randomUUID(),
  };
  const parameters = (described.parameters ?? []).filter((each) => each.in === 'query');
  const drawn = `${draftPath(route.path, recordIds, random)}${draftQuery(parameters, schemaParts)}` || '/';
  // The HTTP client rejects other characters.
  const path = drawn.replace(/[^\x21-\xff]/g, '!');
  const drafted =
    route.path === '/mcp'
      ? draftMessage(parts.tools, parts.session(), schemaParts)
      : draftBody(described.requestBody?.content, method, schemaParts);
  const accessMode: AccessMode =
    random.chance(GUARDED) && route.path !== '/mcp' && !route.path.startsWith('/peer') ? 'guarded' : 'open';
  const hasBody = drafted.bytes !== undefined && !['GET', 'HEAD', 'TRACE'].includes(method);
  const headers = {
    'x-request-id': `fuzz-${number}`,
    ...(hasBody || route.path === '/mcp' ? drafted.headers : {}),
    ...oddHeaders(random),
    ...credentialHeaders(accessMode, random, parts.credentials),
  };
  // With a wrong Content-Length the service would wait for more of the body.
  const isLeaving = 'content-length' in headers || random.chance(LEAVING);
  return {
    number,
    method,
    route: `${route.method} ${route.path}`,
    path: random.chance(0.01) ? `//${path}` : path,
    headers,
    body: hasBody ? drafted.bytes : undefined,
    face: accessMode,
    ...(isLeaving && { leavesAfter: random.integer(0, 80) }),
  };
}

/** An unknown path, or a known one with a prefix or suffix. */
export function unknownRoute(routes: readonly MountedRoute[], random: Random): MountedRoute {
  const [first = { method: 'GET', path: '/' }, ...others] = routes;
  const { path } = random.pick([first, ...others]);
  const odd = random.pick([
    `${path}/more/of/it`,
    `${path}//`,
    `/v4${path}`,
    path.toUpperCase(),
    `${path}%2f`,
    `/${encodeURIComponent(invalidString(random).toWellFormed().slice(0, 200))}`,
    '/v3',
    '/*',
    '/v3/../../etc',
  ]);
  return { method: random.pick(METHODS), path: odd };
}

function describedOf(description: OpenApiDocument, { method, path }: MountedRoute): Described {
  const inBraces = path.replaceAll(/:(\w+)/g, '{$1}');
  const paths = description.paths as Readonly<Record<string, Readonly<Record<string, Described>>>>;
  const found = paths[inBraces] ?? Object.entries(paths).find(([each]) => shapeOf(each) === shapeOf(inBraces))?.[1];
  return found?.[method.toLowerCase()] ?? {};
}

/** The path without parameter names, which may differ between route and description. */
const shapeOf = (path: string): string => path.replaceAll(/\{\w+\}/g, '{}');

function credentialHeaders(
  accessMode: AccessMode,
  random: Random,
  credentials: Credentials,
): Readonly<Record<string, string>> {
  if (random.chance(0.04)) {
    const odd = random.pick([
      'Bearer',
      'Bearer ',
      'Bearer x',
      'bearer a b',
      'Basic YTpi',
      `Bearer ${'a'.repeat(8_000)}`,
      'Bearer key_.',
      'Bearer key_AAAA.BBBB',
      'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.',
      `Bearer ${credentials.token()}x`,
    ]);
    return random.chance(0.8) ? { authorization: odd } : { authorization: odd, 'x-api-key': 'key_' };
  }
  if (accessMode === 'open') return {};
  return random.chance(0.8) ? { authorization: `Bearer ${credentials.token()}` } : { 'x-api-key': credentials.key() };
}

function oddHeaders(random: Random): Readonly<Record<string, string | readonly string[]>> {
  if (!random.chance(0.15)) return {};
  const latin = () =>
    invalidString(random)
      .slice(0, 200)
      .replace(/[^\x20-\x7e\xa0-\xff]/g, '?');
  return random.pick<Readonly<Record<string, string | readonly string[]>>>([
    { 'last-event-id': latin() },
    { 'last-event-id': '9'.repeat(30) },
    { accept: random.pick(['text/event-stream', 'nothing', '*/*;q=x', ',,,', 'application/xml', latin()]) },
    { origin: random.pick(['null', 'http://localhost', 'https://evil.invalid', 'http://', latin()]) },
    { host: random.pick(['evil.invalid', '[::1', 'localhost:99999', 'a b', 'LOCALHOST.', '127.0.0.1:1']) },
    { 'x-request-id': latin() },
    { 'accept-language': latin(), 'accept-encoding': 'gzip, br, x' },
    { range: random.pick(['bytes=0-0', 'bytes=5-1', 'bytes=-1', 'bytes=0-99999999999999999999', 'x=y']) },
    { 'if-none-match': '*' },
    { 'if-modified-since': 'yesterday' },
    { expect: '100-continue' },
    { 'x-project-name': latin() },
    { cookie: 'a=b; __proto__=c' },
    { 'content-length': '5' },
    { 'x-forwarded-for': '1.2.3.4', 'x-forwarded-proto': latin(), 'x-http-method-override': 'DELETE' },
  ]);
}
