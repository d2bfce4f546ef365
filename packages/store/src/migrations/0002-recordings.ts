import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Keys of a call's recording in the object storage. */
export const recordings: Migration = {
  async up(db: Kysely<never>): Promise<void> {
    const statement = `alter table calls
      add column recording_key text,
      add column recording_duration_ms integer,
      add column recording_bytes bigint`;
    await sql.raw(statement).execute(db);
  },
};
