import { expect, it } from 'vitest';
import { checkExternalServers } from '../../../src/cli/check-external-servers.ts';
import { loadConfig } from '../../../src/config.ts';
import { overStdio } from './hostile-servers.ts';

const config = loadConfig({ env: {}, cwd: '/nowhere' });

it('the doctor has nothing to say of other servers where there are none', async () => {
  expect(await checkExternalServers(config)).toEqual([]);
});

it('the doctor connects to the servers of the settings and says which are of no use', async () => {
  const gone = overStdio({
    name: 'gone',
    transport: { kind: 'stdio', command: 'no-such-command', args: [], env: {} },
  });
  const [finding] = await checkExternalServers({ ...config, externalServers: [overStdio({ tools: ['echo'] }), gone] });
  expect(finding).toMatchObject({
    state: 'warning',
    detail:
      '1 tool of strange, gone. The MCP server "gone" cannot be started: there is no command no-such-command, so its tools are not there.',
  });
});

it('the doctor is content when all is there', async () => {
  const findings = await checkExternalServers({ ...config, externalServers: [overStdio({ tools: ['echo'] })] });
  expect(findings).toEqual([{ name: 'MCP servers', state: 'ok', detail: '1 tool of strange' }]);
});
