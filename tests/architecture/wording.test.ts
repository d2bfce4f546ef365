import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ROOT } from './source-paths.ts';

/** Words for which CONTRIBUTING.md has plain terms; also matched within identifiers if that is unambiguous. */
const AVOIDED =
  /nobody|whoever|\bwhom\b|somebody|heard|\btold\b|\bkept\b|\banew\b|\bin vain\b|\bfor want of\b|\bcan not\b|\bwhat (?:be)?came of\b|\bmend(?:s|ed|ing)?\b|\bas good as\b|\bso long as\b|\bsave for\b|recogniser|oneatatime/iu;

/** Lines that may contain such a word: stored values, wire formats and utterances of users in tests. */
const REQUIRED = [
  /'kept'/u,
  /calls_kept_until_billed/u,
  /words_heard/u,
  /who, whom/u,
  /haven't told me/u,
  /She told me/u,
  /nobody\|whoever/u,
];

function files(): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return listed
    .split('\n')
    .filter((path) => /\.(?:tsx?|mjs|md|css|ya?ml|sh)$|Dockerfile$/u.test(path))
    .filter((path) => !/pnpm-lock|CHANGELOG|\/include\/|wording\.test\.ts$/u.test(path));
}

function avoidedLines(path: string): string[] {
  return readFileSync(join(ROOT, path), 'utf8')
    .split('\n')
    .flatMap((line, index) =>
      AVOIDED.test(line) && !REQUIRED.some((each) => each.test(line))
        ? [`${path}:${String(index + 1)}: ${line.trim().slice(0, 120)}`]
        : [],
    );
}

describe('wording', () => {
  const found = files().map((path) => ({ path, lines: avoidedLines(path) }));

  it('uses plain terms in code, documents and the console', () => {
    expect(found.length).toBeGreaterThan(1000);
    expect(found.flatMap(({ lines }) => lines)).toEqual([]);
  });
});
