import { z } from 'zod';
import type { Prompt } from '../../prompts/prompt-service.ts';
import { placeholdersOf } from '../../prompts/template.ts';
import { parseJson } from '../read-request.ts';
import { id, timestamp } from './record-parts.ts';
import { optional, snakeCased } from './tolerant.ts';

/** docs/contract.md 13. */
const promptMembers = {
  id,
  name: z.string(),
  template: z.string(),
  input_types: z.record(z.string(), z.string()),
  created_at: timestamp,
  updated_at: timestamp,
  built_in: z.boolean(),
  changed: z.boolean(),
};

export const promptRecord = z.object(promptMembers).meta({ id: 'Prompt' }) satisfies z.ZodType<
  ReturnType<typeof toPromptRecord>
>;

export const filledPrompt = z
  .object({ ...promptMembers, message: z.string().describe('The template filled in with these inputs.') })
  .meta({ id: 'FilledPrompt' });

/** docs/contract.md 13. */
export function toPromptRecord({ id, name, template, inputTypes, createdAt, updatedAt, ...state }: Prompt) {
  return {
    id,
    name,
    template,
    input_types: inputTypes,
    created_at: createdAt,
    updated_at: updatedAt,
    built_in: state.isBuiltIn,
    changed: state.isChanged,
  };
}

const name = z.string().regex(/^[\w.-]{1,200}$/, 'A name consists of letters, digits, dots, hyphens and underscores.');
const template = z.string().min(1).max(100_000);
const inputTypes = z.record(z.string(), z.string());

export const newPrompt = snakeCased(z.object({ name, template, input_types: optional(inputTypes) }));

export const promptChange = snakeCased(z.object({ template: optional(template), input_types: optional(inputTypes) }));

const value = z.union([z.string(), z.number(), z.boolean()]).transform(String);

/** Values for a prompt, from the body or the query: by name, or a list of values or `name=value` pairs. */
export const promptUse = snakeCased(
  z.object({
    inputs: optional(
      z.preprocess(
        (given) => {
          if (typeof given !== 'string') return given;
          return /^\s*[[{]/.test(given) ? parseJson(given, ['query', 'inputs']) : [given];
        },
        z.union([z.record(z.string(), value), z.array(value)]),
      ),
    ),
    prompt_override: optional(template),
  }),
);

/** Values by placeholder. Unnamed values of a list are assigned by position. */
export function valuesFor(text: string, inputs: z.output<typeof promptUse>['inputs']): Record<string, string> {
  if (inputs === undefined) return {};
  if (!Array.isArray(inputs)) return inputs;
  const names = placeholdersOf(text);
  return Object.fromEntries(
    inputs.flatMap((input, index) => {
      const [key = '', ...rest] = input.split('=');
      if (rest.length > 0 && names.includes(key)) return [[key, rest.join('=')]];
      const next = names[index];
      return next === undefined ? [] : [[next, input]];
    }),
  );
}
