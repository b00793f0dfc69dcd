import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeAll, describe, expect, it } from 'vitest';
import { operationGroups } from '../../../src/http/openapi/operations.ts';
import { startHttp } from '../support/start-http.ts';
import { watchMounts } from '../support/watch-mounts.ts';

// biome-ignore lint/suspicious/noExplicitAny: the document is read as programs without types would
let document: any;
let routes: readonly string[];
let spec: Response;

beforeAll(async () => {
  const { routesOf, stop } = watchMounts();
  const http = await startHttp({}, async () => {
    throw new Error('The description is public.');
  });
  routes = (await routesOf()).map(({ method, path }) => `${method} ${templated(path)}`);
  stop();
  document = await (await fetch(`${http.url}/v3/openapi.json`)).json();
  spec = await fetch(`${http.url}/openapi_spec`);
  spec = new Response(await spec.text(), spec);
  await http.close();
});

/** Converts `/v3/documents/:id` to `/v3/documents/{id}`. */
const templated = (path: string): string =>
  path.replace(String(/^\/models\/(.+)$/), '/models/{model}').replace(/[:*](\w+)/g, '{$1}');

// biome-ignore lint/suspicious/noExplicitAny: as above
const operations = (): [route: string, operation: any][] =>
  Object.entries<Record<string, object>>(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, object] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  );

describe('the description of the interface', () => {
  it('is valid OpenAPI 3.1', async () => {
    expect(document.openapi).toMatch(/^3\.1/);
    expect(await new Validator().validate(structuredClone(document))).toEqual({ valid: true });
  });

  it('has an operation for every route, and no other', () => {
    // The page, its session and its files are no part of the interface.
    const page =
      /^(GET \/(docs\/[\w-]+\.(js|css)|assets\/(pdf\/)?\{file\}|d\/\{document\}|graph|library|quality|search|settings)|(POST|PUT|DELETE) \/session)$/;
    const described = operations().map(([route]) => route);
    // R2R's client requests these with GET; they accept any method.
    const anyMethod = described.filter((route) => route.includes('/oauth/'));
    expect(described.filter((route) => !anyMethod.includes(route)).sort()).toEqual(
      routes.filter((route) => !page.test(route) && !route.includes('/oauth/')).sort(),
    );
    expect(anyMethod).toHaveLength(4);
  });

  it('agrees with R2R on shared operations', async () => {
    expect(await spec.json()).toEqual(document);
  });

  it('has a unique id and a description for each operation', () => {
    const names = operations().map(([, { operationId }]) => operationId);
    expect(new Set(names).size).toBe(names.length);
    for (const [route, { summary, tags }] of operations()) {
      expect([route, summary.length > 5, tags.length]).toEqual([route, true, 1]);
    }
  });

  it('describes every path and query parameter', () => {
    for (const [route, { parameters = [] }] of operations()) {
      const inPath = parameters.filter((each: { in: string }) => each.in === 'path');
      expect([route, inPath.map(({ name }: { name: string }) => `{${name}}`)]).toEqual([
        route,
        route.match(/\{\w+\}/g) ?? [],
      ]);
      for (const { name, schema } of parameters) {
        expect([route, name, schema.type ?? schema.anyOf]).not.toEqual([route, name, undefined]);
      }
    }
  });

  it('shows the fields of every body, although parsing is tolerant', () => {
    const shapeless: string[] = [];
    for (const [route, { requestBody }] of operations()) {
      for (const [type, { schema }] of Object.entries<{ schema: object }>(requestBody?.content ?? {})) {
        if (!hasShape(schema)) shapeless.push(`${route} ${type}`);
      }
    }
    // Plain text has no schema.
    expect(shapeless.filter((each) => !each.endsWith('text/plain'))).toEqual([]);
    const { properties } = document.components.schemas.AgentRequest;
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(['message', 'rag_tools', 'search_settings']));
    expect(properties.search_settings.anyOf[0]).toEqual({ $ref: '#/components/schemas/SearchSettings' });
    expect(document.components.schemas.SearchSettings.properties.limit.anyOf[0]).toEqual({
      type: 'integer',
      minimum: 1,
      maximum: 1000,
    });
  });

  it('documents streams with all their events', () => {
    const { content } = document.paths['/v3/retrieval/agent'].post.responses['200'];
    expect(Object.keys(content)).toEqual(['application/json', 'text/event-stream']);
    expect(content['text/event-stream'].schema).toEqual({ $ref: '#/components/schemas/AgentEvent' });
    const names = document.components.schemas.AgentEvent.anyOf.map(
      (event: { properties: { event: { const: string } } }) => event.properties.event.const,
    );
    expect(names.sort()).toEqual(
      [
        'citation',
        'done',
        'error',
        'final_answer',
        'message',
        'thinking',
        'tool_call',
        'tool_result',
        'waiting',
      ].sort(),
    );
  });

  it('states the required credentials: none for public operations', () => {
    expect(document.components.securitySchemes).toMatchObject({
      bearer: { type: 'http', scheme: 'bearer' },
      apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
    });
    const open = operationGroups.flatMap(({ operations: all }) => all).filter(({ access }) => access === 'public');
    expect(open.map(({ path }) => path)).toEqual(expect.arrayContaining(['/v3/health', '/v3/users/login', '/docs']));
    expect(document.paths['/v3/health'].get.security).toEqual([]);
    expect(document.paths['/v3/documents'].get.security).toBeUndefined();
  });

  it('describes the refusals of sources, which are read before they are added or changed', () => {
    const statuses = (path: string, method: string) => Object.keys(document.paths[path][method].responses);
    expect(statuses('/v3/sources', 'post')).toEqual(expect.arrayContaining(['400', '403', '429', '502']));
    expect(statuses('/v3/sources/{id}', 'patch')).toEqual(expect.arrayContaining(['400', '403', '429', '502', '504']));
  });

  it('has no unresolved reference', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)];
    expect(references.length).toBeGreaterThan(100);
    for (const [, kind = '', name = ''] of references) {
      expect([name, document.components[kind][name] !== undefined]).toEqual([name, true]);
    }
  });
});

function hasShape(schema: object): boolean {
  if (JSON.stringify(schema) === '{}') return false;
  return (
    '$ref' in schema ||
    'anyOf' in schema ||
    'oneOf' in schema ||
    'properties' in schema ||
    'additionalProperties' in schema
  );
}
