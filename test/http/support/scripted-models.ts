import { ServiceError } from '../../../src/errors.ts';
import type { ModelEvent, ModelRegistry, ModelRequest } from '../../../src/models/model.ts';

export interface ScriptedModels extends ModelRegistry {
  readonly asked: readonly ModelRequest[];
}

/** A registry with one model, `openai/gpt-test`, with this script; every other name is unknown. */
export function scriptedModels(says: (request: ModelRequest) => AsyncIterable<ModelEvent>): ScriptedModels {
  const asked: ModelRequest[] = [];
  return {
    asked,
    defaultName: () => 'openai/gpt-test',
    resolve(name = 'openai/gpt-test') {
      if (name !== 'openai/gpt-test') throw new ServiceError('unknown_model', `No model is named "${name}".`);
      return {
        name,
        stream(request) {
          asked.push(request);
          return says(request);
        },
      };
    },
  };
}

/** A reply consisting of these texts. */
export async function* saying(...texts: readonly string[]): AsyncGenerator<ModelEvent, void> {
  for (const text of texts) yield { type: 'text', text };
  const usage = { input: 3, cachedInput: 0, output: 2, reasoning: 0 };
  yield { type: 'stop', reason: 'end', usage, model: 'openai/gpt-test' };
}
