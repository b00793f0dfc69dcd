import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { SKILL } from '../../src/mcp/skill.ts';
import { startInProcess } from './support/in-process.ts';

const EXTENSION = 'io.modelcontextprotocol/skills';
const URI = 'skill://answer-with-checked-citations/SKILL.md';
const entry = z.object({
  uri: z.string(),
  frontmatter: z.object({ name: z.string(), description: z.string() }),
  resources: z.array(z.object({ uri: z.string(), digest: z.string(), size: z.number() })),
});

it.each(['legacy', 'modern'] as const)(
  'serves the skill with the skills extension and as a resource (%s)',
  async (era) => {
    const mcp = await startInProcess();
    const client = await mcp.connect(era);
    expect(client.getServerCapabilities()?.extensions).toHaveProperty([EXTENSION]);
    const listed = await client.request(
      { method: 'skills/list', params: {} },
      z.looseObject({ skills: z.array(entry) }),
    );
    const { contents } = await client.readResource({ uri: URI });
    const [file] = contents;
    const text = file && 'text' in file ? file.text : '';
    expect(text).toBe(SKILL);
    const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`;
    expect(listed.skills).toEqual([
      {
        uri: URI,
        frontmatter: { name: 'answer-with-checked-citations', description: expect.stringContaining('source') },
        resources: [{ uri: URI, digest, size: Buffer.byteLength(text) }],
      },
    ]);
    const got = await client.request({ method: 'skills/get', params: { uri: URI } }, z.looseObject({ skill: entry }));
    expect(got.skill).toEqual(listed.skills[0]);
    const missing = client.request({ method: 'skills/get', params: { uri: `${URI}x` } }, z.looseObject({}));
    await expect(missing).rejects.toThrow(/No skill/);
  },
);

it('names only tools, members and verdicts that exist', async () => {
  const mcp = await startInProcess();
  const client = await mcp.connect();
  const { tools } = await client.listTools();
  const words = JSON.stringify(tools);
  const named = [...SKILL.matchAll(/`([a-z_]+)`/g)].map(([, name = '']) => name);
  expect(named.length).toBeGreaterThan(6);
  expect(named.filter((name) => !words.includes(name))).toEqual([]);
});

it('is absent where a tool that it uses is absent', async () => {
  const mcp = await startInProcess({ options: { toolsets: ['retrieval'] } });
  const client = await mcp.connect();
  expect(client.getServerCapabilities()?.extensions ?? {}).not.toHaveProperty([EXTENSION]);
  expect((await client.listResources()).resources.map(({ uri }) => uri)).not.toContain(URI);
});
