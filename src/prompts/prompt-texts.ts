import { type BuiltInPrompt, builtInTemplates } from './built-in-templates.ts';
import { fillTemplate } from './template.ts';

/** Current texts of the prompts; a superuser may change them. */
export interface PromptTexts {
  fill(name: BuiltInPrompt, values?: Readonly<Record<string, string>>): string;
}

/** The built-in prompts without changes. */
export const builtInPrompts: PromptTexts = {
  fill: (name, values = {}) => fillTemplate(builtInTemplates[name].template, values),
};
