import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** A migration forward, of SQL statements in their order. */
export function statements(...all: readonly string[]): Migration {
  return {
    async up(db) {
      for (const statement of all) await sql.raw(statement).execute(db);
    },
  };
}
