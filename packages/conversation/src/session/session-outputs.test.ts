import { describe, expect, it } from '@jest/globals';
import { SessionOutputs } from './session-outputs.ts';

describe('SessionOutputs', () => {
  it('pass on messages to all listeners in order, and entries of the log, until closed', () => {
    const seen: string[] = [];
    const outputs = new SessionOutputs(({ type }) => seen.push(`log: ${type}`));
    outputs.addListener(({ type }) => seen.push(`client: ${type}`));
    outputs.addListener(({ type }) => seen.push(`supervisor: ${type}`));
    const send = (): void => {
      outputs.send({ type: 'state', state: 'idle' });
      outputs.emit({ type: 'taken_over', workerId: 'worker-1' });
    };
    send();
    outputs.close();
    send();
    expect(seen).toEqual(['client: state', 'supervisor: state', 'log: taken_over']);
  });
});
