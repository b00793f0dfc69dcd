import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { callTool } from '../../src/toolbox/call-tool.ts';
import { defineTool } from '../../src/toolbox/tool.ts';
import type { ToolContext } from '../../src/toolbox/tool-context.ts';

const find = defineTool({
  name: 'find',
  title: 'Find',
  description: 'Finds.',
  input: z.object({ filters: z.record(z.string(), z.unknown()).optional() }),
  output: z.object({ filters: z.unknown() }),
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  deadline: 1000,
  execute: async ({ filters }) => ({ text: 'found', structured: { filters } }),
});
const context = { signal: new AbortController().signal } as ToolContext;

describe('calling a tool', () => {
  it.each([
    ['parsed', JSON.parse('{"filters": {"__proto__": {"$eq": "x"}}}')],
    ['as a string within', { filters: '{"__proto__": {"$eq": "x"}}' }],
    ['whole as a string', '{"filters": {"__proto__": {"$eq": "x"}}}'],
  ])('refuses a field that the schema would drop silently (%s)', async (_, given) => {
    const outcome = await callTool({ id: '1', name: 'find', arguments: given }, [find], context);
    expect(outcome).toMatchObject({ isError: true, code: 'invalid_argument' });
  });

  it('reports an unexpected failure, of which the caller reads no details', async () => {
    const reported: unknown[] = [];
    const cause = new TypeError('a secret detail');
    const broken = { ...find, execute: () => Promise.reject(cause) };
    const outcome = await callTool({ id: '1', name: 'find', arguments: {} }, [broken], {
      ...context,
      report: (...problem) => reported.push(problem),
    });
    expect(outcome).toMatchObject({ isError: true, code: 'internal', text: expect.not.stringContaining('secret') });
    expect(reported).toEqual([['The tool find failed unexpectedly.', cause]]);
  });

  it('passes other filters on unchanged', async () => {
    const filters = { year: { $gt: 2020 } };
    const outcome = await callTool({ id: '1', name: 'find', arguments: { filters } }, [find], context);
    expect(outcome).toMatchObject({ isError: false, output: { structured: { filters } } });
  });

  it.each([
    ['to ask for less', {}, 'Next step: Ask for less at a time.'],
    ['what the tool says', { timeoutAdvice: 'Call again.' }, 'Next step: Call again.'],
  ])('advises after a call that took too long %s', async (_, more, advice) => {
    const endless = { ...find, ...more, deadline: 1, execute: () => new Promise<never>(() => {}) };
    const outcome = await callTool({ id: '1', name: 'find', arguments: {} }, [endless], context);
    expect(outcome).toMatchObject({ isError: true, code: 'timeout', text: expect.stringContaining(advice) });
  });
});
