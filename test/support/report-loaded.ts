/**
 * Preloaded into a process (`--import`): appends the address of each module and chunk that is loaded, after `stored` once more for
 * a chunk whose stored code is used, and `ready` when the server reports its address, to the file in LOADED_MODULES. In each of its
 * threads and child processes too.
 */
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import vm from 'node:vm';

const file = process.env['LOADED_MODULES'];
if (file === undefined) throw new Error('LOADED_MODULES names no file.');
const report = (what: string): void => appendFileSync(file, `${process.pid} ${what}\n`);

registerHooks({
  load(url, context, nextLoad) {
    report(url);
    return nextLoad(url, context);
  },
});

// The chunks of the bundled program are scripts (src/bundle-loader.ts).
class ReportedScript extends vm.Script {
  constructor(code: string, options?: vm.ScriptOptions) {
    super(code, options);
    if (options?.filename === undefined) return;
    const { href } = pathToFileURL(options.filename);
    report(href);
    if (this.cachedDataRejected === false) report(`stored ${href}`);
  }
}
Object.assign(vm, { Script: ReportedScript });

const write = process.stdout.write.bind(process.stdout);
process.stdout.write = (text: string | Uint8Array, ...rest: never[]): boolean => {
  if (/http:\/\/\S+\/v3/.test(String(text))) report('ready');
  return write(text, ...rest);
};
