import { expect, it } from 'vitest';
import { findBinding } from '../../../src/store/chroma/find-binding.ts';
import { launchServer } from '../../../src/store/chroma/launch-server.ts';
import { findBindingPackage, thisHost } from '../../../src/store/chroma/loadable-binding.ts';
import { bindingCache } from '../../support/embedded-chroma.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

// Without that line, each start would wait until another server on the same port would have ended.
it('says once that it listens, by which its start is recognised, and logs no requests', async () => {
  const host = thisHost();
  const binding = await findBinding({ binding: await findBindingPackage(host), host, cacheFolder: bindingCache });
  const server = await launchServer({
    binding,
    folder: await temporaryFolder(),
    readyWithinMs: 60_000,
    onProcess: async () => {},
    signal: new AbortController().signal,
  });
  const collections = `http://127.0.0.1:${server.port}/api/v2/tenants/default_tenant/databases/default_database/collections`;
  const response = await fetch(collections);
  expect(await response.json()).toEqual([]);
  await server.stop();
  const { words } = await server.ended;
  expect(words.match(/ INFO .*/g)).toEqual([expect.stringContaining('server listening on')]);
});
