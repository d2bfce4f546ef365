import { toError } from '@calls/foundation/errors';
import { openConfiguredBy, readOwnConfig } from '@calls/foundation/lifecycle';
import { createLogger } from '@calls/foundation/logger';
import { createSecretBox } from '@calls/secrets/secret-box/secret-box';
import { assertMigrated } from '@calls/store/migrate';
import { openStore, SET_UP_LIMITS } from '@calls/store/store';
import { readResealConfig } from './config.ts';
import { resealStoredSecrets } from './set-up/reseal-stored-secrets.ts';

/**
 * Re-encrypts secrets sealed with older entries of ENCRYPTION_KEY with the first entry, so that the older
 * ones can be removed. Exits with 1 if any remain.
 */
const { databaseUrl, encryptionKeys } = readOwnConfig(process.env, readResealConfig);

const log = createLogger({ service: 'reseal-secrets', level: 'info', logPii: false });
const store = openStore({ ...SET_UP_LIMITS, url: databaseUrl, name: 'reseal-secrets', poolSize: 1, log });
try {
  await openConfiguredBy('DATABASE_URL', assertMigrated(store.db));
  const { resealed, left } = await resealStoredSecrets(store.db, createSecretBox(encryptionKeys));
  const isDone = Object.keys(left).length === 0;
  if (isDone) log.info({ resealed }, 're-encrypted all stored secrets with the first key');
  else log.error({ resealed, left }, 'some stored secrets still need an older key; do not remove it');
  process.exitCode = isDone ? 0 : 1;
} catch (thrown) {
  log.fatal({ err: toError(thrown) }, 'failed to re-encrypt stored secrets; process exits');
  process.exitCode = 1;
} finally {
  await store[Symbol.asyncDispose]();
}
