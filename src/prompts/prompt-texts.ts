import { type BuiltInPrompt, builtInTemplates } from './built-in-templates.ts';
import { fillTemplate } from './template.ts';

/** The words models are asked with. What is asked for is the text that holds now, which a superuser may have changed. */
export interface PromptTexts {
  fill(name: BuiltInPrompt, values?: Readonly<Record<string, string>>): string;
}

/** As the program brings them. */
export const builtInPrompts: PromptTexts = {
  fill: (name, values = {}) => fillTemplate(builtInTemplates[name].template, values),
};
