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
    expect(source).toContain('"makes the expected decisions in call c1"');
  });
});
