import { ProviderError } from '@calls/engine-ports/provider-error';
import { parseBase64 } from '../../http/json-frame.ts';
import { LineReader } from '../../http/line-reader.ts';
import { PcmSpeechReader } from '../pcm-speech-reader.ts';
import type { SpeechPiece, SpeechReader } from '../speech-source.ts';
import { responseKindOf, rateParameter, valueAt, type OwnEndpointSettings } from './wire.ts';

const DEFAULT_SAMPLE_RATE_HZ = 24_000;
/** A JSON response contains a whole sentence. */
const MAX_JSON_CHARACTERS = 32 * 1024 * 1024;
const DEFAULT_FIELD_PATH = 'audio';

/** The reader for a response with this content type. Throws `malformed` for a type that cannot be played. */
export function ownEndpointSpeechReader(
  provider: string,
  settings: OwnEndpointSettings,
  contentType: string | undefined,
): SpeechReader {
  const mimeType = settings.responseMimeType ?? contentType ?? '';
  const kind = responseKindOf(mimeType);
  if (kind === undefined)
    throw new ProviderError(
      provider,
      'malformed',
      `a response of type ${mimeType.slice(0, 60)} cannot be played`,
    );
  const rateHz = settings.responseSampleRate ?? rateParameter(mimeType) ?? DEFAULT_SAMPLE_RATE_HZ;
  const samples = new PcmSpeechReader(provider, rateHz);
  return kind === 'samples' ? samples : new JsonSpeechReader(provider, settings, samples, kind);
}

/** Audio in JSON: one object, or one per line. The audio of all objects is one stream. */
class JsonSpeechReader implements SpeechReader {
  readonly #provider: string;
  readonly #settings: OwnEndpointSettings;
  readonly #samples: SpeechReader;
  readonly #areLines: boolean;
  readonly #lines = new LineReader(MAX_JSON_CHARACTERS);
  #whole: string[] = [];

  constructor(
    provider: string,
    settings: OwnEndpointSettings,
    samples: SpeechReader,
    kind: 'json' | 'json-lines',
  ) {
    this.#provider = provider;
    this.#settings = settings;
    this.#samples = samples;
    this.#areLines = kind === 'json-lines';
  }

  push(bytes: Buffer): SpeechPiece[] {
    const lines = this.#lines.push(bytes);
    if (this.#areLines) return lines.flatMap((line) => this.#read(line));
    this.#whole.push(...lines);
    return [];
  }

  end(): SpeechPiece[] {
    const rest = this.#lines.end();
    const texts = this.#areLines ? rest : [[...this.#whole, ...rest].join('\n')];
    this.#whole = [];
    return [...texts.flatMap((text) => this.#read(text)), ...this.#samples.end()];
  }

  #read(text: string): SpeechPiece[] {
    const path = this.#settings.jsonAudioFieldPath ?? DEFAULT_FIELD_PATH;
    const audio = valueAt(this.#parse(text), path);
    // Lines may have no audio.
    if (audio === undefined && this.#areLines) return [];
    if (typeof audio !== 'string')
      throw new ProviderError(this.#provider, 'malformed', `the response has no audio at "${path}"`);
    return this.#samples.push(this.#decode(audio));
  }

  #parse(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch (cause) {
      throw new ProviderError(this.#provider, 'malformed', 'the response is not JSON', { cause });
    }
  }

  #decode(audio: string): Buffer {
    if (this.#settings.jsonByteEncoding !== 'JSON_BYTE_ENCODING_HEX')
      return parseBase64(this.#provider, audio);
    if (!/^(?:[0-9a-f]{2})*$/i.test(audio))
      throw new ProviderError(this.#provider, 'malformed', 'the audio is not hexadecimal');
    return Buffer.from(audio, 'hex');
  }
}
