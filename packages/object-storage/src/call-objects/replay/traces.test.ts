import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { parseTrace } from '@calls/conversation/replay/trace';
import { describe, expect, it } from '@jest/globals';
import { testOfTrace } from './traces.ts';

describe('testOfTrace', () => {
  it('generates a test with the events, the expected decisions and resolvable imports', () => {
    const [header, step] = [
      '{"version":1,"callId":"c1","initial":{"kind":"listening"}}',
      '{"atMs":5,"event":{"type":"closed"},"effects":[]}',
    ];
    const source = testOfTrace(parseTrace(`${header}\n${step}\n`));
    const specifiers = [...source.matchAll(/from '(@calls\/[^']+)'/gu)].map(
      ([, specifier = '']) => specifier,
    );
    expect(specifiers).toHaveLength(2);
    for (const specifier of specifiers) expect(import.meta.resolve(specifier)).toMatch(/\.ts$/u);
    expect(source).toContain(`    ${step},\n`);
    expect(source).toContain('  callId: "c1",');
  });

  it('generates a test that the formatter leaves as it is', () => {
    const header = '{"version":1,"callId":"c1","initial":{"kind":"listening"}}';
    const step = { atMs: 5, event: { type: 'closed', reason: "it's over" }, effects: [] };
    const source = testOfTrace(parseTrace(`${header}\n${JSON.stringify(step)}\n`));
    const options = {
      cwd: join(import.meta.dirname, '../../../../..'),
      input: source,
      encoding: 'utf8',
    } as const;
    const formatted = execFileSync(
      'node_modules/.bin/oxfmt',
      ['--stdin-filepath=generated.test.ts'],
      options,
    );
    expect(formatted).toBe(source);
  });
});
