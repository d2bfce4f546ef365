import { describe, expect, it } from '@jest/globals';
import type { CallLogEntryBody, CallLogEntry } from '@calls/api-contract/bus/call-log-entry';
import type { CallSpec } from '@calls/api-contract/call-spec';
import { CallLogMovedError } from '@calls/bus/bus-error';
import type { StoredCallLogEntry } from '@calls/bus/call-log';
import { createEventSeal } from '@calls/bus/call-seal';
import { newId } from '@calls/foundation/ids';
import { silentLogger } from '@calls/foundation/logger';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { CallLogWriter } from './call-log-writer.ts';

/** As many as may wait. */
const CAPACITY = 2000;

const stageId = newId();
const noted = (text: string): CallLogEntryBody => ({
  type: 'noted',
  stageId,
  callTimestampMs: 0,
  severity: 'info',
  eventType: 'test',
  text,
  extras: null,
});
const said = (index: number): CallLogEntryBody => ({
  type: 'message_added',
  stageId,
  index,
  message: { role: 'MESSAGE_ROLE_USER', text: 'x' },
});
const ended: CallLogEntryBody = {
  type: 'ended',
  endReason: 'hangup',
  joinedAtMs: null,
  inputTokens: 0,
  outputTokens: 0,
};

/** One log, that takes events while `up`, and one that holds them until `answer` while `slow`. */
class FakeCallLogs {
  readonly taken: CallLogEntry[] = [];
  /** The answer to the next event gets lost. */
  losesAnswer = false;
  attempts = 0;
  underWay = 0;
  mostUnderWay = 0;
  up = true;
  #slow: PromiseWithResolvers<void> | null = null;

  hold(): void {
    this.#slow = Promise.withResolvers();
  }

  answer(): void {
    this.#slow?.resolve();
    this.#slow = null;
  }

  last(): Promise<StoredCallLogEntry | null> {
    const event = this.taken.at(-1);
    return Promise.resolve(event ? { event, position: this.taken.length } : null);
  }

  async append(event: CallLogEntry, after?: number): Promise<number> {
    this.attempts += 1;
    this.underWay += 1;
    this.mostUnderWay = Math.max(this.mostUnderWay, this.underWay);
    try {
      await this.#slow?.promise;
      if (!this.up) throw new Error('no bus');
      if (after !== this.taken.length) throw new CallLogMovedError(event.callId);
      this.taken.push(event);
      if (!this.losesAnswer) return this.taken.length;
      this.losesAnswer = false;
      throw new Error('no answer');
    } finally {
      this.underWay -= 1;
    }
  }

  get texts(): string[] {
    return this.taken.map(({ body }) => (body.type === 'noted' ? body.text : body.type));
  }
}

function create(retention: CallSpec['retention'] = 'retain') {
  const clock = new VirtualClock();
  const bus = new FakeCallLogs();
  const [callId, accountId, epoch] = [newId(), newId(), 3];
  const writer = new CallLogWriter({
    call: { callId, accountId, retention },
    epoch,
    after: null,
    callLogs: bus,
    eventSeal: createEventSeal(['a secret for tests only']),
    clock,
    log: silentLogger,
    onFenced: () => {
      fenced += 1;
    },
  });
  let fenced = 0;
  return {
    clock,
    bus,
    call: { callId, accountId, epoch },
    writer,
    get fenced() {
      return fenced;
    },
  };
}

describe('CallLogWriter', () => {
  it('numbers events from 1 and sends them one after the other', async () => {
    const { clock, bus, call, writer } = create();
    writer.write({ type: 'joined', clientVersion: null, workerId: 'w1' });
    writer.write(noted('a'));
    await writer.flushed();
    await clock.advance(500);
    writer.write(ended);
    await writer.flushed();
    expect(bus.taken).toEqual([
      {
        ...call,
        seq: 1,
        wallClockMs: clock.wallMs() - 500,
        body: { type: 'joined', clientVersion: null, workerId: 'w1' },
      },
      { ...call, seq: 2, wallClockMs: clock.wallMs() - 500, body: noted('a') },
      { ...call, seq: 3, wallClockMs: clock.wallMs(), body: ended },
    ]);
    expect(bus.mostUnderWay).toBe(1);
  });

  it.each(['retain', 'auto_delete', 'zdr'] as const)(
    'sends words unless there may be none: %s',
    async (retention) => {
      const { bus, writer } = create(retention);
      writer.write(said(0));
      writer.write(noted('spoken words'));
      writer.write({ ...ended, transferTo: 'spoken words' });
      await writer.flushed();
      expect(JSON.stringify(bus.taken.map(({ body }) => body)).includes('words')).toBe(retention !== 'zdr');
      expect(bus.taken.map(({ body }) => body.type)).toEqual(['message_added', 'noted', 'ended']);
      expect(bus.taken.at(-1)!.body).toHaveProperty('transferTo');
    },
  );

  it('tries an event again, with growing pauses, until the bus takes it; later ones wait behind it', async () => {
    const { clock, bus, writer } = create();
    bus.up = false;
    writer.write(noted('a'));
    writer.write(noted('b'));
    const attemptsAt: number[] = [];
    for (const byMs of [0, 100, 200, 400, 800, 1600, 2000, 2000]) {
      await clock.advance(byMs);
      attemptsAt.push(bus.attempts);
    }
    expect(attemptsAt).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    bus.up = true;
    await clock.advance(2000);
    await writer.flushed();
    expect(bus.taken.map(({ seq }) => seq)).toEqual([1, 2]);
    expect(bus.texts).toEqual(['a', 'b']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('gives up at once what the bus has not taken when it is abandoned', async () => {
    const { clock, bus, writer } = create();
    bus.up = false;
    writer.write(noted('a'));
    writer.write(ended);
    await clock.advance(50);
    writer.abandon();
    await writer.flushed();
    expect(bus.attempts).toBe(1);
    expect(clock.pendingTimers).toBe(0);
  });

  it('still sends what the bus takes at the first try after it was abandoned', async () => {
    const { bus, writer } = create();
    writer.abandon();
    writer.write(ended);
    await writer.flushed();
    expect(bus.texts).toEqual(['ended']);
  });

  it('drops the oldest notes first when too much waits, and keeps the numbers dense', async () => {
    const { bus, writer } = create();
    bus.hold();
    writer.write(noted('under way'));
    for (let i = 0; i < CAPACITY; i += 1) writer.write(i % 2 === 0 ? noted(`note ${i}`) : said(i));
    writer.write(said(CAPACITY + 1));
    writer.write(noted('latest'));
    bus.answer();
    await writer.flushed();
    expect(bus.taken).toHaveLength(CAPACITY + 1);
    expect(bus.texts).not.toContain('note 0');
    expect(bus.texts).not.toContain('note 2');
    expect(bus.texts).toContain('note 4');
    expect(bus.texts.slice(-2)).toEqual(['message_added', 'latest']);
    expect(bus.taken.map(({ seq }) => seq)).toEqual(bus.taken.map((_event, i) => i + 1));
  });

  it('takes the end of a call however much waits', async () => {
    const { bus, writer } = create();
    bus.hold();
    writer.write(noted('under way'));
    for (let i = 0; i < CAPACITY; i += 1) writer.write(said(i));
    writer.write(said(CAPACITY));
    writer.write(noted('no room'));
    writer.write(ended);
    bus.answer();
    await writer.flushed();
    expect(bus.taken).toHaveLength(CAPACITY + 2);
    expect(bus.texts.at(-1)).toBe('ended');
    expect(bus.texts).not.toContain('no room');
  });

  it('stores an event once whose answer got lost', async () => {
    const { clock, bus, writer } = create();
    bus.losesAnswer = true;
    writer.write(noted('a'));
    writer.write(noted('b'));
    await clock.advance(100);
    await writer.flushed();
    expect(bus.texts).toEqual(['a', 'b']);
  });

  it('continues after the entries of an earlier owner, and starts over when the log is lost', async () => {
    const { clock, bus, call, writer } = create();
    bus.taken.push({ ...call, seq: 7, epoch: call.epoch - 1, wallClockMs: 0, body: noted('of another') });
    writer.write(noted('a'));
    await clock.advance(100);
    await writer.flushed();
    bus.taken.length = 0;
    writer.write(noted('b'));
    await clock.advance(100);
    await writer.flushed();
    expect(bus.taken).toMatchObject([{ seq: 9, body: { text: 'b' } }]);
  });

  it('takes no other event for its own', async () => {
    const { clock, bus, call, writer } = create();
    bus.taken.push({ ...call, seq: 1, epoch: call.epoch, wallClockMs: -1, body: noted('not sent here') });
    writer.write(noted('a'));
    await clock.advance(100);
    await writer.flushed();
    expect(bus.taken).toMatchObject([{ seq: 1 }, { seq: 2, body: { text: 'a' } }]);
  });

  it('falls silent when a later owner has written', async () => {
    const created = create();
    const { bus, call, writer } = created;
    bus.taken.push({ ...call, seq: 1, epoch: call.epoch + 1, wallClockMs: 0, body: noted('of the next') });
    writer.write(noted('a'));
    writer.write(noted('b'));
    await writer.flushed();
    writer.write(ended);
    await writer.flushed();
    expect(bus.texts).toEqual(['of the next']);
    expect(created.fenced).toBe(1);
  });

  it('stops writing when another writer has ended the call', async () => {
    const created = create();
    const { bus, call, writer } = created;
    bus.taken.push({ ...call, seq: 1, wallClockMs: -1, body: ended });
    writer.write(noted('a'));
    writer.write(ended);
    await writer.flushed();
    expect(bus.texts).toEqual(['ended']);
    expect(created.fenced).toBe(1);
  });
});
