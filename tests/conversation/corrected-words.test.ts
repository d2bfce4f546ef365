import { describe, expect, it } from '@jest/globals';
import type { Clock } from '@calls/foundation/clock';
import { IS_LONG_FORM } from '@calls/testkit/long-form';
import {
  BookingModel,
  bookingTools,
  BookingWorld,
  CALENDAR,
  LevelSpeechToText,
  type Day,
} from '../support/booking-world.ts';
import { expectNothingLeft, startCall } from '../support/scripted-call.ts';

const CALLS = IS_LONG_FORM ? 500 : 40;
const CALENDARS = 20;
/** Speech counts as an interruption after 0.09 s, as detected in windows of 32 ms. */
const DETECTION_MS = 160;

/** Pseudo-random numbers from 0 to 1 that depend only on the seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

interface Counts {
  not_started: number;
  cancelled: number;
  undone: number;
  byModel: number;
  starts: number;
}

/** A call in which the user books a day in every calendar, and corrects it or only coughs at a random time. */
async function correctedCall(seed: number, counts: Counts): Promise<void> {
  const random = randomOf(seed);
  const between = (from: number, to: number) => Math.round(from + random() * (to - from));
  const corrections = (['wednesday', 'thursday'] as const).slice(0, between(0, 2.4));
  const coughs = corrections.length === 0;
  const speeches = ['book tuesday', ...(coughs ? [''] : corrections.map((day) => `no ${day}`))];
  const levelOf = (speech: number) => 5000 + 100 * speech;
  const words = new Map(speeches.flatMap((text, i) => (text === '' ? [] : [[levelOf(i), text]])));
  const sttMs = between(40, 400);
  const slowestMs = between(200, 4000);
  const modelMs = between(100, 900);
  const says = random() < 0.5 ? 'One moment, I am going to look at that.' : '';
  const releases = seed % 2 === 0;
  const created: { world: BookingWorld; model: BookingModel }[] = [];
  const call = startCall({
    spec: { dataConnection: CALENDAR },
    stage: { tools: bookingTools(CALENDARS) },
    services: (clock: Clock) => {
      const world = new BookingWorld(clock, () => between(30, slowestMs));
      const model = new BookingModel(clock, CALENDARS, { delayMs: modelMs, says, releases });
      created.push({ world, model });
      const speechToText = new LevelSpeechToText(clock, sttMs, words);
      const { tools, dataConnections } = world;
      return { speechToText, languageModel: model, tools, dataConnections };
    },
  });
  const { transport, clock } = call;
  const [parts] = created;
  if (!parts) throw new Error('no services were created');
  const { world, model } = parts;
  const spoken: { fromMs: number; toMs: number }[] = [];
  let seen = 0;
  const pass = async (ms: number, speech?: number): Promise<void> => {
    const fromMs = clock.nowMs();
    for (let passed = 0; passed < ms; passed += 20) {
      await transport.speak(clock, 20, speech === undefined ? 0 : levelOf(speech));
      for (const { what } of transport.messages.slice(seen))
        world.asClient(what, (message) => transport.say(message));
      seen = transport.messages.length;
    }
    if (speech !== undefined) spoken.push({ fromMs, toMs: clock.nowMs() });
  };
  await pass(between(600, 1400), 0);
  for (let i = 1; i < speeches.length; i += 1) {
    await pass(between(40, 6000));
    await pass(coughs ? between(150, 500) : between(500, 1500), i);
  }
  await pass(12_000);
  for (let more = 0; more < 20 && transport.states.at(-1) !== 'listening'; more += 1) await pass(2000);
  const wanted: Day = corrections.at(-1) ?? 'tuesday';
  if (releases) expect(world.booked).toEqual(Array.from({ length: CALENDARS }, () => [wanted]));
  else expectRunningCallsUndone(world, wanted, spoken);
  // No tool starts before the end of a turn, or while the user speaks again.
  const early = world.starts.filter(({ atMs }) =>
    spoken.some(({ fromMs, toMs }) => atMs > fromMs + DETECTION_MS && atMs < toMs),
  );
  expect(early).toEqual([]);
  for (const each of call.noted('tool_interrupted')) {
    const action = each.type === 'noted' ? each.extras?.['action'] : null;
    if (action === 'not_started' || action === 'cancelled' || action === 'undone') counts[action] += 1;
  }
  counts.byModel += model.releases;
  counts.starts += world.starts.length;
  await call.hangUp();
  await clock.advance(10_000);
  expectNothingLeft(call);
}

/** Checks that calls that ran when the user corrected them are undone, even if the model releases nothing. */
function expectRunningCallsUndone(
  world: BookingWorld,
  wanted: Day,
  spoken: readonly { fromMs: number; toMs: number }[],
): void {
  for (let n = 0; n < CALENDARS; n += 1) expect(world.booked[n]).toContain(wanted);
  const tools = bookingTools(CALENDARS);
  const left = world.bookings.filter(({ tool, day, ...call }) => {
    const { undoTool } = tools.find(({ name }) => name === `book_${tool}`)?.definition ?? {};
    const wasRunning = spoken.some(({ fromMs }) => call.fromMs < fromMs && fromMs + DETECTION_MS < call.toMs);
    return day !== wanted && undoTool !== undefined && wasRunning;
  });
  expect(left).toEqual([]);
}

describe('words that the user corrects', () => {
  it(`leave no tool effects: ${CALLS} corrections at random times, ${CALENDARS} tools each`, async () => {
    const counts: Counts = { not_started: 0, cancelled: 0, undone: 0, byModel: 0, starts: 0 };
    for (let seed = 1; seed <= CALLS; seed += 1) await correctedCall(seed, counts);
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(0);
  });
});
