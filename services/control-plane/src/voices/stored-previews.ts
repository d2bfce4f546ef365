import { createHash } from 'node:crypto';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import type { ObjectStorage } from '@calls/object-storage/object-storage';
import { previewSentence } from './preview-sentences.ts';
import type { SpeakingVoice, VoicePreviews } from './voice-previews.ts';

export interface Preview {
  wav: Uint8Array;
  /** Strong entity tag, with quotes. */
  etag: string;
}

/**
 * Stored previews of catalogue voices. Each voice has one object: the last preview, with a fingerprint of
 * everything that determines its sound. A changed voice or key produces a new preview.
 */
export class StoredPreviews {
  readonly #storage: ObjectStorage;
  readonly #previews: VoicePreviews;
  readonly #log: Logger;

  constructor(deps: { storage: ObjectStorage; previews: VoicePreviews; log: Logger }) {
    this.#storage = deps.storage;
    this.#previews = deps.previews;
    this.#log = deps.log;
  }

  async of(accountId: string, voiceId: string, voice: SpeakingVoice): Promise<Preview> {
    const fingerprint = fingerprintOf(voice);
    const etag = `"${fingerprint.toString('hex')}"`;
    const stored = await this.#trying(() => this.#read(voiceId, fingerprint));
    if (stored) return { wav: stored, etag };
    const wav = await this.#previews.speak(accountId, voice);
    await this.#trying(() => this.#storage.put(keyOf(voiceId), [fingerprint, wav]));
    return { wav, etag };
  }

  async forget(voiceId: string): Promise<void> {
    await this.#trying(() => this.#storage.delete(keyOf(voiceId)));
  }

  async #read(voiceId: string, fingerprint: Buffer): Promise<Uint8Array | null> {
    const object = await this.#storage.open(keyOf(voiceId));
    if (!object) return null;
    const chunks: Uint8Array[] = [];
    for await (const chunk of object.read()) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const isOfVoice = fingerprint.equals(bytes.subarray(0, fingerprint.byteLength));
    return isOfVoice ? bytes.subarray(fingerprint.byteLength) : null;
  }

  /** If the storage fails, previews are generated without it. */
  async #trying<T>(use: () => Promise<T>): Promise<T | null> {
    try {
      return await use();
    } catch (thrown) {
      this.#log.warn({ err: toError(thrown) }, 'failed to store voice preview');
      return null;
    }
  }
}

function keyOf(voiceId: string): string {
  return `voice-previews/${voiceId}`;
}

function fingerprintOf({ selection, language }: SpeakingVoice): Buffer {
  const spoken = [selection.engine, selection.settings, language, previewSentence(language)];
  return createHash('sha256').update(JSON.stringify(spoken)).digest();
}
