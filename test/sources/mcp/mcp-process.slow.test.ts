import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createExternalResources } from '../../../src/mcp/external-resources.ts';
import type { ExternalServer } from '../../../src/mcp/external-servers.ts';
import { mcpKind } from '../../../src/sources/mcp/mcp-kind.ts';
import { collectListing } from '../../support/collect-listing.ts';
import { common, describeResources, offered, open, overHttp, overStdio } from './resources-contract.ts';

describeResources('over pipes', overStdio);

describe('a server that cannot be used', () => {
  it('says so in words: no access, no command, no resources, no such name', async () => {
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
