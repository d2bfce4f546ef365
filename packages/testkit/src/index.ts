export * from './ai-stand-in/index.ts';
export * from './virtual-clock.ts';
