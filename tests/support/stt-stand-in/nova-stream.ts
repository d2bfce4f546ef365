import { setTimeout as after } from 'node:timers/promises';
import { ProviderStream, RATE_HZ, REQUEST_ID, SAMPLES_PER_MS } from './provider-stream.ts';
import { isSilent } from './tone-words.ts';

const PAUSE_SAMPLES = 60 * SAMPLES_PER_MS;

/** A stream of `/v1/listen`. */
export class NovaStream extends ProviderStream {
  protected readonly malformed = { type: 'Results', channel: 'none' };
  protected readonly error = {
    type: 'Error',
    description: 'The stand-in is configured to fail.',
    variant: 'INTERNAL',
  };

  protected async onAudio(): Promise<void> {
    const { interimMs, segmentMs } = this.settings;
    const lengthSamples = this.segment.length;
    if (lengthSamples >= segmentMs * SAMPLES_PER_MS && isSilent(this.segment.subarray(-PAUSE_SAMPLES))) {
      await this.#sendFinal(false);
    } else if (this.isUpToDate && lengthSamples - this.guessedSamples >= interimMs * SAMPLES_PER_MS) {
      this.guessedSamples = lengthSamples;
      await this.#sendResult({ is_final: false });
    }
  }

  protected async onControl(type: string): Promise<void> {
    if (type === 'Finalize') await this.#onFinalize();
    if (type === 'CloseStream') await this.#onCloseStream();
  }

  async #onFinalize(): Promise<void> {
    const { behaviour, slowMs, negligibleMs } = this.settings;
    if (this.segment.length < negligibleMs * SAMPLES_PER_MS) return;
    if (behaviour === 'slow_final') await after(slowMs);
    await this.#sendFinal(true);
  }

  async #onCloseStream(): Promise<void> {
    if (this.segment.length > 0) await this.#sendFinal(true);
    this.send({
      type: 'Metadata',
      transaction_key: 'deprecated',
      request_id: REQUEST_ID,
      sha256: '0'.repeat(64),
      created: new Date().toISOString(),
      duration: this.seen.audioMs / 1000,
      channels: 1,
    });
    this.close();
  }

  async #sendFinal(fromFinalize: boolean): Promise<void> {
    await this.#sendResult({ is_final: true, from_finalize: fromFinalize });
    this.endSegment(this.segment.length);
  }

  async #sendResult(fields: { is_final: boolean; from_finalize?: boolean }): Promise<void> {
    const duration = this.segment.length / RATE_HZ;
    const transcript = await this.recognise(this.segment);
    this.send({
      type: 'Results',
      channel_index: [0, 1],
      start: this.segmentStartSamples / RATE_HZ,
      duration,
      speech_final: false,
      ...fields,
      channel: { alternatives: [{ transcript, confidence: 0.9, words: [] }] },
      metadata: {
        request_id: REQUEST_ID,
        model_uuid: REQUEST_ID,
        model_info: { name: 'general-nova-3', version: '2025-04-17.21547', arch: 'nova-3' },
      },
    });
  }
}
