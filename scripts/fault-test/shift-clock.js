// Preloaded by the service under test: shifts its clock (not the monotonic `performance.now`) by the milliseconds in a
// file.
import { readFileSync } from 'node:fs';
import { env } from 'node:process';

const RealDate = Date;
const READ_EVERY_MS = 20;
let offset = 0;
let readAt = Number.NEGATIVE_INFINITY;

function now() {
  const moment = performance.now();
  if (moment - readAt > READ_EVERY_MS) {
    readAt = moment;
    try {
      offset = Number(readFileSync(env.FAULT_TEST_CLOCK, 'utf8')) || 0;
    } catch {
      offset = 0;
    }
  }
  return RealDate.now() + offset;
}

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  apply: () => new RealDate(now()).toString(),
  get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
});
