import { msFromSamples } from '@calls/audio/pcm';
import { PcmByteJoiner } from '@calls/audio/pcm-byte-joiner';
import { compileValidator } from '@calls/foundation/schema/validator';
import { Type } from 'typebox';
import { parseBase64, parseFrame } from '../../http/json-frame.ts';
import { refusal, refusalText } from '../../http/refusal.ts';
import { CharacterTimings } from '../character-timings.ts';
import type { ContextMessage, ContextProtocol } from '../sentence-contexts.ts';
import type { SpeechPiece } from '../speech-source.ts';
import {
  languageOf,
  modelId,
  sampleRateHz,
  urlParameters,
  voiceFields,
  type ElevenLabsSettings,
} from './wire.ts';

const Times = Type.Array(Type.Number());

/** A message of `/stream-input`; times count from the start of the message's audio. */
const streamMessage = compileValidator(
  'speech message',
  Type.Object({
    audio: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    isFinal: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
    alignment: Type.Optional(
      Type.Union([
        Type.Null(),
        Type.Object({ chars: Type.Array(Type.String()), charStartTimesMs: Times, charDurationsMs: Times }),
      ]),
    ),
    error: Type.Optional(Type.String()),
    message: Type.Optional(Type.String()),
  }),
);

export function streamInputPath(settings: ElevenLabsSettings, languageHint: string | null): string {
  const parameters = urlParameters(settings);
  parameters.set('model_id', modelId(settings));
  parameters.set('enable_ssml_parsing', String(settings.enableSsmlParsing ?? false));
  parameters.set('sync_alignment', 'true');
  // The input has whole sentences, so the provider must not wait for more text.
  parameters.set('auto_mode', 'true');
  const language = languageOf(settings, languageHint);
  if (language !== undefined) parameters.set('language_code', language);
  const voice = encodeURIComponent(settings.voiceId);
  return `/v1/text-to-speech/${voice}/stream-input?${parameters.toString()}`;
}

/** One sentence on its own `/stream-input` connection. */
export class StreamInputSentence implements ContextProtocol {
  readonly #provider: string;
  readonly #settings: ElevenLabsSettings;
  readonly #confidential: readonly string[];
  readonly #pcm = new PcmByteJoiner();
  readonly #timings = new CharacterTimings();
  readonly #sampleRateHz: number;
  #contextId = '';
  #spokenMs = 0;

  constructor(provider: string, settings: ElevenLabsSettings, confidential: readonly string[]) {
    this.#provider = provider;
    this.#settings = settings;
    this.#confidential = confidential;
    this.#sampleRateHz = sampleRateHz(settings);
  }

  speak(contextId: string, text: string): object[] {
    this.#contextId = contextId;
    return [{ text: ' ', ...voiceFields(this.#settings) }, { text: `${text} ` }, { text: '' }];
  }

  cancel(): object[] {
    return [];
  }

  read(text: string): ContextMessage | undefined {
    const message = parseFrame(this.#provider, streamMessage, text, this.#confidential);
    const contextId = this.#contextId;
    if (message.error !== undefined) {
      // `error` has the kind of the error, `message` its text.
      const said = refusalText(
        JSON.stringify({ error: message.message ?? message.error }),
        this.#confidential,
      );
      return { contextId, pieces: [], isLast: true, error: refusal(this.#provider, 400, said) };
    }
    const pieces: SpeechPiece[] = [];
    const { alignment } = message;
    if (alignment) {
      const startsMs = alignment.charStartTimesMs.map((ms) => this.#spokenMs + ms);
      const endsMs = startsMs.map((ms, i) => ms + (alignment.charDurationsMs[i] ?? 0));
      pieces.push({
        type: 'words',
        words: this.#timings.push({ characters: alignment.chars, startsMs, endsMs }),
      });
    }
    const samples = this.#pcm.push(parseBase64(this.#provider, message.audio ?? ''));
    pieces.push({ type: 'audio', samples, sampleRateHz: this.#sampleRateHz });
    this.#spokenMs += msFromSamples(samples.length, this.#sampleRateHz);
    const isLast = message.isFinal === true;
    if (isLast) pieces.push({ type: 'words', words: this.#timings.end() });
    return { contextId, pieces, isLast };
  }
}
