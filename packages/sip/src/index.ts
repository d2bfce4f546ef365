export * from './calls.ts';
export * from './endpoint-options.ts';
