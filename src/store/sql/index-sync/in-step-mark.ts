import type { Queries } from '../vector-spaces/space-rows.ts';

const NAME = 'index_left_in_step';

/** Whether the last process left the index in step. Removes the mark, so that a process that is killed leaves none. */
export async function takeInStepMark(database: Queries): Promise<boolean> {
  const known = await database.selectFrom('settings').select('value').where('name', '=', NAME).executeTakeFirst();
  if (known === undefined) return false;
  await database.deleteFrom('settings').where('name', '=', NAME).execute();
  return true;
}

export async function writeInStepMark(database: Queries): Promise<void> {
  await database
    .insertInto('settings')
    .values({ name: NAME, value: 'true' })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
