import { describe, expect, it } from '@jest/globals';
import { TransportEvents } from './transport-events.ts';

const audio = (sample: number) => ({ type: 'audio' as const, samples: Int16Array.of(sample) });
const dtmf = (digit: string) => ({ type: 'dtmf' as const, digit });

/** Reads events as a session does. */
function read(events: TransportEvents): { seen: string[]; ended: Promise<void> } {
  const seen: string[] = [];
  const follow = async (): Promise<void> => {
    for await (const event of events) {
      if (event.type === 'audio') seen.push(`audio ${event.samples[0]} as an event`);
      if (event.type === 'dtmf') seen.push(event.digit);
    }
  };
  events.takeAudio((samples) => seen.push(`audio ${samples[0]}`));
  return { seen, ended: follow() };
}

describe('TransportEvents', () => {
  it('delivers audio before push returns', () => {
    const events = new TransportEvents();
    const { seen } = read(events);
    events.push(audio(1));
    events.push(audio(2));
    expect(seen).toEqual(['audio 1', 'audio 2']);
  });

  it('delivers audio in order with other events that are queued', async () => {
    const events = new TransportEvents();
    events.push(audio(1));
    const { seen, ended } = read(events);
    events.push(dtmf('5'));
    events.push(audio(2));
    events.push(audio(3));
    events.push(dtmf('6'));
    events.close();
    await ended;
    expect(seen).toEqual(['audio 1 as an event', '5', 'audio 2 as an event', 'audio 3 as an event', '6']);
  });

  it('delivers audio immediately again once the queued events are handled', async () => {
    const events = new TransportEvents();
    const { seen } = read(events);
    events.push(dtmf('5'));
    events.push(audio(1));
    await new Promise((resolve) => setImmediate(resolve));
    events.push(audio(2));
    expect(seen).toEqual(['5', 'audio 1 as an event', 'audio 2']);
  });

  it('rejects audio after it is closed', () => {
    const events = new TransportEvents();
    const { seen } = read(events);
    events.close();
    expect(events.push(audio(1))).toBe(false);
    expect(seen).toEqual([]);
  });
});
