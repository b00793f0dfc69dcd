import { newId, uuidFromName } from '../documents/ids.ts';
import { ServiceError } from '../errors.ts';
import type { PromptRecords, StoredPrompt } from '../store/prompt-records.ts';
import { type BuiltInTemplate, builtInNames, builtInTemplates, isBuiltIn } from './built-in-templates.ts';
import type { PromptTexts } from './prompt-texts.ts';
import { fillTemplate, placeholdersOf } from './template.ts';

/** A prompt as it holds now. */
export interface Prompt extends StoredPrompt {
  readonly isBuiltIn: boolean;
  /** Of a prompt of the program: it was changed. */
  readonly isChanged: boolean;
}

export interface NewPrompt {
  readonly name: string;
  readonly template: string;
  /** Absent means what the template names. */
  readonly inputTypes?: Readonly<Record<string, string>>;
}

/** All prompts, to read and to change, docs/contract.md 13. What is changed holds from the next use on. */
export interface PromptService extends PromptTexts {
  /** By name. */
  list(): readonly Prompt[];
  /** Throws `not_found`, like every method that names a prompt. */
  get(name: string): Prompt;
  /** Throws `conflict` when there is one of that name, `invalid_request` for placeholders that do not fit. */
  create(prompt: NewPrompt): Promise<Prompt>;
  update(name: string, change: Omit<Partial<NewPrompt>, 'name'>): Promise<Prompt>;
  /** Gives a prompt of the program its own words back, and takes any other away. */
  remove(name: string): Promise<void>;
}

/** Prompts are few and asked for with every answer, so they are kept at hand, from `load` on. */
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
      for (const prompt of await records.list()) kept.set(prompt.name, prompt);
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

/** Prompts of the program are as old as it is; when that was is nobody's question. */
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

/** Without them the prompt would lack what it is about; with others a model would read an empty name in braces. */
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
