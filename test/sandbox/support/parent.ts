/** A process with a running sandbox; prints the process ids of its children and waits to be killed. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { openSandbox } from '../../../scripts/open-sandbox.ts';

const sandbox = await openSandbox();
const { signal } = new AbortController();
await sandbox.run({ code: '1', inputs: {}, files: [], session: 'a' }, signal);
void sandbox.run({ code: 'while True: pass', inputs: {}, files: [], session: 'a', milliseconds: 60_000 }, signal);
const { stdout } = await promisify(execFile)('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)]);
const children = stdout
  .split('\n')
  .flatMap((line) => (line.includes('slot-process') ? [Number.parseInt(line, 10)] : []));
console.log(JSON.stringify(children));
