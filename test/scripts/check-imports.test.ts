import { describe, expect, it } from 'vitest';
import { checkFile, checkLoading, findCycles } from '../../scripts/check-imports.ts';

const messages = (file: string, source: string) => checkFile(file, source).map(({ message }) => message);

describe('the import check', () => {
  it.each([
    ['a port may speak of documents', 'src/store/corpus.ts', "import type { Filter } from '../documents/filter.ts';"],
    ['an adapter imports its vendor', 'src/store/chroma/a.ts', "import { ChromaClient } from 'chromadb';"],
    ['a vendor of a component is open to folders below it', 'src/http/routes/a.ts', "import express from 'express';"],
    ['one component names adapters', 'src/adapters/a.ts', "import { a } from '../store/sql/a.ts';"],
    ['files of one component import each other', 'src/rag/a.ts', "import { b } from './b.ts';"],
    ['a comment imports nothing', 'src/documents/a.ts', "// import x from 'express';\n/* import('chromadb') */"],
    ['configuration reads the environment', 'src/config.ts', 'const env = process.env;'],
  ])('accepts that %s', (_, file, source) => {
    expect(messages(file, source)).toEqual([]);
  });

  it.each([
    ['upwards', 'src/store/corpus.ts', "import { app } from '../http/app.ts';", '"store" may not import "http"'],
    ['sideways', 'src/http/app.ts', "import { server } from '../mcp/server.ts';", '"http" may not import "mcp"'],
    ['an adapter', 'src/rag/a.ts', "export { x } from '../store/chroma/x.ts';", '"rag" may not import "store/chroma"'],
    ['an adapter later', 'src/rag/a.ts', "await import('../store/sql/x.ts');", '"rag" may not import "store/sql"'],
    [
      "another component's vendor",
      'src/rag/a.ts',
      "import OpenAI from 'openai';",
      'belongs to models/openai, embeddings',
    ],
    ['a part of it', 'src/rag/a.ts', "import x from '@anthropic-ai/sdk/x';", 'belongs to models/anthropic'],
    ['SQLite', 'src/http/a.ts', "import { DatabaseSync } from 'node:sqlite';", 'belongs to store/sql'],
    ['an unknown package', 'src/rag/a.ts', "import x from 'left-pad';", '"left-pad", which has no component yet'],
    ['the environment', 'src/cli/a.ts', 'const key = process.env["KEY"];', 'only src/config.ts may'],
  ])('refuses an import of %s', (_, file, source, expected) => {
    expect(messages(file, source)).toEqual([expect.stringContaining(expected)]);
  });

  it('names file and line, also for an import over several lines', () => {
    const source = "import {\n  a,\n  b,\n} from '../documents/x.ts';\nimport {\n  c,\n} from 'express';\n";
    expect(checkFile('src/rag/a.ts', source)).toMatchObject([{ file: 'src/rag/a.ts', line: 7 }]);
  });

  it('follows what the composition root loads to an adapter or to input and output, types and later loading apart', () => {
    const root = "import { a } from '../rag/a.ts';\nimport type { B } from '../store/sql/b.ts';\n";
    const files = (a: string) =>
      new Map([
        ['src/compose/compose.ts', root],
        ['src/rag/a.ts', a],
        ['src/models/registry.ts', "import OpenAI from 'openai';"],
      ]);
    const load = "import type { B } from '../store/sql/b.ts';\nawait import('../models/registry.ts');";
    expect(checkLoading(files(load))).toEqual([]);
    expect(checkLoading(files("import { type B, c } from '../store/sql/b.ts';"))).toMatchObject([
      { file: 'src/rag/a.ts', line: 1, message: expect.stringContaining('by src/compose/compose.ts') },
    ]);
    expect(checkLoading(files("import { x } from '../models/registry.ts';"))).toMatchObject([
      { file: 'src/models/registry.ts', message: expect.stringContaining('load openai') },
    ]);
    expect(checkLoading(files("import { readFile } from 'node:fs/promises';"))).toHaveLength(1);
  });

  it('follows what a database thread loads at its start', () => {
    const worker = 'src/store/sql/sqlite/sqlite-worker.ts';
    const files = (own: string) =>
      new Map([
        [worker, "import { a } from '../search/a.ts';"],
        ['src/store/sql/search/a.ts', own],
      ]);
    expect(checkLoading(files("import type { Kysely } from 'kysely';\nawait import('kysely');"))).toEqual([]);
    expect(checkLoading(files("import { sql } from 'kysely';"))).toMatchObject([
      { file: 'src/store/sql/search/a.ts', line: 1, message: expect.stringContaining(`makes ${worker} load kysely`) },
    ]);
  });

  it('requires an entry for an unknown component', () => {
    expect(messages('src/helpers/a.ts', '')).toEqual([expect.stringContaining('belongs to no component')]);
  });
});

describe('import cycles', () => {
  const cyclesOf = (files: Readonly<Record<string, string>>) => findCycles(new Map(Object.entries(files)));

  it('are refused within a component, naming every file of the group once', () => {
    const files = {
      'src/rag/start.ts': "import { a } from './a.ts';",
      'src/rag/a.ts': "import { b } from './deep/b.ts';",
      'src/rag/deep/b.ts': "export { c } from '../c.ts';\nimport { a } from '../a.ts';",
      'src/rag/c.ts': '',
    };
    expect(cyclesOf(files)).toEqual([
      {
        file: 'src/rag/a.ts',
        line: 1,
        message: 'is in an import cycle of 2 files: src/rag/a.ts, src/rag/deep/b.ts',
      },
    ]);
  });

  it.each([
    ['imports on first use', "const load = () => import('./a.ts');"],
    ['imports for the effect', "import './a.ts';"],
    ['values beside types', "import { type A, a } from './a.ts';"],
    ['a file that imports itself', "import { b } from './b.ts';"],
  ])('count %s', (_, source) => {
    expect(cyclesOf({ 'src/rag/a.ts': "import { b } from './b.ts';", 'src/rag/b.ts': source })).toHaveLength(1);
  });

  it.each([
    ['types', "import type { A } from './a.ts';"],
    ['types over several lines', "import type {\n  A,\n} from './a.ts';"],
    ['comments', "// import { a } from './a.ts';"],
  ])('do not count %s', (_, source) => {
    expect(cyclesOf({ 'src/rag/a.ts': "import { b } from './b.ts';", 'src/rag/b.ts': source })).toEqual([]);
  });
});
