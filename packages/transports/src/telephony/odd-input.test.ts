import { afterEach, describe, expect, it } from '@jest/globals';
import { TELEPHONY_DIALECTS, type TelephonyDialect } from '@calls/providers/telephony/telephony-vendors';
import { connectSockets } from '@calls/testkit/socket-pair';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { ProviderEnd } from './testing/provider-end.ts';
import { PROVIDER_FRAMES } from './testing/provider-frames.ts';

const cleanUps: Disposable[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp[Symbol.dispose]();
});

async function connect(kind: TelephonyDialect) {
  const clock = new VirtualClock();
  const ends = await connectSockets();
  cleanUps.push(ends);
  return { clock, provider: new ProviderEnd({ kind, ...ends, clock }) };
}

async function begun(kind: TelephonyDialect) {
  const { clock, provider } = await connect(kind);
  const transport = await provider.begin();
  void provider.keepEvents(transport);
  return { clock, provider, transport };
}

/** The frame with null in every field. */
function emptied(frame: object): object {
  return Object.fromEntries(Object.keys(frame).map((name) => [name, null]));
}

describe.each(TELEPHONY_DIALECTS)('a stream of %s before its start', (kind) => {
  const frames = PROVIDER_FRAMES[kind];

  it('is closed after ten seconds without a start, and drops earlier audio', async () => {
    const { clock, provider } = await connect(kind);
    provider.send({ event: 'connected' });
    provider.send(frames.media('AAAA'));
    provider.send(frames.digit('1'));
    provider.send({ event: 'dance' });
    await provider.settled();
    const closed = provider.closed;
    await clock.advance(10_000);
    expect(await provider.opened).toBeNull();
    expect((await closed)[0]).toBe(1000);
    expect(provider.received).toEqual([]);
    expect(provider.refusals).toEqual(['no start message within 10000 ms']);
    expect(clock.pendingTimers).toBe(0);
  });

  it.each([
    ['begins with a stop', [frames.stop, frames.start]],
    ['begins with invalid JSON', ['{', frames.start]],
    ['begins with a start without fields', [{ event: frames.start.event }, frames.start]],
    [
      'begins with a start whose fields are null',
      [{ ...emptied(frames.start), event: frames.start.event }, frames.start],
    ],
  ])('is closed at once when it %s, even if a start follows', async (_what, sent) => {
    const { clock, provider } = await connect(kind);
    const closed = provider.closed;
    for (const frame of sent) provider.send(frame);
    expect(await provider.opened).toBeNull();
    expect((await closed)[0]).toBe(1000);
    expect(provider.refusals).toHaveLength(sent[0] === frames.stop ? 0 : 1);
    expect(clock.pendingTimers).toBe(0);
  });

  it('ends when the provider disconnects', async () => {
    const { clock, provider } = await connect(kind);
    provider.cut();
    expect(await provider.opened).toBeNull();
    expect(clock.pendingTimers).toBe(0);
  });

  it('emits events that arrive directly after the start', async () => {
    const { provider } = await connect(kind);
    provider.send(frames.start);
    provider.send(frames.digit('7'));
    provider.send(frames.stop);
    const transport = await provider.opened;
    if (!transport) throw new Error('the stream did not start');
    await provider.keepEvents(transport);
    expect(provider.events.map(({ type }) => type)).toEqual(['dtmf', 'closed']);
  });
});

describe.each(TELEPHONY_DIALECTS)('a stream of %s', (kind) => {
  const frames = PROVIDER_FRAMES[kind];

  it.each<[string, string | object]>([
    ['invalid JSON', '{"event":"media",'],
    ['a payload of the wrong type', { event: 'media', media: { payload: ['AA=='] } }],
    ['a payload that is not base64', frames.media('!!!! not base64 !!!!')],
    ['padding in the middle', frames.media('AA==AAAA')],
    ['a second start', frames.start],
    ['several digits at once', frames.digit('123')],
    ['a huge frame', frames.media('A'.repeat(300_000))],
    ['deep nesting', `{"event":"media","media":${'['.repeat(50_000)}${']'.repeat(50_000)}}`],
  ])('reports %s and continues', async (_what, frame) => {
    const { provider } = await begun(kind);
    provider.send(frame);
    provider.send(frames.media('AAAAAAAA'));
    await provider.settled();
    expect(provider.events.map(({ type }) => type)).toEqual(['malformed', 'audio']);
    const [reported] = provider.eventsOf('malformed');
    expect(reported?.detail).toMatch(/^stream event /u);
    expect(reported?.detail.length).toBeLessThanOrEqual(500);
  });

  it('reports binary frames as malformed', async () => {
    const { provider } = await begun(kind);
    provider.sendBytes(Buffer.alloc(320));
    await provider.settled();
    expect(provider.events).toEqual([{ type: 'malformed', detail: 'stream event is binary' }]);
  });

  it('reports unknown events as unknown data', async () => {
    const { provider } = await begun(kind);
    provider.send({ event: 'newThing', media: 7 });
    await provider.settled();
    expect(provider.events).toEqual([{ type: 'unknown_data', messageType: 'newThing' }]);
  });

  it('ignores empty audio and unknown marks', async () => {
    const { clock, provider, transport } = await begun(kind);
    provider.send(frames.media(''));
    for (const name of ['1', '1', '99', '__proto__']) provider.send(frames.played(name));
    await provider.settled();
    expect(provider.events).toEqual([]);
    expect(transport.playbackLagMs?.(clock.nowMs())).toBe(0);
  });

  it('drops audio that arrives faster than real time', async () => {
    const { provider, transport } = await begun(kind);
    const samples = transport.inputFormat.sampleRateHz;
    const bytes = samples * (kind === 'telephony1' || kind === 'telephony2' ? 1 : 2);
    const second = frames.media(Buffer.alloc(bytes, 0x55).toString('base64'));
    for (let i = 0; i < 5; i += 1) provider.send(second);
    await provider.settled();
    const taken = provider.eventsOf('audio').reduce((sum, { samples: { length } }) => sum + length, 0);
    expect(taken).toBe(2 * samples);
    const droppedMs = provider.eventsOf('input_dropped').reduce((sum, { durationMs }) => sum + durationMs, 0);
    expect(droppedMs).toBe(3000);
  });

  it('ends with a connection error on a flood of large frames', async () => {
    const { provider, transport } = await begun(kind);
    const flood = frames.media('AAAA'.repeat(40_000));
    for (let i = 0; i < 80; i += 1) provider.send(flood);
    await provider.settled();
    expect(provider.events.at(-1)).toMatchObject({ type: 'closed', reason: 'connection_error' });
    const closed = provider.closed;
    await transport.close('connection_error');
    expect((await closed)[0]).toBe(1000);
  });

  it('ends with a connection error on a flood of small frames', async () => {
    const { provider } = await begun(kind);
    for (let i = 0; i < 10_000; i += 1) provider.send(frames.digit('1'));
    await provider.settled();
    expect(provider.events.at(-1)).toMatchObject({ type: 'closed', reason: 'connection_error' });
  });
});

describe('16-bit samples', () => {
  it('are read as whole samples of each frame, without half a sample at its end', async () => {
    const { provider } = await begun('telephony3');
    const frames = PROVIDER_FRAMES.telephony3;
    provider.send(frames.media(Buffer.from([1, 0, 2]).toString('base64')));
    provider.send(frames.media(Buffer.from([3]).toString('base64')));
    provider.send(frames.media(Buffer.from([4, 0]).toString('base64')));
    await provider.settled();
    expect(provider.eventsOf('audio').map(({ samples }) => [...samples])).toEqual([[1], [4]]);
  });

  it('are little-endian', async () => {
    const { provider, transport } = await begun('telephony3');
    transport.write(Int16Array.from([0x0102, -2]));
    await provider.settled();
    expect(provider.receivedOf('playAudio')).toEqual([
      PROVIDER_FRAMES.telephony3.wanted.audio(Buffer.from([2, 1, 0xfe, 0xff]).toString('base64')),
    ]);
    provider.send(PROVIDER_FRAMES.telephony3.media(Buffer.from([2, 1, 0xfe, 0xff]).toString('base64')));
    await provider.settled();
    expect(provider.eventsOf('audio').map(({ samples }) => [...samples])).toEqual([[0x0102, -2]]);
  });
});
