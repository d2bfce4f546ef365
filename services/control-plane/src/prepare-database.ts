import { parseArgs } from 'node:util';
import { BUILT_IN_TOOLS } from '@calls/call-lifecycle/creation/tools/built-in-tools';
import { toError } from '@calls/foundation/errors';
import { nameBasedId } from '@calls/foundation/ids';
import { openConfiguredBy, readOwnConfig } from '@calls/foundation/lifecycle';
import { createLogger } from '@calls/foundation/logger';
import { catalogueVoices } from '@calls/providers/config/catalogue';
import type { CatalogueVoice } from '@calls/providers/config/catalogue-voice';
import { migrate } from '@calls/store/migrate';
import { openStore, SET_UP_LIMITS, type Database } from '@calls/store/store';
import { prepareVectorIndex } from '@calls/store/tables/corpus-vector-index';
import { replacePublicTools } from '@calls/store/tables/tools';
import { replaceCatalogue } from '@calls/store/tables/voices';
import { readPrepareDatabaseConfig } from './config.ts';
import { ensureDevelopmentKey } from './set-up/development-key.ts';

/**
 * Namespace of the UUIDs that are derived from the keys of catalogue voices. The ids are the same on every
 * installation, so this value must not change.
 */
const VOICE_NAMESPACE = '5b0d2f5e-6c1c-4a5e-9a63-0f2f7b3f7f10';

/**
 * Prepares the database: applies migrations, the voice catalogue, the public tools and what the index of pgvector needs,
 * and with `--development-key-file PATH` creates a development account and key. Idempotent; safe to run concurrently.
 * Sends the names of the applied migrations to a parent with an IPC channel.
 */
const { values } = parseArgs({ options: { 'development-key-file': { type: 'string' } } });
const { databaseUrl, providers } = readOwnConfig(process.env, readPrepareDatabaseConfig);
const voices = catalogueVoices(providers);

const log = createLogger({ service: 'prepare-database', level: 'info', logPii: false });
const store = openStore({ ...SET_UP_LIMITS, url: databaseUrl, name: 'prepare-database', poolSize: 2, log });
try {
  const applied = await openConfiguredBy('DATABASE_URL', migrate(store.db));
  const vectorIndex = await prepareVectorIndex(store.db);
  const now = new Date();
  await seedVoices(store.db, voices, now);
  await replacePublicTools(store.db, BUILT_IN_TOOLS, now);
  const keyFile = values['development-key-file'];
  const developmentKey = keyFile === undefined ? 'none' : await ensureDevelopmentKey(store.db, keyFile, now);
  process.send?.({ applied });
  log.info({ applied, voices: voices.length, developmentKey, vectorIndex }, 'database is ready');
} catch (thrown) {
  log.fatal({ err: toError(thrown) }, 'failed to prepare the database; process exits');
  process.exitCode = 1;
} finally {
  await store[Symbol.asyncDispose]();
}

/** Synchronizes the public voices in the database with the configured engines. */
async function seedVoices(db: Database, voices: readonly CatalogueVoice[], now: Date): Promise<void> {
  const rows = voices.map((voice) => ({
    voiceId: nameBasedId(voice.key, VOICE_NAMESPACE),
    slug: voice.key,
    name: voice.name,
    description: voice.description,
    primaryLanguage: voice.primaryLanguage,
    languageLabel: voice.languageLabel,
    engine: voice.engine,
    engineSettings: voice.settings,
  }));
  await replaceCatalogue(db, rows, now);
}
