import { SPEECH_RATE_HZ } from '@calls/engine-ports/speech-to-text';
import { ProviderError } from '@calls/engine-ports/provider-error';
import { compileValidator } from '@calls/foundation/schema/validator';
import { Type } from 'typebox';
import { parseFrame } from '../../http/json-frame.ts';
import { refusalMessage } from '../../http/refusal.ts';
import { termsWithin } from '../key-terms.ts';
import type { ListenResult } from './utterance-words.ts';

/** Adapter name for errors. */
export const DEEPGRAM = 'deepgram';

/** Requests final results for all audio sent so far. */
export const FINALIZE = { type: 'Finalize' };
/** Must be sent within ten seconds of the last audio, or the provider disconnects. */
export const KEEP_ALIVE = { type: 'KeepAlive' };
export const CLOSE_STREAM = { type: 'CloseStream' };

/** The provider refuses more tokens of key terms. A token has at least one byte. */
const MAX_KEY_TERM_BYTES = 500;
const MAX_KEYWORDS = 100;
/** Models before Nova-3 take single words, not terms. */
const TAKES_KEYWORDS = /^(?:nova-2|nova|enhanced|base)(?:$|-(?!\d))/;

/** Disables the provider's own endpointing; the service decides when turns end. */
export function listenPath(model: string, language: string, keyTerms: readonly string[]): string {
  const parameters = new URLSearchParams({
    model,
    language,
    encoding: 'linear16',
    sample_rate: String(SPEECH_RATE_HZ),
    channels: '1',
    interim_results: 'true',
    punctuate: 'true',
    endpointing: 'false',
  });
  for (const [name, value] of expectedWords(model, keyTerms)) parameters.append(name, value);
  return `/listen?${parameters.toString()}`;
}

function expectedWords(model: string, keyTerms: readonly string[]): [name: string, value: string][] {
  if (!TAKES_KEYWORDS.test(model))
    return termsWithin(MAX_KEY_TERM_BYTES, keyTerms).map((term) => ['keyterm', term]);
  // What follows a colon is a weight.
  const words = new Set(keyTerms.flatMap((term) => term.split(/[\s:]+/)).filter((word) => word !== ''));
  return [...words].slice(0, MAX_KEYWORDS).map((word) => ['keywords', word]);
}

const Seconds = Type.Number({ minimum: 0 });

const listenMessage = compileValidator('speech message', Type.Object({ type: Type.String() }));

const resultsMessage = compileValidator(
  'recognition',
  Type.Object({
    /** Start of the audio of this result, from the connection's first sample. */
    start: Seconds,
    duration: Seconds,
    is_final: Type.Boolean(),
    from_finalize: Type.Optional(Type.Boolean()),
    channel: Type.Object({
      alternatives: Type.Array(Type.Object({ transcript: Type.String() })),
    }),
  }),
);

const errorMessage = compileValidator(
  'error',
  Type.Object({ description: Type.Optional(Type.String()), message: Type.Optional(Type.String()) }),
);

/** Throws a ProviderError for errors and malformed messages. Undefined for messages to ignore. */
export function readMessage(text: string, confidential: readonly string[]): ListenResult | undefined {
  const { type } = parseFrame(DEEPGRAM, listenMessage, text, confidential);
  if (type === 'Error') {
    const { description, message } = parseFrame(DEEPGRAM, errorMessage, text, confidential);
    throw new ProviderError(DEEPGRAM, 'refused', refusalMessage(description ?? message ?? '', confidential));
  }
  if (type !== 'Results') return undefined;
  const { start, duration, channel, ...result } = parseFrame(DEEPGRAM, resultsMessage, text, confidential);
  return {
    startSamples: Math.round(start * SPEECH_RATE_HZ),
    endSamples: Math.round((start + duration) * SPEECH_RATE_HZ),
    text: channel.alternatives[0]?.transcript.trim() ?? '',
    isFinal: result.is_final,
    isFromFinalize: result.from_finalize === true,
  };
}
