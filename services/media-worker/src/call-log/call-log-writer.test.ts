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

/** The largest number of queued entries. */
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

/** A log that accepts entries while `up`; after `hold()` an append waits for `answer()`. */
class FakeCallLogs {
  readonly taken: CallLogEntry[] = [];
  /** The response to the next append is lost. */
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
  it('numbers entries from 1 and sends them one after the other', async () => {
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
    'omits content only with zero retention: %s',
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

  it('retries an entry with growing pauses until the bus accepts it, before it sends later ones', async () => {
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

  it('stops retries immediately when it is abandoned', async () => {
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

  it('sends new entries once after it was abandoned', async () => {
    const { bus, writer } = create();
    writer.abandon();
    writer.write(ended);
    await writer.flushed();
    expect(bus.texts).toEqual(['ended']);
  });

  it('drops the oldest notes first when its queue is full, without gaps in the sequence numbers', async () => {
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

  it('queues the end of a call even when its queue is full', async () => {
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

  it('stores an entry once when the bus response to it is lost', async () => {
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

  it('does not mistake an entry of another writer for its own', async () => {
    const { clock, bus, call, writer } = create();
    bus.taken.push({ ...call, seq: 1, epoch: call.epoch, wallClockMs: -1, body: noted('not sent here') });
    writer.write(noted('a'));
    await clock.advance(100);
    await writer.flushed();
    expect(bus.taken).toMatchObject([{ seq: 1 }, { seq: 2, body: { text: 'a' } }]);
  });

  it('stops writing when a later owner has written', async () => {
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
