import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Tool } from '../../src/toolbox/tool.ts';
import * as index from '../../tools/index.ts';

const lists = Object.values(index).filter((list): list is typeof list & readonly Tool[] => typeof list[0] === 'object');
const tools: readonly Tool[] = lists.flat() as readonly Tool[];
const files = globSync('*/*.ts', { cwd: join(import.meta.dirname, '../../tools') }).map((path) =>
  basename(path, '.ts'),
);

interface Schema {
  readonly [key: string]: unknown;
}

const propertiesOf = (schema: Schema | null): [string, Schema][] =>
  Object.entries((schema?.['properties'] ?? {}) as Readonly<Record<string, Schema>>);

/** What some provider or client refuses or drops. */
function unportable(schema: Schema, path: string): string[] {
  const here = ['$ref', 'anyOf', 'oneOf', 'allOf', 'not', '$defs'].filter((word) => word in schema);
  if (Array.isArray(schema['type']) || schema['type'] === 'null') here.push('type');
  const inner = [...propertiesOf(schema), ...(isSchema(schema['items']) ? [['[]', schema['items']] as const] : [])];
  return [
    ...here.map((word) => `${path}: ${word}`),
    ...inner.flatMap(([name, member]) => unportable(member, `${path}.${name}`)),
  ];
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

describe('the tools', () => {
  it('have unique names', () => {
    expect(tools.length).toBeGreaterThanOrEqual(7);
    expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
  });

  it('cover the names of the specification', () => {
    const names = new Set(tools.map(({ name }) => name));
    const specified = [...index.ragToolNames, ...index.researchToolNames];
    const missing = specified.filter((name) => !names.has(name));
    expect(missing).toEqual([]);
  });

  describe.each(tools.map((tool) => [tool.name, tool] as const))('%s', (name, tool) => {
    it('has a name that clients accept, and a file of the same name', () => {
      expect(name).toMatch(/^[a-z][a-z0-9_]{0,40}$/);
      expect(files).toContain(name.replaceAll('_', '-'));
    });

    it('has a description within the limits of every client', () => {
      expect(tool.title).toMatch(/^[A-Z].{3,60}$/);
      expect(tool.description.length).toBeGreaterThan(60);
      expect(tool.description.length).toBeLessThan(2048);
      expect(tool.description).toMatch(/\.$/);
    });

    it('describes every argument', () => {
      for (const [argument, schema] of propertiesOf(tool.inputSchema)) {
        expect(schema['description'], argument).toMatch(/\S{2,}/);
        expect(argument).toMatch(/^[a-z][a-z0-9_]*$/);
      }
    });

    it('has schemas that every provider accepts', () => {
      expect(tool.inputSchema['type']).toBe('object');
      expect(unportable(tool.inputSchema, 'input')).toEqual([]);
      if (tool.outputSchema === null) return;
      expect(tool.outputSchema['type']).toBe('object');
      expect(unportable(tool.outputSchema, 'output')).toEqual([]);
    });

    it('states all hints, and has a deadline', () => {
      expect(Object.keys(tool.annotations).toSorted()).toEqual(['destructive', 'idempotent', 'openWorld', 'readOnly']);
      if (tool.annotations.readOnly) expect(tool.annotations.destructive).toBe(false);
      expect(tool.deadline).toBeGreaterThanOrEqual(1000);
    });
  });
});
