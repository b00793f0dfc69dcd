import { ServiceError } from '../errors.ts';
import type { Library, ToolContext } from './tool-context.ts';

/** The library as it could be seen at a time, or as it is. Throws where only the present can be read. */
export function libraryAt(library: Library, asOf: string | undefined): Library {
  if (asOf === undefined) return library;
  if (library.at !== undefined) return library.at(asOf);
  throw new ServiceError('invalid_request', 'Earlier versions of documents cannot be read here; leave as_of out.');
}

/** The context of a call that asks about a time: what it reads and searches is of then. */
export function contextAt(context: ToolContext, asOf: string | undefined): ToolContext {
  if (asOf === undefined) return context;
  return { ...context, library: libraryAt(context.library, asOf), settings: { ...context.settings, asOf } };
}
