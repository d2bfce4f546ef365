import type { SpeechToText } from '@calls/engine-ports/speech-to-text';
import type { Clock } from '@calls/foundation/clock';
import { startCapability } from '@calls/foundation/lifecycle';
import type { Logger } from '@calls/foundation/logger';
import { catalogueVoices } from '@calls/providers/config/catalogue';
import { describeProviders } from '@calls/providers/config/describe-providers';
import type { ProviderConfig } from '@calls/providers/config/provider-config';
import { createProviders } from '@calls/providers/registry';
import { createSileroEngine } from '@calls/providers/vad/silero/silero-engine';
import { SpeechCache } from './cached-speech.ts';
import { CallerVoice } from './caller-voice.ts';
import { AudioQueue, DELAYS_MS, type SimulatedMode } from './modes.ts';
import { LINE_RATE_HZ } from './spoken-words.ts';
import { trackedDetector, trackedSpeechToText, trackedTextToSpeech } from './tracked-engines.ts';

/** Three windows of the detector, which are one request to it. */
const PACKET_MS = 96;
/** Time limit of engines on a busy machine. Virtual time waits for them. */
const TIMEOUT_MS = 60_000;

/**
 * Real voice activity detection, speech-to-text and text-to-speech: those of calls. The agent has the default voice.
 * Embedded engines transcribe the same audio and speak the same sentence once, in all calls; transcripts are stored in
 * `transcriptsPath`, if given.
 */
export async function openVoiceMode(
  config: ProviderConfig,
  deps: { clock: Clock; log: Logger },
  transcriptsPath: string | null = null,
): Promise<SimulatedMode & AsyncDisposable> {
  const limits = {
    ...config.limits,
    sttConnectTimeoutMs: TIMEOUT_MS,
    sttTimeoutMs: TIMEOUT_MS,
    ttsConnectTimeoutMs: TIMEOUT_MS,
    ttsFirstAudioTimeoutMs: TIMEOUT_MS,
    ttsGapTimeoutMs: TIMEOUT_MS,
  };
  const { speechToText: choices, textToSpeech: endpoint } = config;
  const [voice] = catalogueVoices(config);
  if (!voice) throw new Error('the catalogue has no voice');
  return startCapability(deps.log, async (owned) => {
    const providers = owned.own('providers', createProviders({ ...config, limits }, deps));
    const cache = await SpeechCache.open(transcriptsPath);
    owned.add('transcripts', () => cache.save());
    const isEmbedded = choices.every((choice) => choice === 'local');
    if (isEmbedded && cache.isWithoutTranscripts) loadModel(providers.speechToText);
    const stt = isEmbedded
      ? cache.speechToText(providers.speechToText, describeProviders(config).speechToText)
      : providers.speechToText;
    const tts = endpoint ? providers.textToSpeech : cache.textToSpeech(providers.textToSpeech);
    const voiceActivity = owned.own('voice activity', await createSileroEngine(deps));
    return {
      name: 'voice',
      isRecorded: true,
      outputRateHz: LINE_RATE_HZ,
      packetMs: PACKET_MS,
      open({ clock, work, caller }) {
        const speaker = new CallerVoice(caller);
        const queue = new AudioQueue();
        const { speechToText, textToSpeech } = DELAYS_MS;
        return Promise.resolve({
          engines: {
            voiceActivity: trackedDetector(voiceActivity, work),
            speechToText: trackedSpeechToText(stt, work, clock, speechToText),
            textToSpeech: trackedTextToSpeech(tts, voice, work, clock, textToSpeech),
          },
          say: async (line) => queue.push(await cache.callerLine(speaker, line)),
          get isSpeaking() {
            return !queue.isEmpty;
          },
          microphone: (ms) => speaker.withNoise(queue.read(Math.round((ms * LINE_RATE_HZ) / 1000))),
        });
      },
    };
  });
}

/** Embedded speech-to-text loads its model when the first stream opens. */
function loadModel(engine: SpeechToText): void {
  engine.open({ languageHint: null }, new AbortController().signal).close();
}
