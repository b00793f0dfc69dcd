import { expect, it } from 'vitest';
import { checkExternalServers } from '../../../src/cli/check-external-servers.ts';
import { loadConfig } from '../../../src/config.ts';
import { overStdio } from './hostile-servers.ts';

const config = loadConfig({ env: {}, cwd: '/nowhere' });

it('doctor prints nothing about external servers when none are configured', async () => {
  expect(await checkExternalServers(config)).toEqual([]);
});

it('doctor connects to the configured servers and reports failing ones', async () => {
  const gone = overStdio({
    name: 'gone',
    transport: { kind: 'stdio', command: 'no-such-command', args: [], env: {} },
  });
  const [finding] = await checkExternalServers({ ...config, externalServers: [overStdio({ tools: ['echo'] }), gone] });
  expect(finding).toMatchObject({
    state: 'warning',
    detail:
      '1 tool of strange, gone. The MCP server "gone" cannot be started: there is no command no-such-command, so its tools are unavailable.',
  });
});

it('doctor reports no problem when all servers work', async () => {
  const findings = await checkExternalServers({ ...config, externalServers: [overStdio({ tools: ['echo'] })] });
  expect(findings).toEqual([{ name: 'MCP servers', state: 'ok', detail: '1 tool of strange' }]);
});
