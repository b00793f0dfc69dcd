import { newId, uuidFromName } from '../documents/ids.ts';
import { ServiceError } from '../errors.ts';
import type { PromptRecords, StoredPrompt } from '../store/prompt-records.ts';
import { type BuiltInTemplate, builtInNames, builtInTemplates, isBuiltIn } from './built-in-templates.ts';
import type { PromptTexts } from './prompt-texts.ts';
import { fillTemplate, placeholdersOf } from './template.ts';

/** A prompt with its current text. */
export interface Prompt extends StoredPrompt {
  readonly isBuiltIn: boolean;
  /** Whether a built-in prompt was changed. */
  readonly isChanged: boolean;
}

export interface NewPrompt {
  readonly name: string;
  readonly template: string;
  /** Defaults to the placeholders of the template. */
  readonly inputTypes?: Readonly<Record<string, string>>;
}

/** Reads and changes prompts, docs/contract.md 13. Changes take effect at the next use. */
export interface PromptService extends PromptTexts {
  /** Sorted by name. */
  list(): readonly Prompt[];
  /** Throws `not_found`, like every method that takes a name. */
  get(name: string): Prompt;
  /** Throws `conflict` when the name exists and `invalid_request` for invalid placeholders. */
  create(prompt: NewPrompt): Promise<Prompt>;
  update(name: string, change: Omit<Partial<NewPrompt>, 'name'>): Promise<Prompt>;
  /** Resets a built-in prompt; deletes any other. */
  remove(name: string): Promise<void>;
}

/** Creates the service. `load` reads all prompts into memory, because every answer uses them. */
export function createPromptService(records: PromptRecords): PromptService & { load(): Promise<void> } {
  const kept = new Map<string, StoredPrompt>();

  const find = (name: string): Prompt | undefined => {
    const stored = kept.get(name);
    if (isBuiltIn(name)) return { ...(stored ?? ownPrompt(name)), isBuiltIn: true, isChanged: stored !== undefined };
    return stored && { ...stored, isBuiltIn: false, isChanged: false };
  };
  const get = (name: string): Prompt => {
    const prompt = find(name);
    if (prompt !== undefined) return prompt;
    throw new ServiceError('not_found', `There is no prompt named "${name}".`);
  };
  const put = async (prompt: Pick<StoredPrompt, 'id' | 'name' | 'template' | 'inputTypes'>): Promise<Prompt> => {
    kept.set(prompt.name, await records.put(prompt));
    return get(prompt.name);
  };

  return {
    async load() {
      const stored = await records.list();
      kept.clear();
      for (const prompt of stored) kept.set(prompt.name, prompt);
    },

    fill: (name, values = {}) => fillTemplate(kept.get(name)?.template ?? builtInTemplates[name].template, values),

    list: () => [...new Set([...builtInNames, ...kept.keys()])].sort().map(get),
    get,

    async create({ name, template, inputTypes }) {
      if (find(name) !== undefined) {
        throw new ServiceError('conflict', `There is a prompt named "${name}" already; change it instead.`);
      }
      return put({ id: newId(), name, template, inputTypes: checkOwn(name, template, inputTypes) });
    },

    async update(name, change) {
      const { id, ...old } = get(name);
      const template = change.template ?? old.template;
      const inputTypes = isBuiltIn(name)
        ? checkBuiltIn(name, template, builtInTemplates[name])
        : checkOwn(name, template, change.inputTypes ?? old.inputTypes);
      return put({ id, name, template, inputTypes });
    },

    async remove(name) {
      get(name);
      if (isBuiltIn(name) && !kept.has(name)) {
        throw new ServiceError('invalid_request', `The prompt "${name}" is the program's own and can not be deleted.`);
      }
      await records.remove(name);
      kept.delete(name);
    },
  };
}

/** Creation time reported for built-in prompts. */
const EPOCH = new Date(0).toISOString();

function ownPrompt(name: keyof typeof builtInTemplates): StoredPrompt {
  const { template, inputs } = builtInTemplates[name];
  return {
    id: uuidFromName(`prompt ${name}`),
    name,
    template,
    inputTypes: inputs,
    createdAt: EPOCH,
    updatedAt: EPOCH,
  };
}

/** Checks placeholders: required ones must be present and unknown ones would stay unfilled. */
function checkBuiltIn(name: string, template: string, { inputs, required }: BuiltInTemplate) {
  const used = placeholdersOf(template);
  const missing = required.filter((each) => !used.includes(each));
  if (missing.length > 0) {
    throw new ServiceError('invalid_request', `The prompt "${name}" needs ${inBraces(missing)}; put it in.`);
  }
  const unknown = used.filter((each) => !(each in inputs));
  if (unknown.length === 0) return inputs;
  const known = Object.keys(inputs);
  throw new ServiceError(
    'invalid_request',
    `Nothing is put in for ${inBraces(unknown)} in the prompt "${name}"; ` +
      (known.length === 0 ? 'it has no placeholders.' : `its placeholders are ${inBraces(known)}.`),
  );
}

function checkOwn(name: string, template: string, inputTypes: NewPrompt['inputTypes']) {
  const used = placeholdersOf(template);
  if (inputTypes === undefined) return Object.fromEntries(used.map((each) => [each, 'str']));
  const unknown = used.filter((each) => !Object.hasOwn(inputTypes, each));
  if (unknown.length === 0) return inputTypes;
  throw new ServiceError(
    'invalid_request',
    `The prompt "${name}" uses ${inBraces(unknown)}, which input_types does not name; add it there.`,
  );
}

const inBraces = (names: readonly string[]): string => names.map((name) => `{${name}}`).join(', ');
