import { sql } from 'kysely';
import type { LearnedEmbedders } from '../../learned-embedders.ts';
import type { Database } from '../database.ts';
import type { EmbeddingText, UnembeddedChunk } from './fill-space.ts';

const CHOSEN_EMBEDDER_SETTING = 'chosen_embedder';
const BATCH = 256;

/** LearnedEmbedders in the record store, beside the vectors that need the artefacts. */
export function createLearnedEmbedders({ reader, writer }: Database, embeddingText: EmbeddingText): LearnedEmbedders {
  const countStoredChunks = async () => {
    const { count } = await reader
      .selectFrom('documents')
      .select(({ fn, val }) => fn.coalesce(fn.sum<number>('chunk_count'), val(0)).as('count'))
      .where('generation', '>', 0)
      .executeTakeFirstOrThrow();
    return count;
  };

  return {
    async read(embedder, version) {
      const row = await reader
        .selectFrom('learned_embedders')
        .select('artefact')
        .where('embedder', '=', embedder)
        .where('version', '=', version)
        .executeTakeFirst();
      return row?.artefact;
    },

    async keep(embedder, version, artefact) {
      await writer
        .insertInto('learned_embedders')
        .values({ embedder, version, artefact, created_at: new Date().toISOString() })
        .onConflict((conflict) => conflict.columns(['embedder', 'version']).doUpdateSet({ artefact }))
        .execute();
    },

    async forgetUnused() {
      const { numDeletedRows } = await writer
        .deleteFrom('learned_embedders')
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('vector_spaces as s')
                .select('s.key')
                .whereRef('s.embedder', '=', 'learned_embedders.embedder')
                .whereRef('s.version', '=', 'learned_embedders.version'),
            ),
          ),
        )
        .executeTakeFirst();
      return Number(numDeletedRows);
    },

    countStoredChunks,

    async *chunkTexts(max, signal) {
      const count = await countStoredChunks();
      // Sampling by a hash of the key spreads the sample over the corpus and keeps it nearly unchanged as the corpus
      // grows.
      const below = count <= max ? HASHES : Math.floor((HASHES * max) / count);
      for (let last = 0; ; ) {
        signal.throwIfAborted();
        const { rows } = await sql<UnembeddedChunk>`
          select c.key, c.text, c.heading_path, c.context, d.title
          from chunks c join documents d on d.key = c.document_key and d.generation = c.generation
          where c.key > ${last} and ((c.key * 40503) & ${HASHES - 1}) < ${below}
          order by c.key limit ${BATCH}`.execute(reader);
        const final = rows.at(-1);
        if (final === undefined) return;
        yield rows.map(({ title, heading_path, text, context }) =>
          embeddingText({ title, headingPath: JSON.parse(heading_path) as string[], text, context }),
        );
        last = final.key;
      }
    },

    async chosen() {
      const row = await reader
        .selectFrom('settings')
        .select('value')
        .where('name', '=', CHOSEN_EMBEDDER_SETTING)
        .executeTakeFirst();
      return row?.value;
    },

    async choose(embedder) {
      await writer
        .insertInto('settings')
        .values({ name: CHOSEN_EMBEDDER_SETTING, value: embedder })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: embedder }))
        .execute();
    },
  };
}

/** A power of two, to be used as a bit mask. */
const HASHES = 65_536;
