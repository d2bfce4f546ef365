import { parseArgs } from 'node:util';
import { BUILT_IN_TOOLS } from '@calls/call-lifecycle/creation/tools/built-in-tools';
import { EnvReader } from '@calls/foundation/env-reader';
import { createLogger } from '@calls/foundation/logger';
import { catalogueVoices } from '@calls/providers/config/catalogue';
import { readProviderConfig } from '@calls/providers/config/provider-config';
import { migrate } from '@calls/store/migrate';
import { openStore } from '@calls/store/store';
import { replacePublicTools } from '@calls/store/tables/tools';
import { ensureDevelopmentKey } from './set-up/development-key.ts';
import { seedVoices } from './set-up/seed-voices.ts';

/**
 * Prepares the database: applies migrations, the voice catalogue and the public tools, and with
 * `--development-key-file PATH` creates a development account and key. Idempotent; safe to run concurrently.
 * Sends the names of the applied migrations to a parent with an IPC channel.
 */
const { values } = parseArgs({ options: { 'development-key-file': { type: 'string' } } });
const env = new EnvReader(process.env);
const databaseUrl = env.url('DATABASE_URL', ['postgres:', 'postgresql:']);
const voices = catalogueVoices(readProviderConfig(env));
env.finish();

const log = createLogger({ service: 'prepare-database', level: 'info', logPii: false });
const store = openStore({ url: databaseUrl, name: 'prepare-database', poolSize: 2, log });
try {
  const applied = await migrate(store.db);
  const now = new Date();
  await seedVoices(store.db, voices, now);
  await replacePublicTools(store.db, BUILT_IN_TOOLS, now);
  const keyFile = values['development-key-file'];
  const developmentKey = keyFile === undefined ? 'none' : await ensureDevelopmentKey(store.db, keyFile, now);
  process.send?.({ applied });
  log.info({ applied, voices: voices.length, developmentKey }, 'database is ready');
} finally {
  await store[Symbol.asyncDispose]();
}
