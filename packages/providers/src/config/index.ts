export * from './catalogue-voice.ts';
export * from './provider-config.ts';
