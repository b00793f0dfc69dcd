import { describe, expect, it, onTestFinished } from 'vitest';
import {
  brokenVariants,
  isSurvived,
  isWhole,
  playCalls,
  startWireProviders,
  type ToolCallRow,
  wireCalls,
} from '../support/play-tool-calls.ts';
import { openTestStore } from '../support/store.ts';

const ask = (content: string) => [{ role: 'user', content }];
const object = (properties: ToolCallRow['tools'][number]['inputSchema'], required: readonly string[]) => ({
  type: 'object',
  properties,
  required,
});

/** Tool calls of the kinds that are often corrupted between provider and tool. */
const rows: readonly ToolCallRow[] = [
  {
    id: 'one call, numbers and a default that is not filled in',
    messages: ask('How far is it by bike?'),
    tools: [
      {
        name: 'distance',
        description: 'Distance between two places.',
        inputSchema: object(
          { from: { type: 'string' }, to: { type: 'string' }, unit: { type: 'string', default: 'km' } },
          ['from', 'to'],
        ),
      },
    ],
    calls: [{ name: 'distance', arguments: { from: 'Bergen', to: 'Oslo' } }],
  },
  {
    id: 'calls side by side, two of them the same',
    messages: ask('Roll three dice.'),
    tools: [
      { name: 'roll_die', description: 'Rolls a die.', inputSchema: object({ sides: { type: 'integer' } }, ['sides']) },
    ],
    calls: [
      { name: 'roll_die', arguments: { sides: 6 } },
      { name: 'roll_die', arguments: { sides: 6 } },
      { name: 'roll_die', arguments: { sides: 20 } },
    ],
  },
  {
    id: 'several tools, names of ours with another meaning',
    messages: ask('Look both up.'),
    tools: [
      {
        name: 'find',
        description: 'Finds.',
        inputSchema: object({ id: { type: 'string' }, k: { type: 'number' } }, ['id']),
      },
      {
        name: 'query',
        description: 'Asks.',
        inputSchema: object({ query: { type: 'string' }, q: { type: 'string' }, top_k: { type: 'integer' } }, ['q']),
      },
    ],
    calls: [
      { name: 'query', arguments: { q: 'a', top_k: 3, limit: 'not in the schema' } },
      { name: 'find', arguments: { id: '7', k: 1.5e-7 } },
    ],
  },
  {
    id: 'deep arguments in many scripts',
    messages: ask('注文してください。'),
    tools: [
      {
        name: 'order',
        description: 'Takes an order.',
        inputSchema: object(
          {
            items: {
              type: 'array',
              items: object({ name: { type: 'string' }, sizes: { type: 'array', items: { type: 'number' } } }, [
                'name',
              ]),
            },
            address: object({ street: { type: 'string' }, floor: { type: 'integer' } }, ['street']),
            note: { type: 'string' },
            gift: { type: 'boolean' },
          },
          ['items', 'address'],
        ),
      },
    ],
    calls: [
      {
        name: 'order',
        arguments: {
          items: [{ name: '茶 “緑”', sizes: [0, -1.25, 1e21] }, { name: '' }],
          address: { street: 'Rue de l’Église 3\n"hinten"', floor: -1 },
          note: '{"looks": "like JSON"}\u2028😀\\',
          gift: false,
        },
      },
    ],
  },
  {
    id: 'words in a schema that no checker knows',
    messages: ask('Plot it.'),
    tools: [
      {
        name: 'plot',
        description: 'Plots.',
        inputSchema: {
          type: 'object',
          properties: {
            points: { type: 'tuple' },
            scale: { type: 'float' },
            style: { type: 'string', enum: ['line', 'bar'] },
          },
          required: ['style', 'scale'],
        },
      },
    ],
    calls: [{ name: 'plot', arguments: { points: [[1, 2]], scale: 2, style: 'bar' } }],
  },
];

async function openWires() {
  const providers = await startWireProviders();
  onTestFinished(async () => {
    await Promise.all(providers.map(({ server }) => server.close()));
  });
  return providers;
}

describe('calls of a model', () => {
  it.each(rows)('reach their tools unchanged, in every wire format: $id', async (row) => {
    const store = await openTestStore();
    for (const provider of await openWires()) {
      const played = await playCalls(store, provider, row, wireCalls(row));
      expect(played.reached, provider.name).toEqual(row.calls);
      expect(isWhole(row, played)).toBe(true);
    }
  });

  it.each(rows)('become error results when they are invalid, and the run goes on: $id', async (row) => {
    const store = await openTestStore();
    for (const provider of await openWires()) {
      for (const { code, call, why } of brokenVariants(row)) {
        // A member without a type accepts any value.
        if (why === 'wrong type' && row.tools[0]?.name === 'plot') continue;
        const played = await playCalls(store, provider, row, [call]);
        expect(isSurvived(code, played), `${why} at ${provider.name}`).toBe(true);
      }
    }
  });
});
