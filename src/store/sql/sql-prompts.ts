import type { Selectable } from 'kysely';
import type { PromptRecords, StoredPrompt } from '../prompt-records.ts';
import type { Database } from './database.ts';
import type { PromptTable } from './schema.ts';

/** PromptRecords in the record store. */
export function createPrompts({ reader, writer }: Database): PromptRecords {
  return {
    async list() {
      const rows = await reader.selectFrom('prompts').selectAll().orderBy('name').execute();
      return rows.map(toPrompt);
    },

    async put({ id, name, template, inputTypes }) {
      const now = new Date().toISOString();
      const changed = { template, input_types: JSON.stringify(inputTypes), updated_at: now };
      const row = await writer
        .insertInto('prompts')
        .values({ id, name, created_at: now, ...changed })
        .onConflict((conflict) => conflict.column('name').doUpdateSet(changed))
        .returningAll()
        .executeTakeFirstOrThrow();
      return toPrompt(row);
    },

    async remove(name) {
      const { numDeletedRows } = await writer.deleteFrom('prompts').where('name', '=', name).executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}

const toPrompt = (row: Selectable<PromptTable>): StoredPrompt => ({
  id: row.id,
  name: row.name,
  template: row.template,
  inputTypes: JSON.parse(row.input_types) as Record<string, string>,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});
