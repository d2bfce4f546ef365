import { SPEECH_RATE_HZ } from '@calls/engine-ports/speech-to-text';
import { compileValidator } from '@calls/foundation/schema/validator';
import { Type } from 'typebox';
import { parseFrame } from '../../http/json-frame.ts';
import { termsWithin } from '../key-terms.ts';
import { listenLanguage } from './language.ts';
import type { ListenOptions, ListenProtocol } from './listen-protocol.ts';
import { DEEPGRAM, MAX_KEY_TERM_BYTES, readType } from './messages.ts';
import type { ListenResult } from './utterance-words.ts';

const MAX_KEYWORDS = 100;
/** Models before Nova-3 take single words, not terms. */
const TAKES_KEYWORDS = /^(?:nova-2|nova|enhanced|base)(?:$|-(?!\d))/;

/** `/v1/listen`, for all models but Flux. Its own endpointing is disabled, because the service decides when turns end. */
export const NOVA: ListenProtocol = {
  version: 'v1',
  supports: () => true,
  path: listenPath,
  finalize: { type: 'Finalize' },
  keepAlive: { type: 'KeepAlive' },
  read,
};

function listenPath({ model, languageHint, keyTerms }: ListenOptions): string {
  const parameters = new URLSearchParams({
    model,
    language: listenLanguage(languageHint),
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

function read(text: string, confidential: readonly string[]): ListenResult | undefined {
  if (readType(text, confidential) !== 'Results') return undefined;
  const { start, duration, channel, ...result } = parseFrame(DEEPGRAM, resultsMessage, text, confidential);
  return {
    endSamples: Math.round((start + duration) * SPEECH_RATE_HZ),
    text: channel.alternatives[0]?.transcript.trim() ?? '',
    isFinal: result.is_final,
    isSettled: result.is_final,
    isFromFinalize: result.from_finalize === true,
  };
}
