import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** A forward migration made of SQL statements, in order. */
export function statements(...all: readonly string[]): Migration {
  return {
    async up(db) {
      for (const statement of all) await sql.raw(statement).execute(db);
    },
  };
}
