import type { z } from 'zod';
import { chatFailure } from '../openai-failure.ts';
import { failure, id } from '../wire/record-parts.ts';
import { Components, type JsonSchema, toJsonSchema } from './json-schema.ts';
import type { Content, Operation, OperationGroup } from './operation.ts';

export interface DocumentParts {
  readonly groups: readonly OperationGroup[];
  /** Version of the service. */
  readonly version: string;
}

/** Builds the OpenAPI 3.1 document from the operations. */
export function toOpenApi({ groups, version }: DocumentParts) {
  const components = new Components();
  const paths: Record<string, Record<string, object>> = {};
  for (const { tag, operations } of groups) {
    for (const operation of operations) {
      const path = paths[operation.path] ?? {};
      paths[operation.path] = { ...path, [operation.method]: describe(operation, tag, components) };
    }
  }
  return {
    openapi: '3.1.1',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: { title: 'Citewell', version, summary, description, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/' }],
    tags: groups.map(({ tag: name, description: text }) => ({ name, description: text })),
    security: [{ bearer: [] }, { apiKey: [] }, {}],
    paths,
    components: {
      responses: { ...failuresOf('', failure, components), ...failuresOf('Chat', chatFailure, components) },
      schemas: Object.fromEntries([...components.named].sort(([one], [other]) => (one < other ? -1 : 1))),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An access token of a login, or an API key.' },
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'An API key.' },
      },
    },
  };
}

export type OpenApiDocument = ReturnType<typeof toOpenApi>;

const summary = 'Answers over your own documents, with citations checked against the source.';

const description = `The \`/v3\` interface is that of R2R, so its clients work unchanged.

- Answers are wrapped: \`{"results": …}\`, lists with \`total_entries\`.
- Members of requests that are null count as absent, members that are not known are ignored, and names may be written
  in camelCase where R2R's clients do so.
- Streams are server-sent events, ended by \`event: done\` with the data \`[DONE]\`. Their schemas show one event; on the
  wire it is \`event: <event>\` and \`data: <data as one line of JSON>\`.
- Credentials are needed where the server says so (\`CITEWELL_AUTH=required\`).`;

function describe(operation: Operation, tag: string, components: Components) {
  const notes = [operation.description, accessNote(operation)];
  const text = notes.filter(Boolean).join('\n\n');
  const parameters = [
    ...pathParameters(operation, components),
    ...queryParameters(operation, components),
    ...Object.entries(operation.headers ?? {}).map(([name, about]) => header(name, about)),
  ];
  return {
    operationId: operation.name,
    tags: [tag],
    summary: operation.summary,
    ...(text === '' ? {} : { description: text }),
    ...(operation.access === 'public' ? { security: [] } : {}),
    ...(operation.section === undefined ? {} : { 'x-contract': operation.section }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(operation.body === undefined ? {} : { requestBody: requestBody(operation, operation.body, components) }),
    responses: responses(operation, components),
  };
}

const accessNote = ({ access }: Operation) => (access === 'superuser' ? 'Superusers only.' : undefined);

const header = (name: string, about: string) => ({
  name,
  in: 'header',
  description: about,
  schema: { type: 'string' },
});

function pathParameters({ path, parts = {} }: Operation, components: Components) {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const { description: about, ...schema } = toJsonSchema(parts[name] ?? id, components);
    return { name, in: 'path', required: true, ...(about === undefined ? {} : { description: about }), schema };
  });
}

function queryParameters({ query }: Operation, components: Components) {
  if (query === undefined) return [];
  const { properties = {}, required = [] } = toJsonSchema(query, components) as {
    readonly properties?: Readonly<Record<string, JsonSchema>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description: about, deprecated, ...schema }]) => ({
    name,
    in: 'query',
    ...(about === undefined ? {} : { description: about }),
    ...(deprecated === true ? { deprecated } : {}),
    ...(required.includes(name) ? { required: true } : {}),
    // Lists repeat the key, docs/contract.md 1.
    ...(schema['type'] === 'array' ? { style: 'form', explode: true } : {}),
    schema,
  }));
}

function requestBody({ isBodyOptional = false, examples }: Operation, body: Content, components: Components) {
  const content = toContent(body, components);
  const shown = Object.fromEntries(Object.entries(examples ?? {}).map(([name, value]) => [name, { value }]));
  const asJson = content['application/json'];
  return {
    required: !isBodyOptional,
    content: {
      ...content,
      ...(asJson === undefined || examples === undefined ? {} : { 'application/json': { ...asJson, examples: shown } }),
    },
  };
}

function responses(operation: Operation, components: Components) {
  const { status = 200, answer, answerHeaders = {} } = operation;
  const headers = Object.entries(answerHeaders).map(([name, about]) => [
    name,
    { description: about, schema: { type: 'string' } },
  ]);
  const kind = operation.path.startsWith('/v1/') ? 'Chat' : '';
  const failures = statusesOfFailure(operation).map((code) => [
    String(code),
    { $ref: `#/components/responses/${kind}Failure${code}` },
  ]);
  return Object.fromEntries([
    [
      String(status),
      {
        description: meaning[status] ?? (status === 202 ? 'Accepted' : 'Success'),
        ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }),
        content: toContent(answer, components),
      },
    ],
    ...failures,
  ]);
}

/** The failure statuses that the operation lists, and those derived from its access, parameters and body. */
function statusesOfFailure(operation: Operation): readonly number[] {
  const { method, path, access, body, query, failures = [], status } = operation;
  const isPublic = access === 'public';
  const statuses = new Set(failures);
  if (!isPublic) statuses.add(401).add(400);
  if (access === 'superuser') statuses.add(403);
  if (path.includes('{')) statuses.add(404);
  // The collection or graph belongs to another user.
  if (/^\/v3\/(?:collections|graphs)\/\{id\}/.test(path)) statuses.add(403);
  if (body !== undefined) statuses.add(413);
  if (body !== undefined || query !== undefined || path.includes('{')) {
    // OpenAI's API does not use 422.
    statuses.add(path.startsWith('/v1/') ? 400 : 422);
  }
  if (!isPublic && (method === 'post' || method === 'delete')) statuses.add(429);
  statuses.add(500).add(503);
  if (status !== undefined) statuses.delete(status);
  return [...statuses].sort((one, other) => one - other);
}

const meaning: Readonly<Record<number, string>> = {
  400: 'Invalid request',
  401: 'Missing or invalid credentials',
  403: 'Not allowed',
  404: 'Not found, or not visible to the caller',
  409: 'Conflict with existing data',
  413: 'Too large',
  416: 'The requested range begins after the end of the file',
  415: 'Unsupported file type',
  422: 'Invalid fields',
  429: 'Too many requests; see Retry-After',
  500: 'Internal error',
  502: 'A provider failed',
  503: 'Temporarily unavailable, or not configured',
  504: 'Took too long',
};

function failuresOf(kind: string, schema: z.ZodType, components: Components) {
  const content = toContent({ 'application/json': schema }, components);
  return Object.fromEntries(
    Object.entries(meaning).map(([code, about]) => [`${kind}Failure${code}`, { description: about, content }]),
  );
}

function toContent(content: Content, components: Components): Record<string, { readonly schema?: JsonSchema }> {
  return Object.fromEntries(
    Object.entries(content).map(([type, schema]) => [type, { schema: toSchema(schema, components) }]),
  );
}

function toSchema(schema: z.ZodType | string, components: Components): JsonSchema {
  return typeof schema === 'string' ? { type: 'string', description: schema } : toJsonSchema(schema, components);
}
