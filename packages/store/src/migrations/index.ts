import type { Migration } from 'kysely/migration';
import { firstTables } from './0001-first-tables.ts';
import { recordings } from './0002-recordings.ts';

/** In the order of their names. Applied migrations never change; new ones are added at the end. */
export const migrations: Record<string, Migration> = {
  '0001-first-tables': firstTables,
  '0002-recordings': recordings,
};
