export * from './catalogue-voice.ts';
export * from './catalogue.ts';
export * from './describe-providers.ts';
export * from './provider-config.ts';
export * from './voice-aliases.ts';
