export * from './language-model.ts';
export * from './media-transport.ts';
export * from './provider-error.ts';
export * from './recordings.ts';
export * from './speech-to-text.ts';
export * from './text-to-speech.ts';
export * from './voice-activity-detector.ts';
