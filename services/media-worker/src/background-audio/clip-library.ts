import type { CallSpec } from '@calls/api-contract/call-spec';
import { BACKGROUND_CLIP_NAMES, type BackgroundClipName } from '@calls/api-contract/rest/call-setting-values';
import type { BackgroundClips } from '@calls/conversation/ports/background-clips';
import type { Clock } from '@calls/foundation/clock';
import { AppError, toError } from '@calls/foundation/errors';
import type { OutboundHttp } from '@calls/outbound-http/outbound-http';
import { callSignatureHeaders } from '@calls/outbound-http/request-signature';
import { loopOf, noisePieces } from './clip-audio.ts';
import { streamClip } from './fetch-clip.ts';

/** Maximum size of cached clips that no call plays. One minute at 48 kHz takes 5.5 MiB. */
const MAX_CACHE_BYTES = 64 * 1024 * 1024;
/** Maximum number of concurrent downloads. */
const MAX_FETCHES = 4;

export interface ClipLibraryOptions {
  outbound: OutboundHttp;
  clock: Clock;
  maxCacheBytes?: number;
}

interface Entry {
  clip: Promise<Int16Array>;
  /** 0 until the clip is loaded. */
  bytes: number;
}

type Caller = Pick<CallSpec, 'callId' | 'sharedSecrets'>;

/**
 * Built-in clips by name and others by URL. Each is loaded once and cached. A clip that was requested with a signature
 * is only used for calls with the same shared secrets, because its server may reject others.
 */
export class ClipLibrary implements BackgroundClips {
  readonly #outbound: OutboundHttp;
  readonly #clock: Clock;
  readonly #maxCacheBytes: number;
  /** Keyed by clip, rate and signing secrets, in order of last use. */
  readonly #entries = new Map<string, Entry>();
  readonly #waiting: (() => void)[] = [];
  #cachedBytes = 0;
  #fetches = 0;

  constructor({ outbound, clock, maxCacheBytes = MAX_CACHE_BYTES }: ClipLibraryOptions) {
    this.#clock = clock;
    this.#outbound = outbound;
    this.#maxCacheBytes = maxCacheBytes;
  }

  get cachedBytes(): number {
    return this.#cachedBytes;
  }

  load(audioClip: string, sampleRateHz: number, call: Caller): Promise<Int16Array> {
    const secrets = nameOf(audioClip) ? [] : call.sharedSecrets;
    const key = JSON.stringify([sampleRateHz, audioClip, ...secrets]);
    const entry = this.#entries.get(key) ?? this.#begin(key, audioClip, sampleRateHz, call);
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.clip;
  }

  #begin(key: string, audioClip: string, sampleRateHz: number, call: Caller): Entry {
    const entry: Entry = { clip: this.#make(audioClip, sampleRateHz, call), bytes: 0 };
    entry.clip.then(
      ({ byteLength }) => this.#cache(entry, byteLength),
      // The next call retries.
      () => this.#entries.delete(key),
    );
    return entry;
  }

  #cache(entry: Entry, bytes: number): void {
    entry.bytes = bytes;
    this.#cachedBytes += bytes;
    for (const [key, oldest] of this.#entries) {
      if (this.#cachedBytes <= this.#maxCacheBytes) return;
      if (oldest.bytes === 0) continue;
      this.#entries.delete(key);
      this.#cachedBytes -= oldest.bytes;
    }
  }

  async #make(audioClip: string, sampleRateHz: number, call: Caller): Promise<Int16Array> {
    const name = nameOf(audioClip);
    const loop = name
      ? await loopOf(noisePieces(name), sampleRateHz)
      : await this.#fetch(audioClip, sampleRateHz, call);
    if (loop.length > 0) return loop;
    throw unavailable(new AppError('clip_unavailable', 'the file has no audio'));
  }

  async #fetch(url: string, sampleRateHz: number, { callId, sharedSecrets }: Caller): Promise<Int16Array> {
    while (this.#fetches === MAX_FETCHES) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#fetches += 1;
    try {
      const signature = callSignatureHeaders(callId, sharedSecrets, this.#clock.wallMs());
      return await loopOf(streamClip(this.#outbound, url, signature), sampleRateHz);
    } catch (thrown) {
      throw unavailable(toError(thrown));
    } finally {
      this.#fetches -= 1;
      this.#waiting.shift()?.();
    }
  }
}

/** Null if the clip is a URL. */
function nameOf(audioClip: string): BackgroundClipName | null {
  return BACKGROUND_CLIP_NAMES.find((each) => each === audioClip) ?? null;
}

/** An error message for the owner of the call; internal errors show no details. */
function unavailable(cause: Error): AppError {
  const reason = cause instanceof AppError ? `: ${cause.message}` : '';
  return new AppError('background_audio_unavailable', `The background audio cannot be played${reason}.`, {
    cause,
  });
}
