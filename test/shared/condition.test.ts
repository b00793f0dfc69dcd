import { expect, it } from 'vitest';
import { Condition } from '../../src/shared/condition.ts';

it('wakes all current waiters, and later ones only at the next signal', async () => {
  const condition = new Condition<number>();
  const first = [condition.next, condition.next];
  condition.notify(1);
  const later = condition.next;
  condition.notify(2);
  expect(await Promise.all([...first, later])).toEqual([1, 1, 2]);
});
