import { chmod } from 'node:fs/promises';
import type { Fault } from './fault.ts';
import { mountSmallDisk } from './small-disk.ts';

const MEGABYTES = 96;

/** A data folder that becomes read-only, as after a disk error or a change of owner. */
export const readOnlyFolder: Fault = {
  name: 'read-only-folder',
  title: 'the data folder is read-only',
  async run(trial) {
    const disk = await mountSmallDisk(trial.dataFolder, MEGABYTES);
    const setWritable = (isWritable: boolean) =>
      disk === undefined ? chmod(trial.dataFolder, isWritable ? 0o700 : 0o500) : disk.setWritable(isWritable);
    try {
      await trial.start();
      await trial.add(trial.isShort ? 4 : 20);
      await trial.stop();

      await setWritable(false);
      for (const command of [
        ['serve', '--port', '0'],
        ['search', 'the harbour'],
      ]) {
        const { code, stderr } = await trial.command(command);
        const isClear = /The data folder \S+ cannot be used: .*(read-only|may not write)/.test(stderr);
        trial.check(
          `"citewell ${command[0]}" says that the folder can only be read`,
          code === 0 && 'It ended with 0.',
          !isClear && stderr,
        );
      }
      await setWritable(true);

      await trial.start();
      await trial.checkRecovered();
      await trial.checkNothingLost();
      await trial.stop();
    } finally {
      if (disk === undefined) await setWritable(true);
      await disk?.unmount();
    }
  },
};
