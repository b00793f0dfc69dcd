import { describe, expect, it } from 'vitest';
import { builtInNames, builtInTemplates } from '../../src/prompts/built-in-templates.ts';
import { createPromptService } from '../../src/prompts/prompt-service.ts';
import { builtInPrompts } from '../../src/prompts/prompt-texts.ts';
import { fillTemplate, placeholdersOf } from '../../src/prompts/template.ts';
import { createPrompts } from '../../src/store/sql/sql-prompts.ts';
import { openTestStore } from '../support/store.ts';

const openService = async () => {
  const store = await openTestStore();
  const records = createPrompts(store.sqlite);
  return { prompts: createPromptService(records), records };
};

describe('a template', () => {
  it('takes values in one pass, so that a value which looks like a placeholder stays as it is', () => {
    expect(fillTemplate('{a} and {b}', { a: '{b}', b: '$&' })).toBe('{b} and $&');
  });

  it('leaves braces alone that hold no name', () => {
    const template = 'Reply with {"verdict": 1} or {} for {query}.';
    expect(placeholdersOf(template)).toEqual(['query']);
    expect(fillTemplate(template, { query: 'x' })).toBe('Reply with {"verdict": 1} or {} for x.');
  });
});

it('names in every built-in template exactly the placeholders that are filled', () => {
  for (const name of builtInNames) {
    const { template, inputs, required } = builtInTemplates[name];
    expect(placeholdersOf(template).sort()).toEqual(Object.keys(inputs).sort());
    for (const each of required) expect(inputs).toHaveProperty(each);
  }
});

describe('the prompt service', () => {
  it('gives the built-in words until they are changed, and again once the change is taken back', async () => {
    const { prompts } = await openService();
    expect(prompts.fill('system')).toBe(builtInPrompts.fill('system'));
    await prompts.update('rag', { template: 'Q: {query}\nC: {context}' });
    expect(prompts.fill('rag', { query: 'q', context: 'c' })).toBe('Q: q\nC: c');
    expect(prompts.get('rag')).toMatchObject({ isBuiltIn: true, isChanged: true });
    await prompts.remove('rag');
    expect(prompts.fill('rag', { query: 'q', context: 'c' })).toBe('Passages:\n\nc\n\nQuestion: q');
    await expect(prompts.remove('rag')).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('remembers a change beyond the process', async () => {
    const { prompts, records } = await openService();
    await prompts.update('hyde', { template: 'Write {num_outputs} passages.' });
    const again = createPromptService(records);
    await again.load();
    expect(again.fill('hyde', { num_outputs: '3' })).toBe('Write 3 passages.');
  });

  it('refuses a change that leaves out what the prompt is about, or names what nothing is put in for', async () => {
    const { prompts } = await openService();
    await expect(prompts.update('rag', { template: 'Only {query}' })).rejects.toThrow('needs {context}');
    await expect(prompts.update('system', { template: 'Be {mood}.' })).rejects.toThrow('Nothing is put in for {mood}');
    await expect(prompts.update('none', { template: 'x' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('keeps prompts of others, whose placeholders have to be named', async () => {
    const { prompts } = await openService();
    const made = await prompts.create({ name: 'greeting', template: 'Hello {name}' });
    expect(made).toMatchObject({ inputTypes: { name: 'str' }, isBuiltIn: false });
    await expect(prompts.create({ name: 'greeting', template: 'x' })).rejects.toMatchObject({ code: 'conflict' });
    const stray = { name: 'other', template: '{a}', inputTypes: { b: 'str' } };
    await expect(prompts.create(stray)).rejects.toThrow('uses {a}');
    expect(prompts.list().map(({ name }) => name)).toEqual([...builtInNames, 'greeting'].sort());
    await prompts.remove('greeting');
    expect(() => prompts.get('greeting')).toThrow('no prompt named "greeting"');
  });
});
