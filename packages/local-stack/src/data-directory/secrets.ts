import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomSecret } from '@calls/foundation/ids';
import { LocalStackError } from '../reporter.ts';

const SECRET_BYTES = 32;

export interface Secret {
  /** 32 random bytes as base64url. */
  readonly value: string;
  /** True at the start that generated it. */
  readonly isNew: boolean;
}

/** Reads the secret of this name, or generates and stores it (mode 0600) at first use. */
export function readOrCreateSecret(secretsDir: string, name: string): Secret {
  const path = join(secretsDir, name);
  if (existsSync(path)) {
    const stored = readFileSync(path, 'utf8').trim();
    if (!/^[\w-]{43}$/.test(stored)) {
      throw new LocalStackError(
        'secret_damaged',
        `${path} holds no secret; restore it, or remove it for a new one`,
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
