import { describe, expect, it } from 'vitest';
import { builtInNames, builtInTemplates } from '../../src/prompts/built-in-templates.ts';
import { openPromptBook } from '../../src/prompts/prompt-book.ts';
import { builtInPrompts } from '../../src/prompts/prompt-texts.ts';
import { fillTemplate, placeholdersOf } from '../../src/prompts/template.ts';
import { createPrompts } from '../../src/store/sql/sql-prompts.ts';
import { openTestStore } from '../support/store.ts';

const openBook = async () => {
  const store = await openTestStore();
  const records = createPrompts(store.sqlite);
  return { book: await openPromptBook(records), records };
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

describe('the book of prompts', () => {
  it('gives the built-in words until they are changed, and again once the change is taken back', async () => {
    const { book } = await openBook();
    expect(book.fill('system')).toBe(builtInPrompts.fill('system'));
    await book.update('rag', { template: 'Q: {query}\nC: {context}' });
    expect(book.fill('rag', { query: 'q', context: 'c' })).toBe('Q: q\nC: c');
    expect(book.get('rag')).toMatchObject({ isBuiltIn: true, isChanged: true });
    await book.remove('rag');
    expect(book.fill('rag', { query: 'q', context: 'c' })).toBe('Passages:\n\nc\n\nQuestion: q');
    await expect(book.remove('rag')).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('remembers a change beyond the process', async () => {
    const { book, records } = await openBook();
    await book.update('hyde', { template: 'Write {num_outputs} passages.' });
    const again = await openPromptBook(records);
    expect(again.fill('hyde', { num_outputs: '3' })).toBe('Write 3 passages.');
  });

  it('refuses a change that leaves out what the prompt is about, or names what nothing is put in for', async () => {
    const { book } = await openBook();
    await expect(book.update('rag', { template: 'Only {query}' })).rejects.toThrow('needs {context}');
    await expect(book.update('system', { template: 'Be {mood}.' })).rejects.toThrow('Nothing is put in for {mood}');
    await expect(book.update('none', { template: 'x' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('keeps prompts of others, whose placeholders have to be named', async () => {
    const { book } = await openBook();
    const made = await book.create({ name: 'greeting', template: 'Hello {name}' });
    expect(made).toMatchObject({ inputTypes: { name: 'str' }, isBuiltIn: false });
    await expect(book.create({ name: 'greeting', template: 'x' })).rejects.toMatchObject({ code: 'conflict' });
    const stray = { name: 'other', template: '{a}', inputTypes: { b: 'str' } };
    await expect(book.create(stray)).rejects.toThrow('uses {a}');
    expect(book.list().map(({ name }) => name)).toEqual([...builtInNames, 'greeting'].sort());
    await book.remove('greeting');
    expect(() => book.get('greeting')).toThrow('no prompt named "greeting"');
  });
});
