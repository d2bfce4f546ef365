import { join } from 'node:path';
import { ProviderError } from '@calls/engine-ports/provider-error';
import type { SpeechChunk, TextToSpeech } from '@calls/engine-ports/text-to-speech';
import { abortable, type Clock } from '@calls/foundation/clock';
import type { Logger } from '@calls/foundation/logger';
import { ModelServer } from '../../local-models/model-server.ts';
import { audioChunks } from '../spoken-sentence.ts';
import { describeVoiceModel, SHERPA_ONNX_TTS } from './layout.ts';
import { parseSettings, type SherpaOnnxVoiceSettings } from './wire.ts';

/** Maximum number of loaded voices; further ones are rejected. */
const MAX_VOICES = 4;

export interface SherpaOnnxTextToSpeechOptions {
  /** SPEECH_MODEL_DIR, which contains one folder per voice in the folder `tts`. */
  modelDir: string;
  /**
   * Time limit for a sentence's first audio, including the wait for other sentences of the voice, and between two
   * chunks. Default 4000.
   */
  timeoutMs?: number;
  clock: Clock;
  log: Logger;
}

/**
 * Voices that the operator has downloaded. Each runs in its own sherpa-onnx process, loaded for its first sentence.
 * Without a usable model, synthesis throws `unavailable` and names the folder and the expected files.
 */
export function createSherpaOnnxTextToSpeech(
  options: SherpaOnnxTextToSpeechOptions,
): TextToSpeech & AsyncDisposable {
  const servers = new Map<string, ModelServer>();

  function serverOf(voice: string): ModelServer {
    const known = servers.get(voice);
    if (known) return known;
    const dir = join(options.modelDir, 'tts', voice);
    const describe = () => describeVoiceModel(dir);
    // Checked before the voice is counted, so that a missing voice takes no place.
    describe();
    if (servers.size >= MAX_VOICES) {
      throw new ProviderError(SHERPA_ONNX_TTS, 'refused', 'too many voices are loaded');
    }
    const server = new ModelServer({
      provider: SHERPA_ONNX_TTS,
      dir,
      describe,
      timeoutMs: options.timeoutMs ?? 4000,
      clock: options.clock,
      log: options.log,
    });
    servers.set(voice, server);
    return server;
  }

  return {
    async *synthesize(sentences, { voice }, signal) {
      signal.throwIfAborted();
      const settings = parseSettings(voice.settings);
      const server = serverOf(settings.voice);
      const source = sentences[Symbol.asyncIterator]();
      try {
        for (;;) {
          const taken = await abortable(source.next(), signal);
          if (taken.done === true) return;
          if (/[\p{L}\p{N}]/u.test(taken.value)) yield* speak(server, settings, taken.value, signal);
        }
      } finally {
        // Not awaited: a busy source must not delay the end of the speech.
        source.return?.().catch(() => undefined);
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...servers.values()].map((server) => server[Symbol.asyncDispose]()));
    },
  };
}

async function* speak(
  server: ModelServer,
  { speakerId = 0, speed = 1 }: SherpaOnnxVoiceSettings,
  text: string,
  signal: AbortSignal,
): AsyncGenerator<SpeechChunk, void, undefined> {
  let begun = false;
  for await (const output of server.run({ type: 'speak', text, speakerId, speed }, signal)) {
    if (output.type !== 'audio' || output.samples.length === 0) continue;
    if (!begun) yield { type: 'sentence', text };
    begun = true;
    for (const chunk of audioChunks(output.samples, output.sampleRateHz)) {
      yield chunk;
      signal.throwIfAborted();
    }
  }
}
