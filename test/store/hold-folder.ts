/**
 * Another process that opens a data folder: `hold-folder.ts FOLDER` prints `held` or the error, then waits to be ended.
 */
import { openDataFolder } from '../../src/store/data-folder.ts';

try {
  const folder = await openDataFolder(process.argv[2] ?? '');
  process.stdout.write('held\n');
  process.stdin.on('close', async () => {
    await folder.close();
    process.exit(0);
  });
  process.stdin.resume();
} catch (error) {
  process.stdout.write(`${String(error)}\n`);
}
