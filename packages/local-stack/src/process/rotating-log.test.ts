import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RotatingLog } from './rotating-log.ts';

describe('RotatingLog', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'calls-log-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const open = (maxBytes: number): RotatingLog => new RotatingLog(join(folder, 'part.log'), maxBytes);
  const content = (file: string): string => readFileSync(join(folder, file), 'utf8');

  it('retains one earlier file', () => {
    const log = open(10);
    for (const line of ['first\n', 'second\n', 'third\n']) log.write(Buffer.from(line));
    log.close();
    expect(content('part.log')).toBe('third\n');
    expect(content('part.log.1')).toBe('second\n');
    expect(readdirSync(folder)).toHaveLength(2);
  });

  it('does not split a line across two files', () => {
    const log = open(10);
    for (const piece of ['12345678', '90abc', 'end\n', 'next\n']) log.write(Buffer.from(piece));
    log.close();
    expect(content('part.log.1')).toBe('1234567890abcend\n');
    expect(content('part.log')).toBe('next\n');
  });

  it('limits the file size when a line never ends', () => {
    const log = open(10);
    for (let index = 0; index < 100; index += 1) log.write(Buffer.from('xxxxx'));
    log.close();
    expect(content('part.log').length).toBeLessThanOrEqual(25);
    expect(content('part.log.1').length).toBeLessThanOrEqual(25);
  });

  it('appends to the log of the previous run, and ignores writes after close', () => {
    open(100).write(Buffer.from('one\n'));
    const log = open(100);
    log.write(Buffer.from('two\n'));
    log.close();
    log.write(Buffer.from('late\n'));
    expect(content('part.log')).toBe('one\ntwo\n');
  });
});
