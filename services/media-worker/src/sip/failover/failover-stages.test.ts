import { settle } from '@calls/foundation/virtual-clock';
import { describe, expect, it } from '@jest/globals';
import { FailoverStages } from './failover-stages.ts';

/** Permits in the order in which they are granted. */
function started(stages: FailoverStages) {
  const permits: { name: string; permit: Disposable }[] = [];
  const wait = (name: string, permit: Promise<Disposable>): void =>
    void permit.then((given) => permits.push({ name, permit: given }));
  return {
    names: () => permits.map(({ name }) => name),
    claim: (name: string) => wait(name, stages.claim()),
    converse: (name: string) => wait(name, stages.converse()),
    end: (name: string) => permits.find((each) => each.name === name)?.permit[Symbol.dispose](),
  };
}

describe('FailoverStages', () => {
  it('rebuilds no conversation while a claim runs or waits', async () => {
    const work = started(new FailoverStages());
    for (let i = 0; i < 26; i += 1) work.claim(`claim ${i}`);
    work.converse('conversation');
    await settle();
    expect(work.names()).toHaveLength(25);
    work.end('claim 0');
    await settle();
    expect(work.names().at(-1)).toBe('claim 25');
    for (let i = 1; i < 26; i += 1) work.end(`claim ${i}`);
    await settle();
    expect(work.names().at(-1)).toBe('conversation');
  });

  it('rebuilds four conversations at a time, and releases a permit only once', async () => {
    const work = started(new FailoverStages());
    for (let i = 0; i < 6; i += 1) work.converse(`${i}`);
    await settle();
    expect(work.names()).toEqual(['0', '1', '2', '3']);
    work.end('1');
    work.end('1');
    await settle();
    expect(work.names()).toEqual(['0', '1', '2', '3', '4']);
  });
});
