import { readFile } from 'node:fs/promises';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { AppError, reasonsOf, toError } from './errors.ts';

describe('toError', () => {
  it('returns an Error unchanged, also one of another realm', async () => {
    const own = new AppError('x', 'y');
    expect(toError(own)).toBe(own);
    const foreign: unknown = runInNewContext('new TypeError("foreign")');
    expect(foreign instanceof Error).toBe(false);
    expect(toError(foreign)).toBe(foreign);
    const thrown: unknown = await readFile('/no/such/file').catch((reason: unknown) => reason);
    expect(toError(thrown)).toMatchObject({ code: 'ENOENT' });
  });

  it('wraps any other value in an Error', () => {
    expect(toError('text').message).toBe('text');
    expect(toError(undefined).message).toBe('undefined');
  });
});

describe('reasonsOf', () => {
  it('joins the messages of causes, and omits those that the error has', () => {
    const cause = new Error('connect ECONNREFUSED');
    expect(reasonsOf(new Error('not available', { cause }))).toBe('not available: connect ECONNREFUSED');
    expect(reasonsOf(new Error('the bucket: connect ECONNREFUSED', { cause }))).toBe(
      'the bucket: connect ECONNREFUSED',
    );
  });
});
