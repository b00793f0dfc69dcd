import { ServiceError } from '../errors.ts';
import type { Library, ToolContext } from './tool-context.ts';

/** The library as of a time, or unchanged without one. Throws when the store cannot read past versions. */
export function libraryAsOf(library: Library, asOf: string | undefined): Library {
  if (asOf === undefined) return library;
  if (library.at !== undefined) return library.at(asOf);
  throw new ServiceError('invalid_request', 'Earlier versions of documents cannot be read here; leave as_of out.');
}

/** A context whose reads and searches are as of a time. */
export function contextAsOf(context: ToolContext, asOf: string | undefined): ToolContext {
  if (asOf === undefined) return context;
  return { ...context, library: libraryAsOf(context.library, asOf), settings: { ...context.settings, asOf } };
}
