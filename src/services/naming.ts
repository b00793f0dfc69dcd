import type { Config } from '../config.ts';
import { ServiceError } from '../errors.ts';
import type { ModelRegistry } from '../models/model.ts';

/** Runs something that depends on a setting; its failure names the setting. */
export function naming<T>(variable: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new ServiceError('invalid_field', `${variable}: ${error.message}`, { cause: error });
  }
}

/** A model that is named but cannot be had is refused at the start, by its variable, and not at the first question. */
export function requireModels({ quality, fast, reasoning, fallback }: Config['models'], models: ModelRegistry): void {
  const named = [
    ['CITEWELL_MODEL', quality, 'quality'],
    ['CITEWELL_FAST_MODEL', fast, 'fast'],
    ['CITEWELL_REASONING_MODEL', reasoning, 'reasoning'],
    ['CITEWELL_FALLBACK_MODEL', fallback, 'quality'],
  ] as const;
  for (const [variable, name, slot] of named) {
    if (name !== undefined) naming(variable, () => models.resolve(name, slot));
  }
}
