import type { z } from 'zod';
import { exportRequest } from '../wire/export-request.ts';

/** Schemas by media type; a string describes content that is not JSON. */
export type Content = Readonly<Record<string, z.ZodType | string>>;

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** One operation of the interface. */
export interface Operation {
  readonly method: Method;
  /** Full path with its parameters in braces: `/v3/documents/{id}`. */
  readonly path: string;
  /** Unique operation id; generated clients use it as the method name. */
  readonly name: string;
  readonly summary: string;
  /** Longer description in Markdown. */
  readonly description?: string;
  /** Section of docs/contract.md; absent for additions of Citewell. */
  readonly section?: string;
  /** Required rights. `user` is anyone with credentials, or anyone at all when authentication is off. */
  readonly access: 'public' | 'user' | 'superuser';
  /** Path parameters that are not UUIDs. */
  readonly parts?: Readonly<Record<string, z.ZodType>>;
  /** The schema that validates the query. */
  readonly query?: z.ZodType;
  /** Request headers that are read. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The schema that validates the body, by media type. */
  readonly body?: Content;
  /** Whether the body may be omitted. */
  readonly isBodyOptional?: boolean;
  /** Example bodies by name. */
  readonly examples?: Readonly<Record<string, unknown>>;
  /** Success status; default 200. */
  readonly status?: number;
  readonly answer: Content;
  /** Response headers. */
  readonly answerHeaders?: Readonly<Record<string, string>>;
  /** Failure statuses in addition to those derived from the other members. */
  readonly failures?: readonly number[];
}

/** A group of operations, one section of the documentation page. */
export interface OperationGroup {
  readonly tag: string;
  readonly description: string;
  readonly operations: readonly Operation[];
}

type Draft = Omit<Operation, 'method' | 'path' | 'access'> & { readonly access?: Operation['access'] };

/** Creates an operation from e.g. `GET /v3/documents`; access is `user` by default. */
export function operation(route: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`, draft: Draft): Operation {
  const [method = '', path = ''] = route.split(' ');
  return { access: 'user', ...draft, method: method.toLowerCase() as Method, path };
}

/** Creates an `operation` function for one section of the contract. */
export const operationsOf =
  (shared: Required<Pick<Operation, 'section'>> & Pick<Draft, 'access'>): typeof operation =>
  (route, draft) =>
    operation(route, { ...shared, ...draft });

/** A JSON body or response. */
export const json = (schema: z.ZodType): Content => ({ 'application/json': schema });

/** An event stream whose events have this schema. */
export const events = (schema: z.ZodType): Content => ({ 'text/event-stream': schema });

/** A JSON response or an event stream, depending on the request. */
export const jsonOrEvents = (whole: z.ZodType, event: z.ZodType): Content => ({ ...json(whole), ...events(event) });

/** A CSV export of records. */
export const csvExport = (route: `POST /${string}`, draft: Pick<Draft, 'name' | 'summary' | 'access'>): Operation =>
  operation(route, {
    section: 'docs/contract.md 6.3',
    body: json(exportRequest),
    isBodyOptional: true,
    answer: { 'text/csv': 'Every field quoted, lines ended by CR LF.' },
    failures: [400],
    ...draft,
  });
