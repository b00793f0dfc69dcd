import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Whether the program is installed. */
export async function hasCommand(name: string): Promise<boolean> {
  try {
    await promisify(execFile)(name, ['--version']);
    return true;
  } catch {
    return false;
  }
}
