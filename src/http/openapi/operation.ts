import type { z } from 'zod';

/** By media type. A string stands for the description of something that is not JSON. */
export type Content = Readonly<Record<string, z.ZodType | string>>;

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** One thing that can be asked of the service, in the words of its description. */
export interface Operation {
  readonly method: Method;
  /** Whole, its variable parts in braces: `/v3/documents/{id}`. */
  readonly path: string;
  /** Unique; what generated clients call it. */
  readonly name: string;
  readonly summary: string;
  /** More than the summary says; Markdown. */
  readonly description?: string;
  /** Which part of the contract it keeps; absent for what is ours. */
  readonly section?: string;
  /** Who may ask. `user` is whoever has credentials, or anybody where none are required. */
  readonly access: 'public' | 'user' | 'superuser';
  /** Variable parts of the path that are no UUID. */
  readonly parts?: Readonly<Record<string, z.ZodType>>;
  /** The very schema that reads the query. */
  readonly query?: z.ZodType;
  /** Headers that are read. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The very schema that reads the body, once for each media type. */
  readonly body?: Content;
  /** Whether the body may be left out. */
  readonly isBodyOptional?: boolean;
  /** Bodies worth showing, by name. */
  readonly examples?: Readonly<Record<string, unknown>>;
  /** Status of success; 200 unless told. */
  readonly status?: number;
  readonly answer: Content;
  /** Headers of the answer. */
  readonly answerHeaders?: Readonly<Record<string, string>>;
  /** Statuses of failure besides those that follow from the rest. */
  readonly failures?: readonly number[];
}

/** Operations of one kind, as the page of the documentation shows them. */
export interface OperationGroup {
  readonly tag: string;
  readonly description: string;
  readonly operations: readonly Operation[];
}

type Draft = Omit<Operation, 'method' | 'path' | 'access'> & { readonly access?: Operation['access'] };

/** An operation from `GET /v3/documents` and the rest; for users unless told. */
export function operation(route: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`, draft: Draft): Operation {
  const [method = '', path = ''] = route.split(' ');
  return { access: 'user', ...draft, method: method.toLowerCase() as Method, path };
}

/** A JSON body or answer. */
export const json = (schema: z.ZodType): Content => ({ 'application/json': schema });

/** A stream of events, whose union this is. */
export const events = (schema: z.ZodType): Content => ({ 'text/event-stream': schema });

/** Either of them, as the request asks. */
export const jsonOrEvents = (whole: z.ZodType, event: z.ZodType): Content => ({ ...json(whole), ...events(event) });

export const csv: Content = { 'text/csv': 'Every field quoted, lines ended by CR LF.' };
