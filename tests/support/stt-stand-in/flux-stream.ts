import { setTimeout as after } from 'node:timers/promises';
import {
  ProviderStream,
  RATE_HZ,
  REQUEST_ID,
  SAMPLES_PER_MS,
  type StreamOptions,
} from './provider-stream.ts';
import { isSilent } from './tone-words.ts';

const UPDATE_SAMPLES = 250 * SAMPLES_PER_MS;
/** The confidence rises with the silence at the end of the audio, from 0 to 1 after this much. */
const CERTAIN_SILENCE_MS = 500;
const END_OF_TURN_CONFIDENCE = 0.7;
const SILENCE_STEP_SAMPLES = 20 * SAMPLES_PER_MS;

/** A stream of `/v2/listen`. A segment is a turn. */
export class FluxStream extends ProviderStream {
  protected readonly malformed = { type: 'TurnInfo', event: 'Update', transcript: null };
  #sequence = 0;
  #turnIndex = 0;
  #turnHasWords = false;

  constructor(options: StreamOptions) {
    super(options);
    this.#send({ type: 'Connected', request_id: REQUEST_ID });
  }

  protected get error(): object {
    return {
      type: 'Error',
      sequence_id: this.#sequence,
      code: 'INTERNAL_SERVER_ERROR',
      description: 'The stand-in is configured to fail.',
    };
  }

  protected async onAudio(): Promise<void> {
    // Audio that arrives at once is transcribed in the same steps as audio that arrives in real time.
    while (this.segment.length - this.guessedSamples >= UPDATE_SAMPLES) {
      this.guessedSamples += UPDATE_SAMPLES;
      await this.#transcribe();
    }
  }

  protected async onControl(type: string): Promise<void> {
    if (type === 'ForceEndTurn' && this.#turnHasWords)
      this.#endTurn(await this.recognise(this.#transcribed), 'manual');
    if (type === 'CloseStream') this.close();
  }

  /** The transcribed audio of the turn. */
  get #transcribed(): Int16Array {
    return this.segment.subarray(0, this.guessedSamples);
  }

  get #confidence(): number {
    const audio = this.#transcribed;
    let soundEnd = audio.length;
    while (soundEnd > 0 && isSilent(audio.subarray(Math.max(0, soundEnd - SILENCE_STEP_SAMPLES), soundEnd)))
      soundEnd -= SILENCE_STEP_SAMPLES;
    return Math.min(1, (audio.length - soundEnd) / SAMPLES_PER_MS / CERTAIN_SILENCE_MS);
  }

  async #transcribe(): Promise<void> {
    if (this.settings.behaviour === 'slow_final') await after(this.settings.slowMs);
    const transcript = await this.recognise(this.#transcribed);
    const isStart = transcript !== '' && !this.#turnHasWords;
    this.#turnHasWords ||= isStart;
    if (this.#turnHasWords && this.#confidence >= END_OF_TURN_CONFIDENCE) this.#endTurn(transcript, 'model');
    else this.#sendTurnInfo(isStart ? 'StartOfTurn' : 'Update', transcript);
  }

  #endTurn(transcript: string, trigger: string): void {
    this.#sendTurnInfo('EndOfTurn', transcript, trigger);
    this.endSegment(this.guessedSamples);
    this.#turnIndex += 1;
    this.#turnHasWords = false;
  }

  #sendTurnInfo(event: string, transcript: string, trigger?: string): void {
    this.#send({
      type: 'TurnInfo',
      request_id: REQUEST_ID,
      event,
      turn_index: this.#turnIndex,
      audio_window_start: this.segmentStartSamples / RATE_HZ,
      audio_window_end: (this.segmentStartSamples + this.guessedSamples) / RATE_HZ,
      transcript,
      words: transcript.split(' ').flatMap((word) => (word === '' ? [] : [{ word, confidence: 0.9 }])),
      end_of_turn_confidence: this.#turnHasWords ? this.#confidence : 0,
      ...(trigger !== undefined && { trigger }),
    });
  }

  #send(message: object): void {
    this.send({ ...message, sequence_id: this.#sequence });
    this.#sequence += 1;
  }
}
