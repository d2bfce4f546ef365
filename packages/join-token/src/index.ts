export * from './join-tokens.ts';
