import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { MAX_LOG_ENTRIES } from '@calls/bus/call-log';
import { linearTrend } from '../support/linear-trend.ts';
import { startCall } from '../support/scripted-call.ts';

const DAY_MS = 24 * 3_600_000;
const TURN_EVERY_MS = 20_000;
const TURNS = DAY_MS / TURN_EVERY_MS;
/** The newest 1000 messages are retained: two per turn. */
const PLATEAU_TURNS = 600;
const LOOK_EVERY_TURNS = 100;
/** Permitted growth of the heap per turn: less than a message. */
const MAX_GROWTH_BYTES = 250;
/** The newest messages, the system prompt, and the current message of the user. */
const MAX_MESSAGES = 1002;
/** The fastest pace at which people can talk. The log must stay within its limit, as a failover reads all of it. */
const FASTEST_TURNS = DAY_MS / 5000;
const TEST_LIMIT_MS = 600_000;

interface Look {
  heapBytes: number;
  timers: number;
  logEntries: number;
  modelMessages: number;
}

/** Measures memory after garbage collection. Clears what the scripted services have recorded. */
function look({ clock, events, llm, tts, stt, transport, latencies }: ReturnType<typeof startCall>): Look {
  const modelMessages = Math.max(...llm.requests.map(({ messages }) => messages.length));
  const logEntries = events.length;
  for (const recorded of [events, llm.requests, tts.spoken, stt.asked, latencies]) recorded.length = 0;
  for (const recorded of [transport.messages, transport.clears]) recorded.length = 0;
  stt.given.clear();
  collectGarbage();
  return {
    heapBytes: process.memoryUsage().heapUsed,
    timers: clock.pendingTimers,
    logEntries,
    modelMessages,
  };
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

describe('a call that lasts a day', () => {
  it(
    'retains a constant number of timers, bounded model input and hardly more memory',
    async () => {
      const call = startCall({
        stt: Array.from({ length: TURNS }, (_, i) => `this is what I say in turn ${i}`),
        spec: { maxDurationMs: DAY_MS + TURN_EVERY_MS },
      });
      // The scripted transport would retain the audio of the whole day.
      call.transport.write = () => undefined;
      const looks: Look[] = [];
      for (let turn = 1; turn <= TURNS; turn += 1) {
        const startedMs = call.clock.nowMs();
        await call.saySomething();
        await call.clock.advance(TURN_EVERY_MS - (call.clock.nowMs() - startedMs));
        if (turn % LOOK_EVERY_TURNS === 0) looks.push(look(call));
      }
      expect(call.outcome).toBeNull();
      const last = looks.slice(PLATEAU_TURNS / LOOK_EVERY_TURNS);
      expect(new Set(last.map(({ timers }) => timers)).size).toBe(1);
      expect(Math.max(...looks.map(({ modelMessages }) => modelMessages))).toBeLessThanOrEqual(MAX_MESSAGES);
      const perTurn = looks.map(({ logEntries }) => logEntries / LOOK_EVERY_TURNS);
      expect(Math.max(...perTurn) * FASTEST_TURNS).toBeLessThan(MAX_LOG_ENTRIES);
      const heap = last.map(({ heapBytes }) => heapBytes);
      const grownBytes = linearTrend(heap) / ((last.length - 1) * LOOK_EVERY_TURNS);
      process.stdout.write(
        `${TURNS} turns in a day: the heap grows by ${grownBytes.toFixed(0)} bytes per turn\n`,
      );
      expect(grownBytes).toBeLessThan(MAX_GROWTH_BYTES);
      await call.hangUp();
    },
    TEST_LIMIT_MS,
  );
});
