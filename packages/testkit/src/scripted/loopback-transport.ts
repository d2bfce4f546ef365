import type { ClientMessage } from '@calls/api-contract/data-messages/client-messages';
import { ServerMessage } from '@calls/api-contract/data-messages/server-messages';
import type {
  DisconnectReason,
  CloseReason,
  MediaTransport,
} from '@calls/conversation/ports/media-transport';
import { TransportEvents } from '@calls/conversation/ports/transport-events';
import type { Clock } from '@calls/foundation/clock';
import { compileValidator } from '@calls/foundation/schema/validator';
import type { VirtualClock } from '@calls/foundation/virtual-clock';

const SAMPLE_RATE_HZ = 16_000;
const SAMPLES_PER_MS = SAMPLE_RATE_HZ / 1000;
const FRAME_MS = 20;
const serverMessages = compileValidator('server message', ServerMessage);

export interface Timed<T> {
  atMs: number;
  what: T;
}

/**
 * A transport whose remote end is the test. It sends frames into the call, and records the output with its time.
 * `send` throws if a message does not match its published schema.
 */
export class LoopbackTransport implements MediaTransport {
  readonly inputFormat = { sampleRateHz: SAMPLE_RATE_HZ };
  readonly outputFormat = { sampleRateHz: SAMPLE_RATE_HZ };
  readonly outputLeadMs = 60;
  readonly events = new TransportEvents();
  readonly messages: Timed<ServerMessage>[] = [];
  /** Sample count of each output frame. */
  readonly frames: Timed<number>[] = [];
  readonly clears: number[] = [];
  closedWith: CloseReason | null = null;
  probes = 0;
  /** Reported playback lag. */
  behindMs = 0;
  readonly #clock: Clock;
  #closed = false;
  /** Audio as it is played, with its time. */
  #played: Timed<Int16Array>[] = [];
  #playedEndMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  write(samples: Int16Array): void {
    if (this.#closed) return;
    const nowMs = this.#clock.nowMs();
    this.frames.push({ atMs: nowMs, what: samples.length });
    const atMs = Math.max(nowMs, this.#playedEndMs);
    this.#played.push({ atMs, what: samples.slice() });
    this.#playedEndMs = atMs + samples.length / SAMPLES_PER_MS;
  }

  clear(): void {
    if (this.#closed) return;
    const nowMs = this.#clock.nowMs();
    this.clears.push(nowMs);
    this.#played = this.#played.filter(({ atMs }) => atMs < nowMs);
    const last = this.#played.at(-1);
    if (last) last.what = last.what.subarray(0, Math.round((nowMs - last.atMs) * SAMPLES_PER_MS));
    this.#playedEndMs = Math.min(this.#playedEndMs, nowMs);
    this.send({ type: 'playback_clear_buffer' });
  }

  playbackLagMs(): number {
    return this.behindMs;
  }

  send(message: ServerMessage): void {
    if (this.#closed) return;
    this.messages.push({ atMs: this.#clock.nowMs(), what: serverMessages.parse(message) });
  }

  probe(): void {
    this.probes += 1;
  }

  close(reason: CloseReason): Promise<void> {
    this.closedWith ??= reason;
    this.#end('hangup', 'closed by the server');
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close('system_error');
  }

  /** Sends samples immediately. */
  hear(samples: Int16Array): void {
    this.events.push({ type: 'audio', samples });
  }

  /** Sends `durationMs` of speech (or silence) in real time. */
  async speak(clock: VirtualClock, durationMs: number, level = 5000): Promise<void> {
    for (let sentMs = 0; sentMs < durationMs; sentMs += FRAME_MS) {
      const samples = new Int16Array((SAMPLE_RATE_HZ * FRAME_MS) / 1000).fill(level);
      this.hear(samples);
      await clock.advance(FRAME_MS);
    }
  }

  silence(clock: VirtualClock, durationMs: number): Promise<void> {
    return this.speak(clock, durationMs, 0);
  }

  say(message: ClientMessage): void {
    this.events.push({ type: 'data', message });
  }

  hangUp(reason: DisconnectReason = 'hangup'): void {
    this.#end(reason, 'test');
  }

  /** Duration of the audio written between two times. */
  playedMs(fromMs = 0, toMs = Number.POSITIVE_INFINITY): number {
    const frames = this.frames.filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
    return frames.reduce((sum, { what }) => sum + what, 0) / (SAMPLE_RATE_HZ / 1000);
  }

  /** The audio played between two times of the clock, without what was cleared in time. */
  playedAudio(untilMs: number, fromMs = 0): Int16Array {
    const played = new Int16Array(Math.round((untilMs - fromMs) * SAMPLES_PER_MS));
    for (const { atMs, what } of this.#played) {
      const at = Math.round((atMs - fromMs) * SAMPLES_PER_MS);
      if (at < played.length && at + what.length > 0)
        played.set(what.subarray(Math.max(0, -at), played.length - at), Math.max(0, at));
    }
    return played;
  }

  #end(reason: DisconnectReason, detail: string): void {
    if (this.#closed) return;
    this.#closed = true;
    this.events.push({ type: 'closed', reason, detail });
    this.events.close();
  }

  /** States in the order they were announced. */
  get states(): string[] {
    return this.messages.flatMap(({ what }) => (what.type === 'state' ? [what.state] : []));
  }

  /** Final transcripts as "role: text", in the order of their ordinals. */
  get transcript(): string[] {
    const finals: string[] = [];
    for (const { what } of this.messages) {
      if (what.type === 'transcript' && what.final) finals[what.ordinal] = `${what.role}: ${what.text ?? ''}`;
    }
    return finals;
  }
}
