import { timingSafeEqual } from 'node:crypto';
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FEATURES } from '@calls/api-contract/rest/account';
import { type Database, withSetUpLock } from '@calls/store/store';
import { insertAccount } from '@calls/store/tables/accounts';
import { findKeyHolder } from '@calls/store/tables/api-keys';
import { issueApiKey } from '../accounts/issue-api-key.ts';
import { hashOf, isApiKey, prefixOf } from '../auth/api-key.ts';

/** The development account always has the same id. */
const DEVELOPMENT_ACCOUNT_ID = '0190a000-0000-7000-8000-00000000d0e5';
const OWNER_ONLY = 0o600;

/**
 * Ensures that an account for development exists (plan SCALE, every feature), with a key in `file` that only
 * its owner can read. A working key is reused.
 */
export async function ensureDevelopmentKey(
  db: Database,
  file: string,
  now: Date,
): Promise<'unchanged' | 'created'> {
  await mkdir(dirname(file), { recursive: true });
  return withSetUpLock(db, 'development key', async (tx) => {
    if (await isWorkingKey(tx, await readIfThere(file))) {
      await chmod(file, OWNER_ONLY);
      return 'unchanged';
    }
    await insertAccount(tx, {
      accountId: DEVELOPMENT_ACCOUNT_ID,
      name: 'development',
      plan: 'SCALE',
      features: [...FEATURES],
      createdAt: now,
    });
    const key = { accountId: DEVELOPMENT_ACCOUNT_ID, name: 'development', expiresAt: null };
    const { secret } = await issueApiKey(tx, key, now);
    const temporary = `${file}.${process.pid}.new`;
    await writeFile(temporary, `${secret}\n`, { mode: OWNER_ONLY });
    await rename(temporary, file);
    return 'created';
  });
}

async function isWorkingKey(db: Database, key: string | null): Promise<boolean> {
  if (key === null || !isApiKey(key)) return false;
  const holder = await findKeyHolder(db, prefixOf(key));
  return holder?.expiresAt === null && timingSafeEqual(holder.hash, hashOf(key));
}

async function readIfThere(file: string): Promise<string | null> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (thrown) {
    if (Error.isError(thrown) && 'code' in thrown && thrown.code === 'ENOENT') return null;
    throw thrown;
  }
}
