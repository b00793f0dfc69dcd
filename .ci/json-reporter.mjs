import { readFile, writeFile } from 'node:fs/promises';
import { JsonReporter } from 'vitest/node';

/** Vitest's JSON report with the errors outside of tests, which fail a run too: each with the file that ran meanwhile. */
export default class extends JsonReporter {
  async onTestRunEnd(modules, errors) {
    await super.onTestRunEnd(modules);
    const path = this.ctx.config.outputFile.json;
    const report = JSON.parse(await readFile(path, 'utf8'));
    report.unhandledErrors = errors.map(({ VITEST_TEST_PATH: file, name, message, stack }) => ({
      file,
      message: stack ?? `${name}: ${message}`,
    }));
    await writeFile(path, JSON.stringify(report));
  }
}
