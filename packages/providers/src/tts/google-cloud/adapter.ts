import { ProviderError } from '@calls/engine-ports/provider-error';
import type { TextToSpeech } from '@calls/engine-ports/text-to-speech';
import { abortable, type Clock } from '@calls/foundation/clock';
import { Inbox } from '../../http/inbox.ts';
import type { TextToSpeechLimits } from '../limits.ts';
import { PcmSpeechReader } from '../pcm-speech-reader.ts';
import { speakSentences } from '../speak-sentences.ts';
import type { SpeechSource } from '../speech-source.ts';
import { SpokenSentence } from '../spoken-sentence.ts';
import { parseVoiceSettings } from '../voice-settings.ts';
import { googleCloud } from './descriptor.ts';
import type { CallHandlers, CallOptions, TextToSpeechRpcClient } from './rpc-client.ts';
import { ServiceAccountTokens } from './service-account.ts';
import {
  isStreamingVoice,
  googleCloudSettings,
  SAMPLE_RATE_HZ,
  streamingConfig,
  wholeRequest,
} from './wire.ts';
/** Audience of tokens, regardless of the configured address. */
const AUDIENCE = 'https://texttospeech.googleapis.com/';
/** Maximum unread audio; above it the call is paused. */
const MAX_UNREAD_BYTES = 512 * 1024;

export interface GoogleCloudTextToSpeechOptions {
  baseUrl: string;
  limits: TextToSpeechLimits;
  clock: Clock;
}

/**
 * Google Cloud over gRPC, with one connection for all calls: `StreamingSynthesize` for voices that support streaming
 * (REST has no such method), `SynthesizeSpeech` for the others. Each sentence has its own stream, because responses do
 * not mark the end of a sentence and streams without input end after 5 s. No word timings without SSML marks.
 */
export function createGoogleCloudTextToSpeech(
  options: GoogleCloudTextToSpeechOptions,
): TextToSpeech & AsyncDisposable {
  let client: Promise<TextToSpeechRpcClient> | undefined;
  // Loaded for the first synthesis: the library takes about 27 MB and 90 ms.
  const connect = (): Promise<TextToSpeechRpcClient> =>
    (client ??= import('./rpc-client.ts').then(
      (rpc) => new rpc.TextToSpeechRpcClient(googleCloud.key, options.baseUrl),
    ));
  const tokens = new ServiceAccountTokens(googleCloud.key, AUDIENCE, options.clock);
  return {
    async *synthesize(sentences, { voice, languageHint }, signal) {
      signal.throwIfAborted();
      const { clock, limits } = options;
      const settings = parseVoiceSettings(googleCloud.key, googleCloudSettings, voice.settings);
      const token = tokens.tokenOf(settings.apiKey);
      const client = await abortable(connect(), signal);
      const start = (text: string): SpokenSentence => {
        const call: CallOptions = {
          token,
          deadline: new Date(clock.wallMs() + limits.firstAudioTimeoutMs + 2 * limits.maxSentenceMs),
          confidential: [token, text],
        };
        const source = openSource(clock, signal, (handlers) =>
          isStreamingVoice(settings.voiceId)
            ? client.stream(
                [{ streamingConfig: streamingConfig(settings, languageHint) }, { input: { text } }],
                call,
                handlers,
              )
            : client.whole(wholeRequest(settings, text, languageHint), call, handlers),
        );
        return new SpokenSentence({ ...options, provider: googleCloud.key }, text, source);
      };
      yield* speakSentences(sentences, start, signal);
    },
    async [Symbol.asyncDispose]() {
      (await client)?.close();
    },
  };
}

function openSource(
  clock: Clock,
  signal: AbortSignal,
  open: (handlers: CallHandlers) => ReturnType<TextToSpeechRpcClient['stream']>,
): SpeechSource {
  const inbox = new Inbox<Buffer>(clock, (message) => new ProviderError(googleCloud.key, 'timeout', message));
  const reader = new PcmSpeechReader(googleCloud.key, SAMPLE_RATE_HZ);
  let unreadBytes = 0;
  const call = open({
    onAudio: (bytes) => {
      unreadBytes += bytes.length;
      inbox.push(bytes);
      if (unreadBytes > MAX_UNREAD_BYTES) call.pause();
    },
    onEnd: (error) => inbox.end(error),
  });
  return {
    async read(deadline) {
      const bytes = await inbox.next(deadline, signal);
      if (bytes === null) return null;
      unreadBytes -= bytes.length;
      if (unreadBytes <= MAX_UNREAD_BYTES) call.resume();
      return reader.push(bytes);
    },
    close() {
      inbox.end();
      call.cancel();
    },
  };
}
