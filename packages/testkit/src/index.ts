export * from './ai-stand-in/index.ts';
export * from './call-spec.ts';
export * from './collect.ts';
export * from './virtual-clock.ts';
export * from './speech/index.ts';
export * from './scripted/kept-recordings.ts';
export * from './scripted/loopback-transport.ts';
export * from './scripted/scripted-providers.ts';
