import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomSecret } from '@calls/foundation/ids';
import { LocalStackError } from '../reporter.ts';

const SECRET_BYTES = 32;

export interface Secret {
  /** 32 random bytes as base64url. */
  readonly value: string;
  /** Whether this start generated it. */
  readonly isNew: boolean;
}

/** Reads the secret of this name; generates and stores it (mode 0600) if it does not exist. */
export function readOrCreateSecret(secretsDir: string, name: string): Secret {
  const path = join(secretsDir, name);
  if (existsSync(path)) {
    const stored = readFileSync(path, 'utf8').trim();
    if (!/^[\w-]{43}$/.test(stored)) {
      throw new LocalStackError(
        'secret_damaged',
        `${path} contains no secret; restore it, or delete the file to generate a new one`,
      );
    }
    chmodSync(path, 0o600);
    return { value: stored, isNew: false };
  }
  const value = randomSecret(SECRET_BYTES);
  writeFileSync(`${path}.new`, `${value}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
  return { value, isNew: true };
}
