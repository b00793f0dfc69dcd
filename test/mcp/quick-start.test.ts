import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const COMMAND = new URL('../../src/cli/mcp.ts', import.meta.url).href;

/** Lists the packages, and the expensive modules of Node and this project, that importing the command loads. */
const PROBE = `
  import { registerHooks } from 'node:module';
  const loaded = new Set();
  registerHooks({
    load(url, context, next) {
      const [, name] = /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url) ?? [];
      if (name !== undefined || url === 'node:sqlite') loaded.add(name ?? url);
      return next(url, context);
    },
  });
  await import(${JSON.stringify(COMMAND)});
  console.log(JSON.stringify([...loaded].sort()));
`;

// The time itself depends on the machine's load; `npm run measure-mcp` measures it.
it('loads only the protocol, the schemas and small modules before the first response', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', PROBE], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
  });
  const small = ['ipaddr.js'];
  const packages = (JSON.parse(stdout) as string[]).filter((name) => !small.includes(name));
  expect(packages).toEqual(['@modelcontextprotocol/core', '@modelcontextprotocol/server', 'zod']);
});
