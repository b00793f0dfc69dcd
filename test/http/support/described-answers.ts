import { Ajv2020 } from 'ajv/dist/2020.js';
import { operationGroups } from '../../../src/http/openapi/operations.ts';
import { toOpenApi } from '../../../src/http/openapi/to-document.ts';
import type { Streamed } from './stream.ts';
import type { WatchedAnswer } from './watch-answers.ts';

export interface DescribedAnswers {
  /** How this response deviates from the OpenAPI description; undefined when it conforms. */
  problemOf(answer: WatchedAnswer): string | undefined;
  problemOfEvent(method: string, path: string, event: Streamed): string | undefined;
}

/** Validates responses against the OpenAPI description; unknown members are errors like missing ones. */
export function describedAnswers(): DescribedAnswers {
  const document = JSON.parse(JSON.stringify(toOpenApi({ groups: operationGroups, version: '0' })));
  const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false });
  ajv.addSchema(closed(document) as object, 'd');
  const paths = Object.keys(document.paths).map((path) => ({
    path,
    // Names of chat models contain slashes.
    pattern: new RegExp(`^${path.replace(/\{(\w+)\}/g, (_, name) => (name === 'model' ? '.+' : '[^/]+'))}/?$`),
  }));
  // A path without parameters precedes one with them.
  paths.sort((one, other) => one.path.split('{').length - other.path.split('{').length);

  const check = (pointer: string, value: unknown): string | undefined => {
    const validate = ajv.getSchema(`d#${pointer}`);
    if (validate === undefined) return 'is not described';
    if (validate(value)) return undefined;
    return ajv.errorsText(validate.errors, { dataVar: 'answer' }) + extras(validate.errors);
  };
  const pointerOf = (method: string, path: string, status: number): string | undefined => {
    const found = paths.find(
      ({ path: each, pattern }) => pattern.test(path) && document.paths[each][method] !== undefined,
    );
    const response = found && document.paths[found.path][method].responses[status];
    if (found === undefined || response === undefined) return undefined;
    if (response.$ref !== undefined) return response.$ref.slice(1);
    return `/paths/${escaped(found.path)}/${method}/responses/${status}`;
  };
  const problemIn = (value: unknown, { method, path, status, type }: Described): string | undefined => {
    const pointer = pointerOf(method, path, status);
    const problem =
      pointer === undefined ? 'is not described' : check(`${pointer}/content/${escaped(type)}/schema`, value);
    return problem && `${method} ${path} ${status}: ${problem}`;
  };
  return {
    problemOf: ({ method, path, status, body }) =>
      // Only faulty programs request these.
      status === 405 || pathIsUnknown(path)
        ? undefined
        : problemIn(body, { method, path, status, type: 'application/json' }),
    problemOfEvent: (method, path, event) =>
      problemIn({ event: event.name, data: event.data }, { method, path, status: 200, type: 'text/event-stream' }),
  };

  function pathIsUnknown(path: string): boolean {
    return !paths.some(({ pattern }) => pattern.test(path));
  }
}

/** A response of which the document describes the body. */
interface Described {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** Media type of the body. */
  readonly type: string;
}

const escaped = (text: string): string => encodeURIComponent(text.replaceAll('~', '~0').replaceAll('/', '~1'));

/** Makes object schemas reject unlisted members. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, member]) => [key, closed(member)] as const);
  const isOpen = 'additionalProperties' in value || !('properties' in value);
  return { ...Object.fromEntries(entries), ...(isOpen ? {} : { additionalProperties: false }) };
}

function extras(errors: readonly { readonly params: object }[] | null | undefined): string {
  const names = (errors ?? []).flatMap(({ params }) =>
    'additionalProperty' in params ? [String(params.additionalProperty)] : [],
  );
  return names.length === 0 ? '' : ` (${[...new Set(names)].join(', ')})`;
}
