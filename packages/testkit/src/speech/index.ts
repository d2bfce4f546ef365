export * from './active-extent.ts';
export * from './human-voice.ts';
export * from './noise.ts';
export * from './resample.ts';
export * from './shaping.ts';
export * from './speak.ts';
export * from './windows.ts';
export * from './word-error-rate.ts';
