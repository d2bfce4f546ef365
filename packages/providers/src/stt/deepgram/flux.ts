import { samplesFromMs } from '@calls/audio/pcm';
import { SPEECH_RATE_HZ } from '@calls/engine-ports/speech-to-text';
import { compileValidator } from '@calls/foundation/schema/validator';
import { Type } from 'typebox';
import { parseFrame } from '../../http/json-frame.ts';
import { isEnglish } from '../../language-code.ts';
import { termsWithin } from '../key-terms.ts';
import type { ListenOptions, ListenProtocol } from './listen-protocol.ts';
import { DEEPGRAM, MAX_KEY_TERM_BYTES, readType } from './messages.ts';
import type { ListenResult } from './utterance-words.ts';

/** Silence after which there is a result for all audio before it: there is about one for each 250 ms of audio. */
const FINALIZE_MS = 320;

const isEnglishModel = (model: string): boolean => model.endsWith('-en');

/**
 * `/v2/listen`, for Flux models. They find the ends of turns by themselves; an utterance may contain several of
 * them. `ForceEndTurn` is not used: self-hosted servers do not support it, and it ignores audio that is not transcribed
 * yet.
 */
export const FLUX: ListenProtocol = {
  version: 'v2',
  supports: (model, languageHint) =>
    languageHint === null || !isEnglishModel(model) || isEnglish(languageHint),
  path: listenPath,
  finalize: new Uint8Array(samplesFromMs(FINALIZE_MS, SPEECH_RATE_HZ) * Int16Array.BYTES_PER_ELEMENT),
  keepAlive: null,
  read,
};

function listenPath({ model, languageHint, keyTerms }: ListenOptions): string {
  const parameters = new URLSearchParams({
    model,
    encoding: 'linear16',
    sample_rate: String(SPEECH_RATE_HZ),
  });
  if (languageHint !== null && !isEnglishModel(model)) parameters.append('language_hint', languageHint);
  for (const term of termsWithin(MAX_KEY_TERM_BYTES, keyTerms)) parameters.append('keyterm', term);
  return `/listen?${parameters.toString()}`;
}

const turnInfoMessage = compileValidator(
  'turn information',
  Type.Object({
    event: Type.String(),
    /** End of the transcribed audio in seconds, from the connection's first sample. */
    audio_window_end: Type.Number({ minimum: 0 }),
    /** All words of the turn so far. */
    transcript: Type.String(),
    end_of_turn_confidence: Type.Number({ minimum: 0, maximum: 1 }),
  }),
);

function read(text: string, confidential: readonly string[]): ListenResult | undefined {
  if (readType(text, confidential) !== 'TurnInfo') return undefined;
  const info = parseFrame(DEEPGRAM, turnInfoMessage, text, confidential);
  const isFinal = info.event === 'EndOfTurn';
  return {
    endSamples: Math.round(info.audio_window_end * SPEECH_RATE_HZ),
    text: info.transcript.trim(),
    isFinal,
    isSettled: true,
    isFromFinalize: false,
    completion: isFinal ? 1 : info.end_of_turn_confidence,
  };
}
