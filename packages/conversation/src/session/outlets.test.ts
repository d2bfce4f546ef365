import { describe, expect, it } from '@jest/globals';
import { Outlets } from './outlets.ts';

describe('Outlets', () => {
  it('pass on messages to all listeners in order, and entries of the log, until closed', () => {
    const seen: string[] = [];
    const outlets = new Outlets(({ type }) => seen.push(`log: ${type}`));
    outlets.addListener(({ type }) => seen.push(`client: ${type}`));
    outlets.addListener(({ type }) => seen.push(`supervisor: ${type}`));
    const send = (): void => {
      outlets.send({ type: 'state', state: 'idle' });
      outlets.emit({ type: 'taken_over', workerId: 'worker-1' });
    };
    send();
    outlets.close();
    send();
    expect(seen).toEqual(['client: state', 'supervisor: state', 'log: taken_over']);
  });
});
