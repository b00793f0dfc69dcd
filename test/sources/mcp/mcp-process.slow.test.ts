import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { createExternalResources } from '../../../src/mcp/external-resources.ts';
import type { ExternalServer } from '../../../src/mcp/external-servers.ts';
import { mcpKind } from '../../../src/sources/mcp/mcp-kind.ts';
import { collectListing } from '../../support/collect-listing.ts';
import { PATIENT } from '../../support/patience.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { common, describeResources, handbook, offered, open, overHttp, overStdio } from './resources-contract.ts';

describeResources('over pipes', overStdio);

it('ends the process that was being started when the connection was closed', async () => {
  const { file } = await offered({ resources: [handbook] });
  const pid = join(await temporaryFolder(), 'pid');
  const server = await overStdio(file);
  if (server.transport.kind !== 'stdio') throw new Error('not over pipes');
  const { command, args, env } = server.transport;
  const started = ['-c', 'echo $$ > "$PID"; exec "$@"', 'sh', command, ...args];
  const connector = await open({
    ...server,
    transport: { kind: 'stdio', command: '/bin/sh', args: started, env: { ...env, PID: pid } },
  });
  const listing = collectListing(connector);
  listing.catch(() => undefined);
  const id = await vi.waitFor(async () => {
    const written = Number(await readFile(pid, 'utf8'));
    expect(written).toBeGreaterThan(0);
    return written;
  }, PATIENT);
  await connector.close?.();
  await expect(listing).rejects.toMatchObject({ code: 'cancelled' });
  await vi.waitFor(() => expect(() => process.kill(id, 0)).toThrow('ESRCH'), PATIENT);
});

describe('a server that cannot be used', () => {
  it('is reported clearly: no access, no command, no resources, unknown name', async () => {
    const { file } = await offered({ resources: [] });
    const refused = await open(await overHttp(file, [], 'other'));
    await expect(collectListing(refused)).rejects.toMatchObject({ code: 'unauthenticated' });
    const away: ExternalServer = { ...common, transport: { kind: 'stdio', command: '/nowhere', args: [], env: {} } };
    const mcp = createExternalResources({ servers: [away], version: '1' });
    await expect(mcp.connect('library').list(undefined, AbortSignal.timeout(10_000))).rejects.toThrow(
      'there is no command /nowhere',
    );
    const tools = fileURLToPath(new URL('../../mcp/external/hostile-process.ts', import.meta.url));
    const toolsOnly = { ...away, transport: { ...away.transport, command: process.execPath, args: [tools] } } as const;
    await expect(collectListing(await open(toolsOnly as ExternalServer))).rejects.toThrow('has no resources');
    const other = createExternalResources({ servers: [{ ...away, resources: false }], version: '1' });
    expect(() => mcpKind.requireKnown?.({ server: 'library' } as never, { mcp: other })).toThrow('There are: none');
    expect(() => mcpKind.addressOf({ server: 'a/b' } as never)).toThrow('expected the name');
  });
});
