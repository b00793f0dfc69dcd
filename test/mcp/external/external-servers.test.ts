import { describe, expect, it } from 'vitest';
import { readExternalServers } from '../../../src/mcp/external-servers.ts';
import { createExternalTools } from '../../../src/mcp/external-tools.ts';

const variable = (inner: string) => `\${${inner}}`;

const read = (mcpServers: object, variables: Readonly<Record<string, string>> = {}) =>
  readExternalServers(JSON.stringify({ mcpServers }), variables);

describe('the list of other MCP servers', () => {
  it('is read in the format of hosts, with variables expanded', () => {
    const { servers, complaints } = read(
      {
        github: {
          command: 'npx',
          args: ['-y', 'server'],
          env: { TOKEN: variable('GITHUB_TOKEN'), REGION: variable('REGION:-eu') },
          tools: ['search', 'search'],
          alwaysAllow: ['of some other host'],
        },
        docs: { type: 'streamable-http', url: 'https://docs.test/mcp', headers: { a: 'b' }, tools: '*', deadline: 5 },
        wind: { serverUrl: 'https://wind.test/mcp', tools: ['*'] },
        off: { command: 'x', tools: '*', env: { KEY: variable('NOT_SET') }, disabled: true },
      },
      { GITHUB_TOKEN: 'secret' },
    );
    expect(complaints).toEqual([]);
    expect(servers).toEqual([
      {
        name: 'github',
        tools: ['search'],
        deadline: 30_000,
        transport: { kind: 'stdio', command: 'npx', args: ['-y', 'server'], env: { TOKEN: 'secret', REGION: 'eu' } },
      },
      {
        name: 'docs',
        tools: '*',
        deadline: 5_000,
        transport: { kind: 'http', url: new URL('https://docs.test/mcp'), headers: { a: 'b' } },
      },
      {
        name: 'wind',
        tools: '*',
        deadline: 30_000,
        transport: { kind: 'http', url: new URL('https://wind.test/mcp'), headers: {} },
      },
    ]);
  });

  it('may have resources and no tools', () => {
    const wiki = { url: 'https://wiki.test/mcp', resources: true };
    const { servers, complaints } = read({ wiki, github: { command: 'npx', tools: ['search'], resources: true } });
    expect(complaints).toEqual([]);
    expect(servers).toMatchObject([
      { name: 'wiki', tools: [], resources: true },
      { name: 'github', tools: ['search'], resources: true },
    ]);
    const log = { info: () => {}, warn: () => {} };
    const [first] = servers;
    const tools = createExternalTools({ servers: first === undefined ? [] : [first], version: '1.0.0', log });
    expect([tools.names, tools.problems()]).toEqual([[], []]);
  });

  it.each<[string, object, string]>([
    ['no tools', { command: 'x' }, 'tools: list the tools that the agent may use'],
    ['neither command nor address', { tools: '*' }, 'expected either a command or a url'],
    ['both', { command: 'x', url: 'https://x.test', tools: '*' }, 'expected either a command or a url'],
    ['the transport of old', { type: 'sse', url: 'https://x.test', tools: '*' }, 'the older SSE is not supported'],
    ['an address that is none', { url: 'x.test/mcp', tools: '*' }, 'url: expected an http or https address'],
    ['a key in the address', { url: 'https://a:s3cret@x.test/', tools: '*' }, 'put credentials into headers'],
    ['a variable that is not set', { command: 'x', env: { A: variable('NOT_SET') }, tools: '*' }, 'NOT_SET is not set'],
    ['a deadline that is too long', { command: 'x', tools: '*', deadline: 6_000 }, 'deadline'],
  ])('is refused with %s, and no value is repeated', (_, server, complaint) => {
    const { complaints } = read({ wiki: server });
    expect(complaints.join()).toContain(`server "wiki": `);
    expect(complaints.join()).toContain(complaint);
    expect(complaints.join()).not.toContain('s3cret');
  });

  it.each(['a__b', 'with space', '_a', 'a_', 'x'.repeat(31), ''])('refuses the server name "%s"', (name) => {
    expect(read({ [name]: { command: 'x', tools: '*' } }).complaints.join()).toContain('expected a name');
  });

  it.each(['', '{', '[]', '{"servers": {}}'])('is refused when it is %s', (json) => {
    expect(readExternalServers(json, {}).complaints).toHaveLength(1);
  });
});
