import type {
  AudioFormat,
  DisconnectReason,
  CloseReason,
  MediaTransport,
} from '@calls/conversation/ports/media-transport';
import { TransportEvents } from '@calls/conversation/ports/transport-events';
import type { Clock, Timer } from '@calls/foundation/clock';
import {
  malformed,
  type FrameWriter,
  type StreamEvent,
  type StreamStart,
} from '@calls/providers/telephony/dialect';
import type { ClientSocket } from '../client-socket/client-socket.ts';
import type { OpusCodecs } from '../opus/opus-codecs.ts';
import { CHECK_EVERY_MS, MediaTimeout } from '../media-timeout.ts';
import { TimedInput } from '../timed-input.ts';
import { ChunkOrder } from './chunk-order.ts';
import { OpusInput } from './opus-input.ts';
import { PlayedMarks } from './played-marks.ts';
import { readBase64, StreamCodec } from './stream-codec.ts';
import { WholeChunks } from './whole-chunks.ts';

/** Output lead in the provider's buffer, to absorb network jitter. Chunks longer than a frame add to it. */
const OUTPUT_LEAD_MS = 200;
const FRAME_MS = 20;
/** A remainder shorter than a chunk is padded with silence when nothing was written for this time ... */
const FILL_AFTER_MS = 60;
/** ... and the audio sent before is almost played. */
const FILL_AHEAD_MS = 100;
/** Providers send audio continuously. One that sends nothing for this long has lost the stream. */
const MAX_SILENCE_MS = 60_000;

export interface TelephonyTransportOptions {
  link: ClientSocket;
  start: StreamStart;
  writer: FrameWriter;
  opus: OpusCodecs;
  clock: Clock;
}

/** A phone call with a started stream. The owner passes messages of `link` to `take`, and its end to `ended`. */
export class TelephonyTransport implements MediaTransport {
  readonly inputFormat: AudioFormat;
  readonly outputFormat: AudioFormat;
  readonly outputLeadMs: number;
  readonly events = new TransportEvents();
  readonly #link: ClientSocket;
  readonly #codec: StreamCodec;
  /** Null if the user's audio has another codec. */
  readonly #opus: OpusInput | null;
  readonly #writer: FrameWriter;
  readonly #clock: Clock;
  readonly #input: TimedInput;
  readonly #order = new ChunkOrder();
  readonly #marks = new PlayedMarks();
  readonly #chunks: WholeChunks;
  readonly #outputSamplesPerMs: number;
  #lastWriteMs = 0;
  /** Set while a remainder shorter than a chunk waits. */
  #fillTimer: Timer | null = null;
  #checkTimer: Timer;
  readonly #timeout: MediaTimeout;

  constructor({ link, start, writer, opus, clock }: TelephonyTransportOptions) {
    this.#link = link;
    const { encoding } = start.input;
    const input = encoding === 'opus' ? 'linear16' : encoding;
    this.#codec = new StreamCodec({ input, output: start.output.encoding });
    this.#opus = encoding === 'opus' ? this.#openOpus(opus) : null;
    this.#writer = writer;
    this.#clock = clock;
    this.inputFormat = { sampleRateHz: start.input.sampleRateHz };
    this.outputFormat = { sampleRateHz: start.output.sampleRateHz };
    this.#outputSamplesPerMs = start.output.sampleRateHz / 1000;
    const chunkMs = writer.chunkSamples / this.#outputSamplesPerMs;
    this.outputLeadMs = OUTPUT_LEAD_MS + Math.max(0, chunkMs - FRAME_MS);
    this.#chunks = new WholeChunks(writer.chunkSamples);
    this.#input = new TimedInput(start.input.sampleRateHz, (event) => this.events.push(event));
    this.#timeout = new MediaTimeout(clock.nowMs());
    this.#checkTimer = this.#scheduleCheck();
    link.send(writer.mark(this.#marks.begin(clock.nowMs())));
  }

  write(samples: Int16Array): void {
    if (this.#link.ended) return;
    this.#lastWriteMs = this.#clock.nowMs();
    this.#marks.wrote(samples.length / this.#outputSamplesPerMs, this.#lastWriteMs);
    this.#sendAudio(this.#chunks.push(samples));
    if (this.#chunks.waitingSamples > 0) this.#fillTimer ??= this.#scheduleFill();
  }

  clear(): void {
    this.#chunks.drop();
    this.#marks.cleared(this.#clock.nowMs());
    this.#link.send(this.#writer.clear());
  }

  sendDigits(digits: string): boolean {
    const frame = this.#writer.digits?.(digits);
    if (frame === undefined) return false;
    this.#link.send(frame);
    return true;
  }

  playoutDelayMs(nowMs: number): number {
    return this.#marks.startsInMs(nowMs);
  }

  playbackLagMs(nowMs: number): number {
    return this.#marks.lateMs(nowMs);
  }

  send(): void {
    // Phones do not receive data messages.
  }

  probe(): void {
    this.#link.checkLife();
  }

  close(reason: CloseReason): Promise<void> {
    return this.#link.close(reason);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close('system_error');
  }

  take(event: StreamEvent): void {
    const nowMs = this.#clock.nowMs();
    this.#timeout.received(nowMs);
    switch (event.type) {
      case 'audio':
        this.#onMedia(event, nowMs);
        break;
      case 'dtmf':
        this.events.push(event);
        break;
      case 'played':
        this.#marks.played(event.mark, nowMs);
        break;
      case 'stop':
        this.#link.end('hangup', 'the provider ended the stream');
        break;
      case 'start':
        this.events.push(malformed('start: the stream has already started'));
        break;
      case 'malformed':
        this.events.push(event);
        break;
      case 'unknown':
        this.events.push({ type: 'unknown_data', messageType: event.event });
        break;
      case 'other':
        break;
    }
  }

  ended(reason: DisconnectReason, detail: string): void {
    this.#checkTimer.cancel();
    this.#fillTimer?.cancel();
    this.#opus?.[Symbol.dispose]();
    this.events.push({ type: 'closed', reason, detail });
    this.events.close();
  }

  #sendAudio(samples: Int16Array): void {
    if (samples.length === 0) return;
    this.#link.send(this.#writer.audio(this.#codec.encode(samples)));
    const mark = this.#marks.sent(this.#chunks.waitingSamples / this.#outputSamplesPerMs);
    if (mark !== null) this.#link.send(this.#writer.mark(mark));
  }

  #scheduleFill(): Timer {
    const nowMs = this.#clock.nowMs();
    return this.#clock.setTimer(Math.max(1, this.#fillAtMs(nowMs) - nowMs), () => {
      this.#fillTimer = null;
      this.#fill();
    });
  }

  #fillAtMs(nowMs: number): number {
    const waitingMs = this.#chunks.waitingSamples / this.#outputSamplesPerMs;
    const sentEndMs = nowMs + this.#marks.startsInMs(nowMs) - waitingMs;
    return Math.max(this.#lastWriteMs + FILL_AFTER_MS, sentEndMs - FILL_AHEAD_MS);
  }

  /** Pads the remainder with silence unless more audio was written. */
  #fill(): void {
    if (this.#chunks.waitingSamples === 0) return;
    const nowMs = this.#clock.nowMs();
    if (this.#fillAtMs(nowMs) > nowMs) {
      this.#fillTimer = this.#scheduleFill();
      return;
    }
    const waitingSamples = this.#chunks.waitingSamples;
    const filled = this.#chunks.flush();
    this.#marks.wrote((filled.length - waitingSamples) / this.#outputSamplesPerMs, nowMs);
    this.#sendAudio(filled);
  }

  #openOpus(opus: OpusCodecs): OpusInput {
    return new OpusInput(opus, {
      onAudio: (samples) => this.#input.audio(samples, this.#clock.nowMs()),
      onError: ({ message }) => this.#link.end('connection_error', `the codec failed: ${message}`),
    });
  }

  #onMedia({ payload, chunk }: StreamEvent & { type: 'audio' }, nowMs: number): void {
    const due = chunk === undefined ? [payload] : this.#order.push(chunk, payload, nowMs);
    for (const each of due) this.#onAudio(each, nowMs);
  }

  #onAudio(payload: string, nowMs: number): void {
    if (this.#opus) {
      const packet = readBase64(payload);
      if (!packet || !this.#opus.decode(packet))
        this.events.push(malformed('media: the payload is not an Opus packet in base64'));
      return;
    }
    const samples = this.#codec.decode(payload);
    if (!samples) this.events.push(malformed('media: the payload is not base64'));
    else if (samples.length > 0) this.#input.audio(samples, nowMs);
  }

  #check(): void {
    const nowMs = this.#clock.nowMs();
    for (const payload of this.#order.overdue(nowMs)) this.#onAudio(payload, nowMs);
    this.#input.check(nowMs);
    if (this.#timeout.check(nowMs) >= MAX_SILENCE_MS) {
      this.#link.end('connection_error', `the provider sent nothing for ${MAX_SILENCE_MS} ms`);
      return;
    }
    this.#checkTimer = this.#scheduleCheck();
    this.#link.check(nowMs);
  }

  #scheduleCheck(): Timer {
    return this.#clock.setTimer(CHECK_EVERY_MS, () => this.#check());
  }
}
