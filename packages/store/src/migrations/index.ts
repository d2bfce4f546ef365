import type { Migration } from 'kysely/migration';
import { firstTables } from './0001-first-tables.ts';

/** In the order of their names. Applied migrations never change; new ones are added at the end. */
export const migrations: Record<string, Migration> = {
  '0001-first-tables': firstTables,
};
