export type { ConformanceOptions, FaultCase } from './fault-case.ts';
export { describeLanguageModel, type LanguageModelConformance } from './language-model.ts';
export {
  describeMediaTransport,
  type MediaClient,
  type MediaTransportConformance,
} from './media-transport.ts';
export { describeObjectStorage, type ObjectStorageConformance } from './object-storage.ts';
export { asGranted, asRefused, describeRateLimits, type RateLimitsConformance } from './rate-limits.ts';
export { SentenceSource } from './sentence-source.ts';
export { LOSSY_SOUND } from './sound.ts';
export { describeSpeechToText, type SpeechToTextConformance } from './speech-to-text.ts';
export { describeTextToSpeech, type TextToSpeechConformance } from './text-to-speech.ts';
export { describeVoiceActivity, type VoiceActivityConformance } from './voice-activity.ts';
