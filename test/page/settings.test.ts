import { describe, expect, it } from 'vitest';
import { assistantsOf, KEY_PLACE } from '../../src/page/app/views/settings/assistants.ts';
import { findingsOf, type SystemStatus } from '../../src/page/app/views/settings/findings.ts';

const calm: SystemStatus['citewell'] = {
  version: '1',
  model: 'm',
  embedder: 'e',
  data: '/data',
  index: { kind: 'embedded', state: 'ready' },
  hints: [],
  pending_index_writes: 0,
  documents: { success: 3, failed: 0 },
  chunks: 9,
  collections: 1,
  ingestion: { queued: 0, retrying: 0, running: 0 },
};
const levels = (change: Partial<SystemStatus['citewell']>) =>
  findingsOf({ uptime_seconds: 1, memory_usage: 1, citewell: { ...calm, ...change } }).map(({ level }) => level);

describe('the findings', () => {
  it('are empty for a healthy service', () => {
    expect(levels({})).toEqual([]);
  });

  it('separate errors from transient states, worst first', () => {
    expect(
      levels({
        index: { kind: 'remote', state: 'unavailable' },
        documents: { failed: 2 },
        ingestion: { queued: 5, retrying: 1, running: 1 },
        graph: { waiting: 1, failed: 1 },
        hints: ['Set a key.'],
      }),
    ).toEqual(['wrong', 'warning', 'warning', 'warning', 'busy', 'busy', 'hint']);
  });
});

describe('the configuration snippets for assistants', () => {
  it('contain the address of this server', () => {
    for (const { name, text } of assistantsOf({ origin: 'http://box:7272', needsKey: false })) {
      expect([name, text.includes('http://box:7272')]).toEqual([name, true]);
      expect([name, text.includes(KEY_PLACE)]).toEqual([name, false]);
    }
  });

  it('contain a placeholder for a required key, and are valid JSON', () => {
    const assistants = assistantsOf({ origin: 'http://box:7272', needsKey: true });
    const cursor = assistants.find(({ name }) => name === 'Cursor');
    expect(JSON.parse(cursor?.text ?? '')).toEqual({
      mcpServers: { citewell: { url: 'http://box:7272/mcp', headers: { Authorization: `Bearer ${KEY_PLACE}` } } },
    });
    expect(assistants.find(({ name }) => name === 'Claude Code')?.text).toBe(
      `claude mcp add --transport http citewell http://box:7272/mcp --header "Authorization: Bearer ${KEY_PLACE}"`,
    );
  });
});
