import { describe, expect, it } from 'vitest';
import { builtInNames, builtInTemplates } from '../../src/prompts/built-in-templates.ts';
import { createPromptService } from '../../src/prompts/prompt-service.ts';
import { builtInPrompts } from '../../src/prompts/prompt-texts.ts';
import { fillTemplate, placeholdersOf } from '../../src/prompts/template.ts';
import { createPrompts } from '../../src/store/sql/sql-prompts.ts';

import { describeEngines } from '../support/engines.ts';

describeEngines('Prompts', ({ openTestStore }) => {
  const openService = async () => {
    const store = await openTestStore();
    const records = createPrompts(store.sqlite);
    return { prompts: createPromptService(records), records };
  };

  describe('a template', () => {
    it('is filled in one pass, so that a value that looks like a placeholder is kept', () => {
      expect(fillTemplate('{a} and {b}', { a: '{b}', b: '$&' })).toBe('{b} and $&');
    });

    it('keeps braces that contain no name', () => {
      const template = 'Reply with {"verdict": 1} or {} for {query}.';
      expect(placeholdersOf(template)).toEqual(['query']);
      expect(fillTemplate(template, { query: 'x' })).toBe('Reply with {"verdict": 1} or {} for x.');
    });
  });

  it('has exactly the placeholders that are filled, in every built-in version', () => {
    for (const name of builtInNames) {
      const { template, inputs, required } = builtInTemplates[name];
      expect(placeholdersOf(template).sort()).toEqual(Object.keys(inputs).sort());
      for (const each of required) expect(inputs).toHaveProperty(each);
    }
  });

  describe('the prompt service', () => {
    it('returns the built-in prompt until it is changed, and again after the change is reverted', async () => {
      const { prompts } = await openService();
      expect(prompts.fill('system')).toBe(builtInPrompts.fill('system'));
      await prompts.update('rag', { template: 'Q: {query}\nC: {context}' });
      expect(prompts.fill('rag', { query: 'q', context: 'c' })).toBe('Q: q\nC: c');
      expect(prompts.get('rag')).toMatchObject({ isBuiltIn: true, isChanged: true });
      await prompts.remove('rag');
      expect(prompts.fill('rag', { query: 'q', context: 'c' })).toBe('Passages:\n\nc\n\nQuestion: q');
      await expect(prompts.remove('rag')).rejects.toMatchObject({ code: 'invalid_request' });
    });

    it('stores a change permanently', async () => {
      const { prompts, records } = await openService();
      await prompts.update('hyde', { template: 'Write {num_outputs} passages.' });
      const again = createPromptService(records);
      await again.load();
      expect(again.fill('hyde', { num_outputs: '3' })).toBe('Write 3 passages.');
    });

    it('refuses a change with a missing or an unknown placeholder', async () => {
      const { prompts } = await openService();
      await expect(prompts.update('rag', { template: 'Only {query}' })).rejects.toThrow('needs {context}');
      await expect(prompts.update('system', { template: 'Be {mood}.' })).rejects.toThrow(
        'Nothing is put in for {mood}',
      );
      await expect(prompts.update('none', { template: 'x' })).rejects.toMatchObject({ code: 'not_found' });
    });

    it('stores user-defined prompts with declared placeholders', async () => {
      const { prompts } = await openService();
      const made = await prompts.create({ name: 'greeting', template: 'Hello {name}' });
      expect(made).toMatchObject({ inputTypes: { name: 'str' }, isBuiltIn: false });
      await expect(prompts.create({ name: 'greeting', template: 'x' })).rejects.toMatchObject({ code: 'conflict' });
      const undeclared = { name: 'other', template: '{a}', inputTypes: { b: 'str' } };
      await expect(prompts.create(undeclared)).rejects.toThrow('uses {a}');
      expect(prompts.list().map(({ name }) => name)).toEqual([...builtInNames, 'greeting'].sort());
      await prompts.remove('greeting');
      expect(() => prompts.get('greeting')).toThrow('no prompt named "greeting"');
    });
  });
});
