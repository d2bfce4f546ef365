import { beforeEach, describe, expect, it } from '@jest/globals';
import { silentLogger } from '@calls/foundation/logger';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { CallEvents } from './call-events.ts';
import type { SessionMetrics } from './services.ts';
import { TurnReporter } from './turn-reporter.ts';

const ignored = (): void => undefined;
const metrics: SessionMetrics = {
  ...{ frameSent: ignored, playoutStarved: ignored, turnResponded: ignored, turnAudible: ignored },
  ...{ turnAudited: ignored, responseStarted: ignored, interruption: ignored, turnModel: ignored },
  ...{ speculation: ignored, error: ignored, responseMissing: ignored, transferEnded: ignored },
  transcriptLost: ignored,
};

let clock: VirtualClock;
let latenciesMs: unknown[];
let reporter: TurnReporter;

/** The user's speech has ended at this time, and the first audio of the response is sent. */
function respond(generation: number): void {
  reporter.endpointReached(clock.nowMs());
  reporter.observe({ type: 'add_user_message', text: 'Hello', medium: 'voice', utterances: [] }, false);
  sendAudio(generation);
}

function sendAudio(generation: number): void {
  const times = { startedMs: clock.nowMs(), firstTokenMs: null, firstAudioMs: null };
  reporter.responseStarted({ generation, medium: 'voice', times, silenceMs: () => 0 });
}

beforeEach(() => {
  clock = new VirtualClock();
  latenciesMs = [];
  const callTimeMs = (): number => clock.nowMs();
  const callEvents = new CallEvents({
    ...{ clock, callTimeMs, metrics, log: silentLogger },
    ...{ stageId: () => 'stage', send: () => undefined, emit: () => undefined },
  });
  reporter = new TurnReporter({
    ...{ clock, metrics, callEvents, callTimeMs },
    onTurn: ({ speechEndMs, firstSoundMs }) => latenciesMs.push(firstSoundMs - speechEndMs),
  });
});

describe('TurnReporter', () => {
  it('reports the latency of a response when it is played', async () => {
    respond(1);
    await clock.advance(300);
    // After a pause of the playout.
    sendAudio(1);
    expect(latenciesMs).toEqual([]);
    reporter.audioPlayed(clock.nowMs());
    reporter.audioPlayed(clock.nowMs() + 20);
    reporter.close();
    expect(latenciesMs).toEqual([300]);
  });

  it('reports no latency of a response that was interrupted before it was played', async () => {
    respond(1);
    reporter.observe({ type: 'interrupt_generation', generation: 1 }, false);
    await clock.advance(5000);
    // A response without a turn of the user.
    sendAudio(2);
    reporter.audioPlayed(clock.nowMs());
    respond(3);
    await clock.advance(5000);
    respond(4);
    reporter.audioPlayed(clock.nowMs() + 40);
    respond(5);
    reporter.close();
    expect(latenciesMs).toEqual([40]);
  });
});
