import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
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

  const open = (maxBytes: number, notices: string[] = []): RotatingLog =>
    new RotatingLog(join(folder, 'part.log'), maxBytes, (text) => void notices.push(text));
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

  it('loses what it cannot write to a full disk, and reports that once', () => {
    const notices: string[] = [];
    const log = new RotatingLog('/dev/full', 100, (text) => void notices.push(text));
    log.write(Buffer.from('one\n'));
    log.write(Buffer.from('two\n'));
    log.close();
    expect(notices).toEqual(['cannot write /dev/full: ENOSPC: no space left on device, write']);
  });

  it('continues when the user has deleted its file, or its folder for a while', () => {
    const notices: string[] = [];
    const log = open(10, notices);
    log.write(Buffer.from('first\n'));
    rmSync(join(folder, 'part.log'));
    log.write(Buffer.from('second\n'));
    expect(content('part.log')).toBe('second\n');
    rmSync(folder, { recursive: true });
    log.write(Buffer.from('third\n'));
    mkdirSync(folder);
    log.write(Buffer.from('fourth\n'));
    log.close();
    expect(content('part.log')).toBe('\nfourth\n');
    const path = join(folder, 'part.log');
    expect(notices).toEqual([
      expect.stringContaining(`cannot write ${path}: ENOENT`),
      `writes ${path} again`,
    ]);
  });
});
