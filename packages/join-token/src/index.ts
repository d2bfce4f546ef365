export * from './call-tokens.ts';
export * from './join-tokens.ts';
export * from './signed-values.ts';
