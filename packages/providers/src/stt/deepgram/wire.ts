import { compileValidator } from '@calls/api-contract/validation/validator';
import { ProviderError } from '@calls/conversation/ports/provider-error';
import { Type } from 'typebox';
import { parseFrame } from '../../http/json-frame.ts';
import { refusalMessage } from '../../http/refusal.ts';
import type { ListenResult } from './utterance-words.ts';

/** Names this adapter in errors. */
export const DEEPGRAM = 'deepgram';
export const SAMPLE_RATE_HZ = 16_000;

/** Has all audio sent so far recognised at once. */
export const FINALIZE = { type: 'Finalize' };
/** Within ten seconds of the last audio, or the connection is closed. */
export const KEEP_ALIVE = { type: 'KeepAlive' };
export const CLOSE_STREAM = { type: 'CloseStream' };

/** Turns are ours to find: the provider is not to look for their ends. */
export function listenPath(model: string, language: string): string {
  const parameters = new URLSearchParams({
    model,
    language,
    encoding: 'linear16',
    sample_rate: String(SAMPLE_RATE_HZ),
    channels: '1',
    interim_results: 'true',
    punctuate: 'true',
    endpointing: 'false',
  });
  return `/listen?${parameters.toString()}`;
}

const Seconds = Type.Number({ minimum: 0 });

const listenMessage = compileValidator('speech message', Type.Object({ type: Type.String() }));

const resultsMessage = compileValidator(
  'recognition',
  Type.Object({
    /** Of the audio that it is about, from the connection's first sample. */
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

/** Throws a ProviderError for an error and for what does not speak the protocol; undefined for what is of no interest. */
export function readMessage(text: string, confidential: readonly string[]): ListenResult | undefined {
  const { type } = parseFrame(DEEPGRAM, listenMessage, text);
  if (type === 'Error') {
    const { description, message } = parseFrame(DEEPGRAM, errorMessage, text);
    throw new ProviderError(DEEPGRAM, 'refused', refusalMessage(description ?? message ?? '', confidential));
  }
  if (type !== 'Results') return undefined;
  const { start, duration, channel, ...result } = parseFrame(DEEPGRAM, resultsMessage, text);
  return {
    startSamples: Math.round(start * SAMPLE_RATE_HZ),
    endSamples: Math.round((start + duration) * SAMPLE_RATE_HZ),
    text: channel.alternatives[0]?.transcript.trim() ?? '',
    isFinal: result.is_final,
    isFromFinalize: result.from_finalize === true,
  };
}
