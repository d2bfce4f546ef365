import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readOrCreateSecret } from './secrets.ts';

describe('readOrCreateSecret', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'calls-secrets-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('generates a secret once and reads it afterwards', () => {
    const first = readOrCreateSecret(folder, 'token');
    expect(first.isNew).toBe(true);
    expect(Buffer.from(first.value, 'base64url')).toHaveLength(32);
    expect(readOrCreateSecret(folder, 'token')).toEqual({ value: first.value, isNew: false });
    expect(readOrCreateSecret(folder, 'other').value).not.toBe(first.value);
  });

  it('makes the file readable by its owner only, also when its permissions were changed', () => {
    readOrCreateSecret(folder, 'token');
    const path = join(folder, 'token');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    chmodSync(path, 0o644);
    readOrCreateSecret(folder, 'token');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('rejects a damaged secret instead of replacing it', () => {
    writeFileSync(join(folder, 'token'), 'half');
    expect(() => readOrCreateSecret(folder, 'token')).toThrow(/contains no secret/);
  });
});
