import { setTimeout as after } from 'node:timers/promises';
import { concatSamples, samplesFromMs } from '@calls/audio/pcm';
import { encodeWav } from '@calls/audio/wav';
import { toError } from '@calls/foundation/errors';
import { readResponse } from './call-xml.ts';
import type { PhoneReport } from './control.ts';
import { MediaStream, type StreamEnd } from './media-stream.ts';
import {
  ProtocolError,
  type CallStatus,
  type Dialled,
  type Happening,
  type PhoneFacts,
  type ProviderStandIn,
  type StreamOrder,
  type WebRequest,
} from './provider.ts';
import { Voice } from './voice.ts';

const REQUEST_LIMIT_MS = 60_000;
/** Network delay between a response and the next request of the provider. */
const REQUEST_WAY_MS = 50;
/** Maximum duration of a call that the XML dials. */
const DIALLED_LIMIT_MS = 60_000;
/** A call with more webhook requests is hung up, so that redirects cannot loop forever. */
const MAX_REQUESTS = 100;

export interface PhoneListener {
  /** Called when audible audio is played to the person. */
  onSound?: () => void;
  /** Called when the service closed or lost the stream. */
  onStreamLost?: () => void;
}

export interface PhoneOptions {
  provider: ProviderStandIn;
  from: string;
  to: string;
  /** Null for an incoming call. */
  dialled: Dialled | null;
  listener?: PhoneListener | undefined;
}

/** A phone call between a provider and a person. */
export class PhoneCall {
  readonly phoneId = crypto.randomUUID();
  readonly facts: PhoneFacts;
  readonly voice = new Voice();
  readonly #options: PhoneOptions;
  readonly #startedMs = performance.now();
  readonly #verbs: string[] = [];
  readonly #errors: string[] = [];
  readonly #streams: MediaStream[] = [];
  readonly #streamEnds: StreamEnd[] = [];
  readonly #hungUp = new AbortController();
  /** Receives reports of the status; null: nothing does. */
  #status: WebRequest | null;
  #isOver = false;
  #isCancelled = false;
  #requests = 0;

  constructor(options: PhoneOptions) {
    const { provider, from, to, dialled } = options;
    this.#options = options;
    this.#status = dialled?.status ?? null;
    this.facts = {
      callId: provider.newCallId(),
      from,
      to,
      isOutgoing: dialled !== null,
      status: 'ringing',
    };
  }

  /** Rings, and ends if the call is not answered. */
  async ring(behaviour: 'answers' | 'busy' | 'rings_on', answerMs: number): Promise<void> {
    const { dialled } = this.#options;
    if (!dialled) throw new Error('an incoming call cannot ring');
    await this.#become('ringing');
    const ringsMs = behaviour === 'rings_on' ? dialled.ringsAtMostMs : answerMs;
    await this.#waits(ringsMs);
    if (behaviour === 'answers' && !this.#hungUp.signal.aborted) {
      await this.#become('in-progress');
      await this.obey(dialled.answer);
    } else {
      const unanswered = behaviour === 'busy' ? 'busy' : 'no-answer';
      await this.#over(this.#isCancelled ? 'canceled' : unanswered);
    }
  }

  /** Requests XML and executes it until the call ends. */
  async obey(first: WebRequest): Promise<void> {
    // Applications of telephony3 report the end of incoming calls there by default, those of others as configured.
    if (!this.#options.dialled) this.#status = first;
    let request: WebRequest | null = first;
    let happening: Happening = 'started';
    try {
      while (request !== null && !this.#hungUp.signal.aborted) {
        const xml = await this.#ask(request, happening);
        this.facts.status = 'in-progress';
        happening = 'redirected';
        request = await this.#obeyVerbs(xml);
      }
    } catch (thrown) {
      this.#noteError(toError(thrown).message);
    }
    await this.#over('completed');
  }

  /** Connects the call with this WebSocket until the stream ends. */
  async stream(order: StreamOrder): Promise<void> {
    this.facts.status = 'in-progress';
    await this.#connect(order);
    await this.#over('completed');
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  press(digits: string): void {
    const stream = this.#streams.at(-1);
    for (const digit of digits) stream?.press(digit);
  }

  hangUp(): void {
    this.#hungUp.abort();
    this.#streams.at(-1)?.hangUp();
  }

  /** Ends the call on request of the service, even while it rings. */
  cancel(): void {
    this.#isCancelled = true;
    this.hangUp();
  }

  cut(): void {
    this.#streams.at(-1)?.cut();
  }

  report(): PhoneReport {
    const stream = this.#streams.at(-1);
    return {
      phoneId: this.phoneId,
      status: this.facts.status,
      isOver: this.#isOver,
      nowMs: performance.now() - this.#startedMs,
      verbs: this.#verbs,
      streams: this.#streams.length,
      streamEnds: this.#streamEnds,
      streamsWithSound: this.#streams.filter(({ loudspeaker }) => loudspeaker.lastSoundMs !== null).length,
      isHearing: (stream?.loudspeaker.queuedMs ?? 0) > 0,
      lastSoundMs: this.#streams.reduce<number | null>((last, { loudspeaker, begunMs }) => {
        const { lastSoundMs } = loudspeaker;
        return lastSoundMs === null ? last : this.#sinceStart(begunMs) + lastSoundMs;
      }, null),
      clears: this.#streams.flatMap(({ clears, begunMs }) =>
        clears.map(({ atMs, droppedMs }) => ({ atMs: this.#sinceStart(begunMs) + atMs, droppedMs })),
      ),
      digits: this.#streams.map(({ digits }) => digits).join(''),
      errors: this.#errors,
    };
  }

  /** Returns the played audio of all streams, with silence between them, as a WAV file that starts with the call. */
  playedWav(): Uint8Array {
    const [first] = this.#streams;
    const rateHz = first?.loudspeaker.rateHz ?? 8000;
    const parts: Int16Array[] = [];
    let position = 0;
    for (const { loudspeaker, begunMs } of this.#streams) {
      const from = samplesFromMs(this.#sinceStart(begunMs), rateHz);
      if (from > position) parts.push(new Int16Array(from - position));
      const samples = loudspeaker.played();
      parts.push(samples);
      position = Math.max(position, from) + samples.length;
    }
    return encodeWav(concatSamples(parts), rateHz);
  }

  /** Executes the verbs of the XML. Returns the request of a final redirect, or null when the call is over. */
  async #obeyVerbs(xml: string): Promise<WebRequest | null> {
    for (const verb of this.#options.provider.verbsOf(readResponse(xml))) {
      if (this.#hungUp.signal.aborted) return null;
      this.#verbs.push(verb.verb === 'dial' ? `dial ${verb.target}` : verb.verb);
      switch (verb.verb) {
        case 'stream':
          await this.#connect(verb.order);
          break;
        case 'redirect':
          return verb.request;
        case 'hangup':
          return null;
        case 'dial':
          // The dialled person answers and stays until this person hangs up.
          await this.#waits(DIALLED_LIMIT_MS);
          return null;
      }
    }
    return null;
  }

  /** Ends early when the call is hung up. */
  async #waits(limitMs: number): Promise<void> {
    try {
      await after(limitMs, undefined, { signal: this.#hungUp.signal });
    } catch {
      // The call was hung up.
    }
  }

  async #connect(order: StreamOrder): Promise<void> {
    const stream = new MediaStream({
      provider: this.#options.provider,
      call: this.facts,
      order,
      voice: this.voice,
      onError: (error) => this.#noteError(error),
      onSound: this.#options.listener?.onSound,
    });
    this.#streams.push(stream);
    const end = await stream.ended;
    this.#streamEnds.push(end);
    if (end.by === 'remote') this.#options.listener?.onStreamLost?.();
  }

  async #ask(request: WebRequest, happening: Happening): Promise<string> {
    this.#requests += 1;
    if (this.#requests > MAX_REQUESTS) throw new ProtocolError(`more than ${MAX_REQUESTS} webhook requests`);
    await after(REQUEST_WAY_MS);
    const response = await this.#request(request, happening);
    const text = await response.text();
    if (!response.ok) throw new ProtocolError(`the webhook responded with ${response.status}: ${text}`);
    const type = response.headers.get('content-type') ?? '';
    if (!/^(?:text|application)\/xml\b/u.test(type))
      throw new ProtocolError(`XML with the content type ${type}`);
    return text;
  }

  #request({ url, method }: WebRequest, happening: Happening): Promise<Response> {
    const { provider } = this.#options;
    const form = new URLSearchParams(provider.parametersOf(this.facts, happening));
    const target = new URL(url);
    if (method === 'GET') for (const [name, value] of form) target.searchParams.append(name, value);
    const sent = method === 'GET' ? new URLSearchParams() : form;
    const address = method === 'GET' ? target.href : url;
    return fetch(address, {
      method,
      headers: { ...provider.signed({ url: address, method }, sent), connection: 'close' },
      ...(method === 'POST' && { body: form }),
      signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
    });
  }

  async #become(status: CallStatus): Promise<void> {
    this.facts.status = status;
    if (this.#options.dialled?.isReported(status)) await this.#reportStatus();
  }

  async #over(status: CallStatus): Promise<void> {
    this.facts.status = status;
    this.#isOver = true;
    this.voice.stop();
    await this.#reportStatus();
  }

  async #reportStatus(): Promise<void> {
    const request = this.#status;
    if (!request) return;
    try {
      const response = await this.#request(request, 'status');
      await response.body?.cancel();
      if (!response.ok) throw new ProtocolError(`the status callback responded with ${response.status}`);
    } catch (thrown) {
      this.#noteError(toError(thrown).message);
    }
  }

  #sinceStart(atMs: number | null): number {
    return atMs === null ? 0 : atMs - this.#startedMs;
  }

  #noteError(error: string): void {
    if (this.#errors.length < 20) this.#errors.push(error);
  }
}
