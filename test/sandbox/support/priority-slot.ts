/**
 * Stands for a slot and reports priorities: its own when it starts, as a fault if the given snapshot is null, and then, to
 * each request, the priorities of all its threads.
 */
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { encodeFrame, FrameReader } from '../../../src/sandbox/slot/frames.ts';
import type { SlotMessage, SlotStart } from '../../../src/sandbox/slot/slot-messages.ts';

const send = (message: SlotMessage): void => {
  process.stdout.write(encodeFrame(JSON.stringify(message)));
};
const threadPriorities = (): number[] => readdirSync('/proc/self/task').map((id) => getPriority(Number(id)));

// Starts the threads that read files.
await readFile(import.meta.filename);

const reader = new FrameReader(1_000_000);
let isStarted = false;
process.stdin.on('data', (piece: Buffer) => {
  for (const frame of reader.read(piece)) {
    if (isStarted) {
      send({ kind: 'reply', reply: JSON.stringify(threadPriorities()) });
      continue;
    }
    isStarted = true;
    const { snapshot } = JSON.parse(frame.toString()) as SlotStart;
    if (snapshot === null) send({ kind: 'fault', fault: 'start', detail: String(getPriority()) });
    else send({ kind: 'ready' });
  }
});
process.stdin.on('close', () => process.exit());
